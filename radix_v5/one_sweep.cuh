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
  SWEEP_THREADS = BINS,  // of a block: one for each bin
  SWEEP_WARPS = SWEEP_THREADS / WARP_SIZE,
  RANK_BATCH = 4,   // keys of a thread that are ranked at a time
  WRITE_BATCH = 4,  // elements of a thread that are on their way to memory at a time
};

// One pass: which digit, and its part of the memory between the launches.
typedef struct SweepPass {
  unsigned int byte;           // of the key that is the digit
  const unsigned int *spread;  // of the digit, a DigitSpread
  const unsigned int *start;   // [BINS] where the run of each bin starts in the output
  unsigned int *tile_counter;  // deals out tile numbers, from 0
  unsigned int *look_back;     // [tiles][BINS] words of look_back.cuh, cleared
} SweepPass;

// Shared memory of a pass.
template <int kItems>
struct SweepShared {
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // counts; then 4 x the warp's last place, see below
  unsigned int bin_shift[BINS];              // from a place in the tile to a place in the output
  unsigned int warp_sums[MAX_WARPS];
  unsigned int tile_number;
  unsigned int tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then positions
};

// What costs time here is the pipe that does logic, shifts and ballots: it takes a warp's
// instruction every second cycle only. The multiply-add pipe beside it idles. So addresses are made
// by multiply-add, and the digit, a byte of the key, by one byte permutation.
static __device__ __forceinline__ unsigned int byte_of(unsigned int key, unsigned int byte) {
  return __byte_perm(key, 0, 0x4440u | byte);  // the three bytes above it come from the 0
}

// `word` with its byte `to` replaced by byte `from` of `source`.
static __device__ __forceinline__ unsigned int with_byte(unsigned int word, unsigned int to,
                                                         unsigned int source, unsigned int from) {
  return __byte_perm(word, source, (0x3210u & ~(0xfu << to * 4)) | (4u | from) << to * 4);
}

// The word `bytes` behind the first.
static __device__ __forceinline__ unsigned int *at_offset(unsigned int *words, unsigned int bytes) {
  return (unsigned int *)((char *)words + bytes);
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

// The lanes that agree with mine in one bit of `digit`.
static __device__ __forceinline__ unsigned int lanes_with_bit(unsigned int digit,
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
      : "r"(digit), "r"(bit));
  return lanes;
#else
  const unsigned int votes = __ballot_sync(0xffffffffu, (digit & bit) != 0);
  return (digit & bit) != 0 ? votes : ~votes;
#endif
}

// a & b & c in one instruction, which the compiler does not always find.
static __device__ __forceinline__ unsigned int and3(unsigned int a, unsigned int b,
                                                    unsigned int c) {
#ifdef __CUDA_ARCH__
  asm("lop3.b32 %0, %0, %1, %2, 0x80;" : "+r"(a) : "r"(b), "r"(c));
  return a;
#else
  return a & b & c;
#endif
}

// The lanes whose digit equals mine. On Hopper eight ballots are faster than __match_any_sync; on
// the cpu backend it is the other way round.
static __device__ __forceinline__ unsigned int lanes_with_digit(unsigned int digit) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, digit);
#else
  unsigned int lanes[DIGIT_BITS];
#pragma unroll
  for (int bit = 0; bit < DIGIT_BITS; bit++) lanes[bit] = lanes_with_bit(digit, 1u << bit);
  return and3(and3(lanes[0], lanes[1], lanes[2]), and3(lanes[3], lanes[4], lanes[5]),
              lanes[6] & lanes[7]);
#endif
}

// The same number, but the compiler no longer knows that. Digits are taken from the keys three
// times; with a known byte it would take them once and keep them in registers that are needed for
// keys. And a multiplication by a 4 that it does not know stays one.
static __device__ __forceinline__ unsigned int forget(unsigned int value) {
  asm volatile("" : "+r"(value));
  return value;
}

// Keeps the compiler from moving memory accesses past this point. Left alone it would begin all
// loads of an unrolled loop before the first use, and run out of registers.
static __device__ __forceinline__ void keep_order(void) { asm volatile("" ::: "memory"); }

// Where the elements of the calling thread stand in a tile: those of a warp are neighbours, those
// of a lane WARP_SIZE apart, so that loads are coalesced and their order is that of the lanes.
template <int kItems>
static __device__ __forceinline__ unsigned int first_item(void) {
  return threadIdx.x / WARP_SIZE * WARP_SIZE * kItems + threadIdx.x % WARP_SIZE;
}

// The thread's keys. What lies beyond the end is padded with the largest key: it is ranked last and
// not written.
template <int kItems>
static __device__ __forceinline__ void load_keys(const unsigned int *in, unsigned int valid,
                                                 unsigned int (&key)[kItems]) {
  const unsigned int first = first_item<kItems>();
  in += first;  // what is added to it below is known to the compiler: one instruction per load
  if (valid == SWEEP_THREADS * kItems) {
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = __ldcs(&in[u * WARP_SIZE]);
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      key[u] = first + u * WARP_SIZE < valid ? __ldcs(&in[u * WARP_SIZE]) : 0xffffffffu;
  }
}

