// The first pass: a block per tile sorts it in shared memory. Each thread sorts
// a few neighbours in registers, then runs are merged in pairs until one is
// left.
#ifndef MERGE_V2_SORT_TILES_CUH
#define MERGE_V2_SORT_TILES_CUH

#include "common/launch.cuh"
#include "merge_v2/merge_path.cuh"

// Sorts the thread's own ITEMS elements of a tile, of which `own` > 0 exist.
// Missing ones are replaced by copies of the greatest, which are sorted behind
// it.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void sort_neighbours(KeyArrays tile, unsigned int own) {
  const KeyArrays at = elements_at<PAIRS>(tile, threadIdx.x * ITEMS);
  Key key[ITEMS], greatest = at.keys[0];
  unsigned int position[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    key[i] = at.keys[i];
    if (PAIRS) position[i] = at.positions[i];
  }
  if (own < ITEMS)
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
      if (i >= (int)own) key[i] = greatest;
      if (less(greatest, key[i])) greatest = key[i];
    }
  if (PAIRS)
    sort_pairs<ITEMS>(key, position);
  else
    sort_network<ITEMS>(key);
#pragma unroll
  for (int i = 0; i < ITEMS; i++) {
    at.keys[i] = key[i];
    if (PAIRS) at.positions[i] = position[i];
  }
}

// Sorts the `count` elements of a tile in shared memory, which has room for
// TileSize<THREADS, ITEMS>::ALL. cuts: a value for each thread. All threads call
// it after a barrier; another one must follow.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void sort_tile(KeyArrays tile, unsigned int count,
                                                 unsigned int *cuts) {
  const unsigned int begin = threadIdx.x * ITEMS;
  if (begin < count)
    sort_neighbours<ITEMS, PAIRS>(tile, count - begin < ITEMS ? count - begin : ITEMS);
  // Runs of `threads` threads each.
  for (unsigned int threads = 1; threads * ITEMS < count; threads *= 2) {
    const unsigned int width = threads * ITEMS;
    const unsigned int first = threadIdx.x / (2 * threads) * 2 * width;  // of the pair of runs
    const unsigned int left = count > first ? count - first : 0;
    const unsigned int both = left < 2 * width ? left : 2 * width;
    const Run a = {first, both < width ? both : width};
    const Run b = {first + a.length, both - a.length};
    merge_round<ITEMS, PAIRS>(tile, cuts, a, b, begin - first, 2 * threads <= 32);
  }
}

// Block b sorts elements b * tile_size to (b + 1) * tile_size - 1 of n; `to` may be `from`.
// tile_size <= THREADS * ITEMS and a multiple of ITEMS.
template <int THREADS, int ITEMS, bool PAIRS>
static __global__ void __launch_bounds__(THREADS, resident_blocks(THREADS, ITEMS, PAIRS))
    sort_tiles(KeyArrays from, KeyArrays to, size_t n, unsigned int tile_size) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ unsigned int cuts[THREADS];
  wait_for_previous_kernel();
  const size_t base = (size_t)blockIdx.x * tile_size;
  const unsigned int count = (unsigned int)(n - base < tile_size ? n - base : tile_size);
  const KeyArrays tile = tile_in(shared, TileSize<THREADS, ITEMS>::ALL);
  unsigned int i = threadIdx.x;
  start_copies<THREADS, PAIRS>(tile, elements_at<PAIRS>(from, base), &i, count);
  clear_rest<THREADS, ITEMS, PAIRS>(tile, count);
  wait_for_copies();
  __syncthreads();
  sort_tile<ITEMS, PAIRS>(tile, count, cuts);
  __syncthreads();
  write_tile<THREADS, ITEMS, PAIRS>(elements_at<PAIRS>(to, base), tile, count);
}

#endif
