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

static const unsigned int NO_DIGIT = UINT_MAX;  // of a thread behind the last element

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
