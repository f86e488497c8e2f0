// One pass of radix_v5: a single launch that reads every key once and writes it once.
//
// A tile of keys stays on the chip from its histogram to its scatter (Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022):
//
//   load     keys into registers, kThreads * kItems of them
//   count    a histogram per warp in shared memory, by atomics
//   publish  the tile's count of every digit, for the tiles behind (look_back.cuh)
//   rank     eight ballots tell a lane which lanes hold the same digit
//   collect  keys into shared memory, in order of their digits
//   look back  for what the tiles before hold of every digit
//   write    runs of equal digits, so that neighbouring threads write to neighbouring addresses
#ifndef RADIX_V5_ONE_SWEEP_CUH
#define RADIX_V5_ONE_SWEEP_CUH

#include "common/block_scan.cuh"
#include "common/look_back.cuh"
#include "common/overlap.cuh"
#include "common/pairs.cuh"
#include "radix_v5/layout.cuh"

enum {
  RANK_BATCH = 4,      // keys of a thread that are ranked at a time
  WRITE_BATCH = 8,     // elements of a thread that are on their way to memory at a time
  POSITION_BATCH = 8,  // positions of a thread that are under way at a time
};

// Shared memory of a pass, in elements of 4 bytes.
template <int kThreads, int kItems>
struct SweepShared {
  unsigned int warp_bin[kThreads / WARP_SIZE][BINS];  // counts, then where the warp's next key goes
  unsigned int bin_shift[BINS];  // from a place in the tile to a place in the output
  unsigned int warp_sums[MAX_WARPS];
  unsigned int tile_number;
  unsigned int tile[kThreads * kItems];  // keys in order of their digits; then positions
};

// Digits are used as byte offsets into arrays of one word per bin: a rotation and a mask give the
// digit already multiplied by 4, which saves an instruction at every use of every key.
enum { OFFSET_MASK = (BINS - 1) * 4 };
static __device__ __forceinline__ unsigned int bin_offset(unsigned int key, unsigned int rotation) {
  return __funnelshift_r(key, key, rotation) & OFFSET_MASK;
}
static __device__ __forceinline__ unsigned int rotation_of(int pass) {
  return (unsigned int)(pass * DIGIT_BITS + 30) % 32;  // 2 bits less to the right
}
static __device__ __forceinline__ unsigned int &at_offset(unsigned int *bins, unsigned int offset) {
  return *(unsigned int *)((char *)bins + offset);
}

// The lanes that agree with mine in one bit of `offset`.
static __device__ __forceinline__ unsigned int lanes_with_bit(unsigned int offset,
                                                              unsigned int bit) {
#ifdef __CUDA_ARCH__
  // From C the compiler makes more instructions of it: README.md, the log.
  unsigned int lanes;
  asm volatile(
      "{ .reg .pred set; .reg .u32 masked;"
      "  and.b32 masked, %1, %2;"
      "  setp.ne.u32 set, masked, 0;"
      "  vote.sync.ballot.b32 %0, set, 0xffffffff;"
      "  @!set not.b32 %0, %0; }"
      : "=r"(lanes)
      : "r"(offset), "r"(bit));
  return lanes;
#else
  const unsigned int votes = __ballot_sync(0xffffffffu, (offset & bit) != 0);
  return (offset & bit) != 0 ? votes : ~votes;
#endif
}

// if (zero == 0) *address = value, in shared memory. As a predicated store: with a branch the
// compiler runs out of registers and spills.
static __device__ __forceinline__ void store_shared_if_zero(unsigned int zero,
                                                            unsigned int *address,
                                                            unsigned int value) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "{ .reg .pred p;"
      "  setp.eq.u32 p, %2, 0;"
      "  @p st.shared.u32 [%0], %1; }" ::"r"((unsigned int)__cvta_generic_to_shared(address)),
      "r"(value), "r"(zero)
      : "memory");
#else
  if (zero == 0) *address = value;
#endif
}

// The lanes whose digit equals mine. On Hopper eight ballots are faster than __match_any_sync; on
// the cpu backend it is the other way round.
static __device__ __forceinline__ unsigned int lanes_with_digit(unsigned int offset) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, offset);
#else
  unsigned int lanes = 0xffffffffu;
#pragma unroll
  for (int bit = 0; bit < DIGIT_BITS; bit++) lanes &= lanes_with_bit(offset, 4u << bit);
  return lanes;
