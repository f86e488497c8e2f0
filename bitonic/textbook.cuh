// The network in the form of the parallel sorting article, made right for arrays of any size.
//
// In stage i = 2, 4, 8, .. the array consists of runs of i elements that are sorted ascending and
// descending by turns: ascending where (index & i) == 0. Step j = i/2, i/4, .., 1 compares each
// element with the one at index ^ j. A thread has one element; of each pair the thread with the
// lower index compares, and the other one waits.
//
//   [5 2 6 1]   i 2, j 1: 5-2 up, 6-1 down  [2 5 6 1]
//               i 4, j 2: 2-6 up, 5-1 up    [2 1 6 5]     j 1: 2-1 up, 6-5 up  [1 2 5 6]
//
// The article runs all steps in one kernel with an array in shared memory, which is wrong with more
// than one block. Here a block runs the steps whose partners lie in its tile, and every other step
// is a separate kernel in device memory. Descending comparisons move the padding, so that it
// needs memory: the next power of two.
#ifndef BITONIC_TEXTBOOK_CUH
#define BITONIC_TEXTBOOK_CUH

#include "common/check.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"

// Exchanges two elements that are in the wrong order. Pairs with equal keys are ordered by their
// positions. So the padding, all bits set, comes after every other element.
template <bool PAIRS>
static __device__ __forceinline__ void textbook_exchange(Pairs pairs, size_t low, size_t high,
                                                         bool ascending) {
  const unsigned int a = pairs.keys[low], b = pairs.keys[high];
  const unsigned int p = PAIRS ? pairs.positions[low] : 0, q = PAIRS ? pairs.positions[high] : 0;
  const bool greater = a > b || (PAIRS && a == b && p > q), less = a < b || (a == b && p < q);
  if (!(ascending ? greater : less)) return;
  pairs.keys[low] = b;
  pairs.keys[high] = a;
  if (PAIRS) pairs.positions[low] = q;
  if (PAIRS) pairs.positions[high] = p;
}

// Stages `first` to `last` of a block's tile, as far as partners lie in it: one element per thread.
template <bool PAIRS>
static __global__ void textbook_tile(Pairs pairs, size_t first, size_t last) {
  extern __shared__ unsigned int shared[];  // blockDim.x keys, then positions
  const Pairs tile = {shared, shared + blockDim.x};
  const size_t index = global_index();
  const unsigned int own = threadIdx.x;
  tile.keys[own] = pairs.keys[index];
  if (PAIRS) tile.positions[own] = pairs.positions[index];
  __syncthreads();
  for (size_t i = first; i <= last; i *= 2) {
    for (unsigned int j = i / 2 < blockDim.x ? (unsigned int)(i / 2) : blockDim.x / 2; j > 0;
         j /= 2) {
      const unsigned int partner = own ^ j;
      if (partner > own) textbook_exchange<PAIRS>(tile, own, partner, (index & i) == 0);
      __syncthreads();
    }
  }
  pairs.keys[index] = tile.keys[own];
  if (PAIRS) pairs.positions[index] = tile.positions[own];
}

// Step j of stage i in device memory.
template <bool PAIRS>
static __global__ void textbook_step(Pairs pairs, size_t i, size_t j) {
  const size_t index = global_index(), partner = index ^ j;
  if (partner > index) textbook_exchange<PAIRS>(pairs, index, partner, (index & i) == 0);
}

// Sorts n > 0 elements. `threads`: threads per block, and elements of a tile; rounded down to a
// power of two.
template <bool PAIRS>
static void sort_by_textbook(Pairs input, Pairs output, size_t n, int threads) {
  size_t padded = 1, tile = 1;
  while (padded < n) padded *= 2;
  while (2 * tile <= (size_t)threads && 2 * tile <= padded) tile *= 2;
  const size_t bytes = padded * sizeof(unsigned int), missing = (padded - n) * sizeof(unsigned int);
  const Pairs work = {(unsigned int *)scratch_alloc(bytes),
                      PAIRS ? (unsigned int *)scratch_alloc(bytes) : NULL};
  const unsigned int blocks = blocks_for(padded, (int)tile);
  const size_t tile_bytes = (PAIRS ? 2 : 1) * tile * sizeof(unsigned int);

  stage_start("tiles");
  copy_pairs(work, input, n);
  CUDA_CHECK(cudaMemsetAsync(work.keys + n, 0xFF, missing, 0));
  if (PAIRS) CUDA_CHECK(cudaMemsetAsync(work.positions + n, 0xFF, missing, 0));
  textbook_tile<PAIRS><<<blocks, (unsigned int)tile, tile_bytes>>>(work, 2, tile);
  LAUNCH_CHECK();
  stage_stop();
  for (size_t i = 2 * tile; i <= padded; i *= 2) {
    stage_start("far");
    for (size_t j = i / 2; j >= tile; j /= 2) {
      textbook_step<PAIRS><<<blocks, (unsigned int)tile>>>(work, i, j);
      LAUNCH_CHECK();
    }
    stage_stop();
    stage_start("near");
    textbook_tile<PAIRS><<<blocks, (unsigned int)tile, tile_bytes>>>(work, i, i);
    LAUNCH_CHECK();
    stage_stop();
  }
  copy_pairs(output, work, n);
  if (PAIRS) scratch_free(work.positions);
  scratch_free(work.keys);
}

#endif
