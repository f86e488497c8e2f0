// One pass of radix_v6: a single launch that reads every key once and writes it once.
//
// A tile of keys stays on the chip from its histogram to its scatter (Adinets and Merrill,
// "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022):
//
//   load     keys into registers, kItems a thread
//   count    a histogram per warp in shared memory, by atomics
//   publish  the tile's count of every digit, for the tiles behind (look_back.cuh)
//   rank     eight ballots tell a lane which lanes hold the same digit (rank.cuh)
//   collect  keys into shared memory, in order of their digits
//   look back  for what the tiles before hold of every digit
//   write    runs of equal digits, so that neighbouring threads write to neighbouring addresses
#ifndef RADIX_V6_ONE_SWEEP_CUH
#define RADIX_V6_ONE_SWEEP_CUH

#include "common/look_back.cuh"
#include "common/overlap.cuh"
#include "common/pairs.cuh"
#include "radix_v6/rank.cuh"

// One pass: which digit, and its part of the memory between the launches.
typedef struct SweepPass {
  unsigned int byte;           // of the key that is the digit
  bool unordered;              // the order of equal digits is free
  const unsigned int *spread;  // of the digit, a DigitSpread
  const unsigned int *start;   // [BINS] where the run of each bin starts in the output
  unsigned int *tile_counter;  // deals out tile numbers, from 0
  unsigned int *look_back;     // [tiles][BINS] words of look_back.cuh, cleared
} SweepPass;

// Shared memory of a pass.
template <int kItems>
struct SweepShared {
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // counts; then 4 x the warp's last place: rank.cuh
  unsigned int bin_shift[BINS];              // from a place in the tile to a place in the output
  unsigned int warp_sums[SWEEP_WARPS];
  unsigned int tile_number;
  unsigned int tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then positions
};

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
  if (spread == DIGIT_UNUSED) return;
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
  const unsigned int first = block_inclusive_scan_one_barrier(count, shared.warp_sums) - count;
  place_bin(shared.warp_bin, counts, first);
  __syncthreads();

  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int places[kPairs ? kItems / 2 : 1];
  // (Padding, too, has to stay behind the keys of its digit: hence only full tiles.)
  if (!kPairs && pass.unordered && spread == DIGIT_EVEN && valid == kTile)
    rank_keys_unordered<kItems>(last, shared.tile, item, forget(pass.byte));
  else
    rank_keys<kItems, kPairs, kPairs>(last, shared.tile, item, in.positions + begin, valid,
                                      forget(pass.byte), places);
  const unsigned int before = look_back_sum(pass.look_back + threadIdx.x, BINS, tile);
  if (tile > 0) look_back_publish(word, (before + count) | LOOK_BACK_INCLUSIVE);
  shared.bin_shift[threadIdx.x] = pass.start[threadIdx.x] + before - first;
  __syncthreads();
  unsigned int bins[kPairs ? kItems / 4 : 1];
  write_keys<kItems, kPairs>(shared, out.keys, valid, forget(pass.byte), bins);
  if constexpr (kPairs) {
    __syncthreads();
    place_positions<kItems>(shared.tile, item, places);
    __syncthreads();
    write_positions<kItems>(shared, out.positions, valid, bins);
  }
}

#endif