#endif
}

// Threads 0 to BINS - 1 own a bin each. Turns the warps' counts of it into the places where the
// warps' first keys go, and returns the tile's count; *first is where the bin starts in the tile.
template <int kWarps>
static __device__ __forceinline__ unsigned int scan_bins(unsigned int (*warp_bin)[BINS],
                                                         unsigned int *warp_sums,
                                                         unsigned int *first) {
  const unsigned int bin = threadIdx.x;
  unsigned int counts[kWarps], count = 0;
  if (bin < BINS) {
#pragma unroll
    for (int warp = 0; warp < kWarps; warp++) {
      counts[warp] = warp_bin[warp][bin];
      count += counts[warp];
    }
  }
  *first = block_inclusive_scan(count, warp_sums) - count;
  if (bin < BINS) {
    unsigned int place = *first;
#pragma unroll
    for (int warp = 0; warp < kWarps; warp++) {
      warp_bin[warp][bin] = place;
      place += counts[warp];
    }
  }
  return count;
}

// The same number, but the compiler no longer knows that. Digits are taken from the keys three
// times; with a known shift it would take them once and keep them in registers that are needed for
// keys.
static __device__ __forceinline__ unsigned int forget(unsigned int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Keeps the compiler from moving memory accesses past this point. Left alone it would begin all
// loads of an unrolled loop before the first use, and run out of registers.
static __device__ __forceinline__ void keep_order(void) { asm volatile("" ::: "memory"); }

// Ranks the keys of a warp, four at a time so that the ballots of one overlap with the shared
// memory accesses of another, and puts them into the tile. place[] keeps where, two 16-bit places a
// word.
template <int kThreads, int kItems, bool kPairs>
static __device__ __forceinline__ void rank_keys(SweepShared<kThreads, kItems> &shared,
                                                 const unsigned int (&key)[kItems],
                                                 unsigned int rotation, unsigned int *place) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, below = (1u << lane) - 1u;
  const unsigned int above = 0xfffffffeu << lane;
  unsigned int *const next = shared.warp_bin[threadIdx.x / WARP_SIZE];
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    keep_order();
    unsigned int digit[RANK_BATCH], lanes[RANK_BATCH], mine[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      digit[q] = bin_offset(key[first + q], rotation);
      lanes[q] = lanes_with_digit(digit[q]);
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      mine[q] = at_offset(next, digit[q]) + (unsigned int)__popc((int)(lanes[q] & below));
      __syncwarp();
      // The last lane with this digit has counted them all.
      store_shared_if_zero(lanes[q] & above, &at_offset(next, digit[q]), mine[q] + 1);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      shared.tile[mine[q]] = key[first + q];
      if (kPairs && q % 2 == 1) place[(first + q) / 2] = forget(mine[q - 1] | mine[q] << 16);
    }
  }
}

// Writes the keys: place i of the tile goes to i plus its bin's shift. A thread's places are
// kThreads apart, so that a warp writes runs of neighbours. bin[] keeps the digits, four to a word.
template <int kThreads, int kItems, bool kPairs, bool kFull>
static __device__ __forceinline__ void write_keys(SweepShared<kThreads, kItems> &shared,
                                                  unsigned int *out, unsigned int valid,
                                                  unsigned int rotation, unsigned int *bin) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % WRITE_BATCH == 0) keep_order();
    const unsigned int i = threadIdx.x + u * kThreads, key = shared.tile[i];
    const unsigned int digit = bin_offset(key, rotation);
    if (kFull || i < valid) out[at_offset(shared.bin_shift, digit) + i] = key;
    if (kPairs) bin[u / 4] = forget(u % 4 == 0 ? digit / 4 : bin[u / 4] | digit / 4 << (u % 4 * 8));
  }
}