// Clears the bins of the calling thread's warp.
static __device__ __forceinline__ void clear_bins(unsigned int (*warp_bin)[BINS]) {
#pragma unroll
  for (int i = 0; i < BINS; i += WARP_SIZE)
    warp_bin[threadIdx.x / WARP_SIZE][threadIdx.x % WARP_SIZE + i] = 0;
}

// Counts the thread's keys in the bins of its warp.
template <int kItems>
static __device__ __forceinline__ void count_keys(unsigned int (*warp_bin)[BINS],
                                                  const unsigned int (&key)[kItems],
                                                  unsigned int byte) {
  const unsigned int four = forget(4);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(at_offset(warp_bin[threadIdx.x / WARP_SIZE], byte_of(key[u], byte) * four), 1u);
}

// A thread per bin: what the warps of the tile hold of it, and their sum.
static __device__ __forceinline__ unsigned int sum_bin(const unsigned int (*warp_bin)[BINS],
                                                       unsigned int (&counts)[SWEEP_WARPS]) {
  unsigned int sum = 0;
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    counts[warp] = warp_bin[warp][threadIdx.x];
    sum += counts[warp];
  }
  return sum;
}

// Turns the warps' counts of a bin that starts at `place` in the tile into places: of the last key
// that the warps before have put there, which is one less than where the warp's first key goes, and
// in bytes, as they are used for addresses.
static __device__ __forceinline__ void place_bin(unsigned int (*warp_bin)[BINS],
                                                 const unsigned int (&counts)[SWEEP_WARPS],
                                                 unsigned int place) {
  unsigned int last = (place - 1) * 4;  // "-4" before the very first: it is only added to
#pragma unroll
  for (int warp = 0; warp < SWEEP_WARPS; warp++) {
    warp_bin[warp][threadIdx.x] = last;
    last += counts[warp] * 4;
  }
}

// Ranks the keys of a warp and puts them into the tile: four at a time, so that the ballots of one
// overlap with the shared memory accesses of another. places[] keeps where, in bytes, two of 16
// bits a word. Of pairs, the register of a key that is done takes its position, which arrives while
// the rest is ranked.
template <int kItems, bool kPairs, bool kFetch>
static __device__ __forceinline__ void rank_keys(SweepShared<kItems> &shared,
                                                 unsigned int (&item)[kItems],
                                                 const unsigned int *positions, unsigned int valid,
                                                 unsigned int byte, unsigned int *places) {
  const unsigned int first_place = first_item<kItems>();
  const bool full = valid == SWEEP_THREADS * kItems;
  positions += first_place;
  const unsigned int lane = threadIdx.x % WARP_SIZE, four = forget(4);
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    keep_order();
    unsigned int digit[RANK_BATCH], lanes[RANK_BATCH], place[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      digit[q] = byte_of(item[first + q], byte);
      lanes[q] = lanes_with_digit(digit[q]);
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      unsigned int *const bin = at_offset(last, digit[q] * four);
      place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * four + *bin;
      __syncwarp();
      // The last lane with this digit has counted them all.
      store_shared_if_zero(lanes[q] & above, bin, place[q]);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) {
      *at_offset(shared.tile, place[q]) = item[first + q];
      const int i = (first + q) * WARP_SIZE;
      if (kFetch && (full || first_place + i < valid)) item[first + q] = __ldcs(&positions[i]);
      if (kPairs && q % 2 == 1) places[(first + q) / 2] = forget(place[q - 1] | place[q] << 16);
    }
  }
}

// The same for a pass that need not keep the order of equal digits, which is the first pass over
// bare keys: nobody can tell one order from another. Shared atomics then give the places, with a
// quarter of the instructions; but keys of one digit queue up for their counter, so digits have to
// be even.
template <int kItems>
static __device__ __forceinline__ void rank_keys_unordered(SweepShared<kItems> &shared,
                                                           const unsigned int (&key)[kItems],
                                                           unsigned int byte) {
  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
#pragma unroll
  for (int first = 0; first < kItems; first += RANK_BATCH) {
    unsigned int place[RANK_BATCH];
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++)
      place[q] = atomicAdd(at_offset(last, byte_of(key[first + q], byte) * 4), 4u) + 4;
#pragma unroll
    for (int q = 0; q < RANK_BATCH; q++) *at_offset(shared.tile, place[q]) = key[first + q];
  }
}

// Puts the positions where their keys went.
template <int kItems>
static __device__ __forceinline__ void place_positions(SweepShared<kItems> &shared,
                                                       const unsigned int (&position)[kItems],
                                                       const unsigned int *places) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    *at_offset(shared.tile, places[u / 2] >> u % 2 * 16 & 0xffffu) = position[u];
}

