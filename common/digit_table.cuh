// The digits of a pass and the table that counts them tile by tile, shared by radix_v2 to radix_v4.
//
// The table has a row per bin and a column per block: hist[b * g + blk] says how often bin b occurs
// in the tile of block blk, of g blocks. Read row by row it lists the runs in the order in which
// they must lie in the output, so one exclusive scan over all of it gives where each run starts.
//
//   digit [0 1 3 0 | 2 3 1 0]       two tiles of four, four bins
//   hist  [2 1 | 1 1 | 0 1 | 1 1]
//   start [0 2 | 3 4 | 5 5 | 6 7]
#ifndef COMMON_DIGIT_TABLE_CUH
#define COMMON_DIGIT_TABLE_CUH

#include <cuda_runtime.h>
#include <limits.h>

#include "common/pairs.cuh"
#include "common/scratch.h"

static const unsigned int NO_DIGIT = UINT_MAX;  // of a thread behind the last element

// What a pass keeps in device memory between its kernels, for n elements in `tiles` tiles.
typedef struct DigitArrays {
  unsigned int *digit, *rank;  // n elements
  unsigned int *hist, *start;  // the table, and its exclusive scan with one element more
  unsigned int tiles;
  size_t table;  // elements of the table
} DigitArrays;

static inline DigitArrays digit_arrays_alloc(size_t n, unsigned int bins, int tile_size) {
  const unsigned int tiles = blocks_for(n, tile_size);
  const size_t table = (size_t)bins * tiles, bytes = sizeof(unsigned int);
  const DigitArrays arrays = {(unsigned int *)scratch_alloc(n * bytes),
                              (unsigned int *)scratch_alloc(n * bytes),
                              (unsigned int *)scratch_alloc(table * bytes),
                              (unsigned int *)scratch_alloc((table + 1) * bytes),
                              tiles,
                              table};
  return arrays;
}

static inline void digit_arrays_free(DigitArrays arrays) {
  scratch_free(arrays.start);
  scratch_free(arrays.hist);
  scratch_free(arrays.rank);
  scratch_free(arrays.digit);
}

static __global__ void take_digit(const unsigned int *keys, unsigned int *digit, size_t n,
                                  int shift, unsigned int mask) {
  const size_t i = global_index();
  if (i < n) digit[i] = keys[i] >> shift & mask;
}

// Counts the digits that the threads of the block hold and writes them to the block's column.
// All threads call it; tile_hist is shared memory of `bins` elements.
static __device__ __forceinline__ void count_tile(unsigned int digit, unsigned int *tile_hist,
                                                  unsigned int *hist, unsigned int bins) {
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x) tile_hist[bin] = 0;
  __syncthreads();
  if (digit != NO_DIGIT) atomicAdd(&tile_hist[digit], 1u);
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < bins; bin += blockDim.x)
    hist[(size_t)bin * gridDim.x + blockIdx.x] = tile_hist[bin];
}

// Moves every element to the start of its run plus its rank in the tile's run.
static __global__ void scatter(Pairs from, Pairs to, const unsigned int *digit,
                               const unsigned int *start, const unsigned int *rank, size_t n) {
  const size_t i = global_index();
  if (i >= n) return;
  move_pair(to, start[(size_t)digit[i] * gridDim.x + blockIdx.x] + rank[i], from, i);
}

#endif