// The positions take the same way as their keys, through the same shared memory.
template <int kThreads, int kItems, bool kFull>
static __device__ __forceinline__ void move_positions(SweepShared<kThreads, kItems> &shared,
                                                      const unsigned int *in, unsigned int *out,
                                                      unsigned int valid, const unsigned int *place,
                                                      const unsigned int *bin) {
  const unsigned int first_item =
      threadIdx.x / WARP_SIZE * WARP_SIZE * kItems + threadIdx.x % WARP_SIZE;
  __syncthreads();
#pragma unroll
  for (int first = 0; first < kItems; first += POSITION_BATCH) {
    keep_order();
    unsigned int position[POSITION_BATCH];
#pragma unroll
    for (int q = 0; q < POSITION_BATCH; q++) {
      const unsigned int i = first_item + (first + q) * WARP_SIZE;
      position[q] = kFull || i < valid ? __ldcs(&in[i]) : 0;
    }
#pragma unroll
    for (int q = 0; q < POSITION_BATCH; q++)
      shared.tile[place[(first + q) / 2] >> (first + q) % 2 * 16 & 0xffffu] = position[q];
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % WRITE_BATCH == 0) keep_order();
    const unsigned int i = threadIdx.x + u * kThreads;
    const unsigned int digit = bin[u / 4] >> u % 4 * 8 & (BINS - 1);
    if (kFull || i < valid) out[shared.bin_shift[digit] + i] = shared.tile[i];
  }
}

// One tile from load to write. kFull: all its places hold elements of the input.
template <int kThreads, int kItems, bool kPairs, bool kFull>
static __device__ __forceinline__ void sweep_tile(SweepShared<kThreads, kItems> &shared, Pairs in,
                                                  Pairs out, unsigned int valid, int pass,
                                                  unsigned int tile, unsigned int *words,
                                                  const unsigned int *start) {
  static_assert(kThreads >= BINS && kItems % 8 == 0 && kThreads * kItems <= 65536, "tile shape");
  const unsigned int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
  const unsigned int first_item = warp * WARP_SIZE * kItems + lane;  // the thread's next is 32 on
  const unsigned int rotation = rotation_of(pass);

  // What lies beyond the end is padded with the largest key: it is ranked last and not written.
  unsigned int key[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first_item + u * WARP_SIZE;
    key[u] = kFull || i < valid ? __ldcs(&in.keys[i]) : 0xffffffffu;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(&at_offset(shared.warp_bin[warp], bin_offset(key[u], rotation)), 1u);
  __syncthreads();

  unsigned int first = 0;
  const unsigned int count =
      scan_bins<kThreads / WARP_SIZE>(shared.warp_bin, shared.warp_sums, &first);
  unsigned int *const word = &words[(size_t)tile * BINS + threadIdx.x];
  if (threadIdx.x < BINS)
    look_back_publish(word, count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  __syncthreads();

  unsigned int place[kPairs ? kItems / 2 : 1], bin[kPairs ? kItems / 4 : 1];
  rank_keys<kThreads, kItems, kPairs>(shared, key, forget(rotation), place);

  if (threadIdx.x < BINS) {
    const unsigned int before = look_back_sum(words + threadIdx.x, BINS, tile);
    if (tile > 0) look_back_publish(word, (before + count) | LOOK_BACK_INCLUSIVE);
    shared.bin_shift[threadIdx.x] = start[threadIdx.x] + before - first;
  }
  __syncthreads();
  write_keys<kThreads, kItems, kPairs, kFull>(shared, out.keys, valid, forget(rotation), bin);
  if constexpr (kPairs)
    move_positions<kThreads, kItems, kFull>(shared, in.positions, out.positions, valid, place, bin);
}

template <int kThreads, int kItems, bool kPairs, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    one_sweep(Pairs in, Pairs out, unsigned int n, int pass, SweepState state, unsigned int tiles) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SweepShared<kThreads, kItems> &shared = *(SweepShared<kThreads, kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(&state.tile_counter[pass], 1u);
  for (unsigned int bin = threadIdx.x % WARP_SIZE; bin < BINS; bin += WARP_SIZE)
    shared.warp_bin[threadIdx.x / WARP_SIZE][bin] = 0;
  __syncthreads();
  const unsigned int tile = shared.tile_number, begin = tile * kTile;
  unsigned int *const words = state.look_back + (size_t)pass * tiles * BINS;
  const unsigned int *const start = state.start + pass * BINS;
  in.keys += begin;
  if (kPairs) in.positions += begin;
  if (n - begin >= kTile)
    sweep_tile<kThreads, kItems, kPairs, true>(shared, in, out, kTile, pass, tile, words, start);
  else
    sweep_tile<kThreads, kItems, kPairs, false>(shared, in, out, n - begin, pass, tile, words,
                                                start);
}

#endif