// Writes the keys: place i of the tile goes to i plus its bin's shift. A thread's places are
// SWEEP_THREADS apart, so that a warp writes runs of neighbours. bins[] keeps the digits for the
// positions, four to a word.
template <int kItems, bool kPairs>
static __device__ __forceinline__ void write_keys(SweepShared<kItems> &shared, unsigned int *out,
                                                  unsigned int valid, unsigned int byte,
                                                  unsigned int *bins) {
  const bool full = valid == SWEEP_THREADS * kItems;
  if (!kPairs && !full) {  // apart, so that a full tile of keys needs no test per key
    for (unsigned int i = threadIdx.x; i < valid; i += SWEEP_THREADS)
      out[*at_offset(shared.bin_shift, byte_of(shared.tile[i], byte) * 4) + i] = shared.tile[i];
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % WRITE_BATCH == 0) keep_order();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS, key = shared.tile[i];
    if (!kPairs || full || i < valid)
      out[*at_offset(shared.bin_shift, byte_of(key, byte) * 4) + i] = key;
    if (kPairs) bins[u / 4] = forget(with_byte(u % 4 == 0 ? 0 : bins[u / 4], u % 4, key, byte));
  }
}

// Writes the positions, which have taken the places of the keys.
template <int kItems>
static __device__ __forceinline__ void write_positions(SweepShared<kItems> &shared,
                                                       unsigned int *out, unsigned int valid,
                                                       const unsigned int *bins) {
  const bool full = valid == SWEEP_THREADS * kItems;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % WRITE_BATCH == 0) keep_order();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    const unsigned int to = *at_offset(shared.bin_shift, byte_of(bins[u / 4], u % 4) * 4) + i;
    if (full || i < valid) out[to] = shared.tile[i];
  }
}

// What a pass over a digit that all keys share does to an array: it hands the elements on. All
// loads come before the first store, which might otherwise have changed what they read.
template <int kItems>
static __device__ __forceinline__ void copy_tile(const unsigned int *in, unsigned int *out,
                                                 unsigned int valid) {
  unsigned int item[kItems];
  load_keys<kItems>(in, valid, item);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first_item<kItems>() + u * WARP_SIZE;
    if (i < valid) out[i] = item[u];
  }
}

template <int kItems, bool kPairs, int kBlocksPerSm>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    one_sweep(Pairs in, Pairs out, unsigned int n, SweepPass pass) {
  static_assert(kItems % RANK_BATCH == 0, "tile shape");
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SweepShared<kItems> &shared = *(SweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(pass.tile_counter, 1u);
  clear_bins(shared.warp_bin);
  const unsigned int spread = *pass.spread;
  __syncthreads();
  const unsigned int tile = shared.tile_number, begin = tile * kTile;
  const unsigned int valid = n - begin < kTile ? n - begin : kTile;
  if (spread == DIGIT_CONSTANT) {
    copy_tile<kItems>(in.keys + begin, out.keys + begin, valid);
    if (kPairs) copy_tile<kItems>(in.positions + begin, out.positions + begin, valid);
    return;
  }

  unsigned int item[kItems];
  load_keys<kItems>(in.keys + begin, valid, item);
  count_keys(shared.warp_bin, item, pass.byte);
  __syncthreads();

  // Published at once, before the scan: later tiles may be waiting for it.
  unsigned int counts[SWEEP_WARPS];
  const unsigned int count = sum_bin(shared.warp_bin, counts);
  unsigned int *const word = &pass.look_back[(size_t)tile * BINS + threadIdx.x];
  look_back_publish(word, count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  const unsigned int first = block_inclusive_scan(count, shared.warp_sums) - count;
  place_bin(shared.warp_bin, counts, first);
  __syncthreads();

  unsigned int places[kPairs ? kItems / 2 : 1];
  // (Padding, too, has to stay behind the keys of its digit: hence only full tiles.)
  if (!kPairs && pass.byte == 0 && spread == DIGIT_EVEN && valid == kTile)
    rank_keys_unordered<kItems>(shared, item, forget(pass.byte));
  else
    rank_keys<kItems, kPairs, kPairs>(shared, item, in.positions + begin, valid, forget(pass.byte),
                                      places);
  const unsigned int before = look_back_sum(pass.look_back + threadIdx.x, BINS, tile);
  if (tile > 0) look_back_publish(word, (before + count) | LOOK_BACK_INCLUSIVE);
  shared.bin_shift[threadIdx.x] = pass.start[threadIdx.x] + before - first;
  __syncthreads();
  unsigned int bins[kPairs ? kItems / 4 : 1];
  write_keys<kItems, kPairs>(shared, out.keys, valid, forget(pass.byte), bins);
  if constexpr (kPairs) {
    __syncthreads();
    place_positions<kItems>(shared, item, places);
    __syncthreads();
    write_positions<kItems>(shared, out.positions, valid, bins);
  }
}

#endif
