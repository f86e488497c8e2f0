// Sorts a tile by digit inside its block, one bit at a time, and finds the run of each bin: shared
// by radix_v4 and radix_level2.
#ifndef COMMON_ONE_BIT_SPLIT_CUH
#define COMMON_ONE_BIT_SPLIT_CUH

#include <cuda_runtime.h>

#include "gsort/block/scan.cuh"

// Stable split by one bit: returns the new index of the calling thread's element when all zeros
// come before all ones. Splitting by each bit of a digit, the lowest first, sorts a tile by that
// digit.
//   bit    [1 0 1 1 0]
//   scan   [1 1 2 3 3]   inclusive: 3 ones, so 2 zeros
//   place  [2 0 3 4 1]   a zero: zeros before it; a one: all zeros + ones before it
// All threads of the block call it, each with its element in registers; `scan` is shared memory of
// blockDim.x elements, warp_sums of MAX_WARPS. After the last barrier inside, no thread reads
// shared memory that holds elements: they may be moved at once, in place. The caller's next barrier
// must follow the moves.
static __device__ __forceinline__ unsigned int split_place(unsigned int bit, unsigned int *scan,
                                                           unsigned int *warp_sums) {
  scan[threadIdx.x] = block_inclusive_scan(bit, warp_sums);
  __syncthreads();
  const unsigned int ones_before = scan[threadIdx.x] - bit;
  const unsigned int zeros = blockDim.x - scan[blockDim.x - 1];
  return bit == 0 ? threadIdx.x - ones_before : zeros + ones_before;
}

// The start of each bin's run in a sorted tile: tile_start[b] = counts[0] + .. + counts[b - 1],
// where counts[b] stands for counts[b * stride], in device memory. tile_start is shared memory of
// bins + 1 elements, the last of which is the sum.
//   counts [2 1 0 1]  ->  tile_start [0 2 3 3 4]
// All threads of the block call it; tile_start may be read when it returns.
static __device__ __forceinline__ void scan_bins(const unsigned int *counts, size_t stride,
                                                 unsigned int bins, unsigned int *tile_start,
                                                 unsigned int *warp_sums) {
  if (threadIdx.x == 0) tile_start[0] = 0;
  // In several steps, because a block may have fewer threads than there are bins.
  for (unsigned int first = 0; first < bins; first += blockDim.x) {
    __syncthreads();
    const unsigned int bin = first + threadIdx.x;
    const unsigned int count = bin < bins ? counts[bin * stride] : 0;
    const unsigned int scanned = block_inclusive_scan(count, warp_sums);
    if (bin < bins) tile_start[bin + 1] = tile_start[first] + scanned;
  }
  __syncthreads();
}

#endif
