// One pass of radix_v6: a single launch that reads every element once and writes it once.
//
// A tile of keys stays on the chip from its load to its scatter (Adinets and Merrill, "Onesweep: A
// Faster Least Significant Digit Radix Sort for GPUs", 2022). The phases of a block:
//
//   load       the tile's keys into registers, kItems per thread
//   count      a histogram per warp in shared memory, by atomics; the tile's counts are published
//   rank       eight ballots find the lanes with the same digit (rank.cuh); keys go into shared
//              memory in order of their digits
//   look back  for the counts of all tiles before this one (gsort/block/look_back.cuh)
//   scatter    runs of equal digits to the output, neighbouring threads to neighbouring addresses
#ifndef RADIX_V6_ONE_SWEEP_CUH
#define RADIX_V6_ONE_SWEEP_CUH

#include "gsort/block/look_back.cuh"
#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "radix_v6/rank.cuh"

// One pass: its digit, and its part of a SweepState.
typedef struct SweepPass {
  unsigned int byte;             // which byte of the key is the digit, 0 the lowest
  bool unordered;                // the order of equal digits is free
  const unsigned int *spread;    // a DigitSpread
  const unsigned int *start;     // [BINS] index in the output where each bin's run starts
  unsigned int *tile_counter;    // 0 before the launch; numbers the tiles in the order they start
  unsigned int *look_back;       // [tiles][BINS] words of look_back.cuh, 0 before the launch
  unsigned int *next_look_back;  // of the next pass, which this one clears; NULL: there is none
  unsigned int ahead;  // bare keys: each block has tile number (its own + ahead) brought into
                       // the L2 cache; 0: no block does
} SweepPass;

// Shared memory of a block.
template <int kItems>
struct SweepShared {
  unsigned int warp_bin[SWEEP_WARPS][BINS];  // counts; then byte offsets of slots (scan_warps)
  unsigned int bin_shift[BINS];              // index in the output minus index in the tile
  unsigned int warp_sums[SWEEP_WARPS];
  unsigned int tile_number;
  unsigned int tile[SWEEP_THREADS * kItems];  // keys in order of their digits; then positions
};

// Writes the keys of the tile: index i goes to i plus its bin's shift. A thread's indices are
// SWEEP_THREADS apart, so that a warp writes runs of neighbours. bins[] receives the digits for
// scatter_positions(), four in each element.
template <int kItems, bool kPairs>
static __device__ __forceinline__ void scatter_keys(SweepShared<kItems> &shared, unsigned int *out,
                                                    unsigned int valid, unsigned int byte,
                                                    unsigned int *bins) {
  const bool full = valid == SWEEP_THREADS * kItems;
  if (!kPairs && !full) {  // separate, so that a full tile of keys needs no test per key
    for (unsigned int i = threadIdx.x; i < valid; i += SWEEP_THREADS)
      out[*at_offset(shared.bin_shift, byte_of(shared.tile[i], byte) * 4) + i] = shared.tile[i];
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % SCATTER_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS, key = shared.tile[i];
    if (!kPairs || full || i < valid)
      out[*at_offset(shared.bin_shift, byte_of(key, byte) * 4) + i] = key;
    if (kPairs) bins[u / 4] = opaque(with_byte(u % 4 == 0 ? 0 : bins[u / 4], u % 4, key, byte));
  }
}

// Writes the positions, which have replaced the keys in the tile.
template <int kItems>
static __device__ __forceinline__ void scatter_positions(SweepShared<kItems> &shared,
                                                         unsigned int *out, unsigned int valid,
                                                         const unsigned int *bins) {
  const bool full = valid == SWEEP_THREADS * kItems;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % SCATTER_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * SWEEP_THREADS;
    const unsigned int to = *at_offset(shared.bin_shift, byte_of(bins[u / 4], u % 4) * 4) + i;
    if (full || i < valid) out[to] = shared.tile[i];
  }
}

// A pass over a digit that all keys share: it copies. All loads come before the first store, so
// that they overlap; the compiler cannot move loads ahead of stores that might alias.
template <int kItems>
static __device__ __forceinline__ void copy_tile(const unsigned int *in, unsigned int *out,
                                                 unsigned int valid) {
  unsigned int item[kItems];
  load(in, valid, item);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first_item<kItems>() + u * WARP_SIZE;
    if (i < valid) out[i] = item[u];
  }
}

template <int kItems, bool kPairs, int kBlocksPerSm>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    one_sweep(Pairs in, Pairs out, unsigned int n, SweepPass pass) {
  static_assert(kItems % RANK_BATCH == 0, "whole batches");
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
  if (pass.next_look_back != NULL) pass.next_look_back[(size_t)tile * BINS + threadIdx.x] = 0;
  if (spread == DIGIT_CONSTANT) {
    copy_tile<kItems>(in.keys + begin, out.keys + begin, valid);
    if (kPairs) copy_tile<kItems>(in.positions + begin, out.positions + begin, valid);
    return;
  }

  const size_t next = (size_t)begin + (size_t)pass.ahead * kTile;
  if (!kPairs && pass.ahead > 0 && threadIdx.x == 0 && next + kTile <= n)
    prefetch_to_l2(in.keys + next, kTile * sizeof(unsigned int));

  // Load and count.
  unsigned int item[kItems];
  load<kItems>(in.keys + begin, valid, item);
  count_in_warp(shared.warp_bin, item, pass.byte);
  __syncthreads();

  // Published before the scan: later tiles may be waiting for it.
  unsigned int counts[SWEEP_WARPS];
  const unsigned int count = count_bin(shared.warp_bin, counts);
  unsigned int *const word = &pass.look_back[(size_t)tile * BINS + threadIdx.x];
  look_back_publish(word, count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  const unsigned int first = block_inclusive_scan_one_barrier(count, shared.warp_sums) - count;
  scan_warps(shared.warp_bin, counts, first);
  __syncthreads();

  // Rank.
  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int places[kPairs ? kItems / 2 : 1];
  // By atomics only in full tiles: padding must stay behind the keys of its digit.
  if (!kPairs && pass.unordered && spread == DIGIT_EVEN && valid == kTile)
    rank_by_atomics<kItems>(last, shared.tile, item, opaque(pass.byte));
  else
    rank_by_ballots<kItems, kPairs, kPairs>(last, shared.tile, item, in.positions + begin, valid,
                                            opaque(pass.byte), places);

  // Look back.
  const unsigned int before = look_back_sum(pass.look_back + threadIdx.x, BINS, tile);
  if (tile > 0) look_back_publish(word, (before + count) | LOOK_BACK_INCLUSIVE);
  shared.bin_shift[threadIdx.x] = pass.start[threadIdx.x] + before - first;
  __syncthreads();

  // Scatter.
  unsigned int bins[kPairs ? kItems / 4 : 1];
  scatter_keys<kItems, kPairs>(shared, out.keys, valid, opaque(pass.byte), bins);
  if constexpr (kPairs) {
    __syncthreads();
    exchange_positions<kItems>(shared.tile, item, places);
    __syncthreads();
    scatter_positions<kItems>(shared, out.positions, valid, bins);
  }
}

#endif
