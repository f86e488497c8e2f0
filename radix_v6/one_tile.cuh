// Small n: one block sorts a single tile in one launch, all passes in shared memory.
#ifndef RADIX_V6_ONE_TILE_CUH
#define RADIX_V6_ONE_TILE_CUH

#include "common/check.h"
#include "radix_v6/one_sweep.cuh"

// Sorts n <= SWEEP_THREADS * kItems elements; one block. The phases are those of one_sweep(), four
// times, with elements in registers between passes.
template <int kItems, bool kPairs>
static __global__ void __launch_bounds__(SWEEP_THREADS)
    sort_one_tile(Pairs in, Pairs out, unsigned int n) {
  __shared__ SweepShared<kItems> shared;
  unsigned int *const last = shared.warp_bin[threadIdx.x / WARP_SIZE];
  const unsigned int first = first_item<kItems>();
  unsigned int key[kItems], position[kItems];
  load<kItems>(in.keys, n, key);
  if (kPairs) load<kItems>(in.positions, n, position);
  for (unsigned int pass = 0; pass < PASSES; pass++) {
    clear_bins(shared.warp_bin);
    __syncwarp();
    count_in_warp(shared.warp_bin, key, pass);
    __syncthreads();
    unsigned int counts[SWEEP_WARPS], places[kItems / 2];
    const unsigned int count = count_bin(shared.warp_bin, counts);
    scan_warps(shared.warp_bin, counts,
               block_inclusive_scan_one_barrier(count, shared.warp_sums) - count);
    __syncthreads();
    rank_by_ballots<kItems, kPairs, false>(last, shared.tile, key, NULL, n, pass, places);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = shared.tile[first + u * WARP_SIZE];
    if constexpr (kPairs) {
      __syncthreads();
      exchange_positions<kItems>(shared.tile, position, places);
      __syncthreads();
#pragma unroll
      for (int u = 0; u < kItems; u++) position[u] = shared.tile[first + u * WARP_SIZE];
    }
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = first + u * WARP_SIZE;
    if (i >= n) break;
    out.keys[i] = key[u];
    if (kPairs) out.positions[i] = position[u];
  }
}

enum { ONE_TILE_ITEMS_FEW = 4, ONE_TILE_ITEMS = 16, ONE_TILE_MAX = SWEEP_THREADS * ONE_TILE_ITEMS };

// Sorts n <= ONE_TILE_MAX elements.
static void sort_in_one_tile(Pairs in, Pairs out, unsigned int n) {
  const bool few = n <= SWEEP_THREADS * ONE_TILE_ITEMS_FEW;
  if (in.positions == NULL) {
    if (few)
      sort_one_tile<ONE_TILE_ITEMS_FEW, false><<<1, SWEEP_THREADS>>>(in, out, n);
    else
      sort_one_tile<ONE_TILE_ITEMS, false><<<1, SWEEP_THREADS>>>(in, out, n);
  } else {
    if (few)
      sort_one_tile<ONE_TILE_ITEMS_FEW, true><<<1, SWEEP_THREADS>>>(in, out, n);
    else
      sort_one_tile<ONE_TILE_ITEMS, true><<<1, SWEEP_THREADS>>>(in, out, n);
  }
  LAUNCH_CHECK();
}

#endif
