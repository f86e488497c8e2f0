// Scan over the threads of a block.
#ifndef GSORT_BLOCK_SCAN_CUH
#define GSORT_BLOCK_SCAN_CUH

#include "gsort/warp/scan.cuh"

// Inclusive scan over the threads of a block; all of them call it. `warp_sums` is shared memory of
// MAX_WARPS elements, which may be used again after the next barrier.
//   value  [3 1 7 0 | 4 1]  ->  [3 4 11 11 | 15 16]
template <class Value>
static __device__ __forceinline__ Value block_inclusive_scan(Value value, Value *warp_sums) {
  const unsigned int warp = threadIdx.x / WARP_SIZE,
                     warps = (blockDim.x + WARP_SIZE - 1) / WARP_SIZE;
  const Value scanned = warp_inclusive_scan(value);
  const bool last_lane = threadIdx.x % WARP_SIZE == WARP_SIZE - 1 || threadIdx.x == blockDim.x - 1;
  if (last_lane) warp_sums[warp] = scanned;
  __syncthreads();
  // The first warp scans the sums of all warps: a block has at least as many threads as warps.
  if (warp == 0) {
    const Value sum = threadIdx.x < warps ? warp_sums[threadIdx.x] : 0;
    const Value scanned_sum = warp_inclusive_scan(sum);
    if (threadIdx.x < warps) warp_sums[threadIdx.x] = scanned_sum;
  }
  __syncthreads();
  return warp == 0 ? scanned : scanned + warp_sums[warp - 1];
}

// block_inclusive_scan() with one barrier instead of two, for blocks of whole warps: each thread
// adds up the sums of the warps before it. Which of the two is faster depends on the kernel around
// it.
static __device__ __forceinline__ unsigned int block_inclusive_scan_one_barrier(
    unsigned int value, unsigned int *warp_sums) {
  unsigned int scanned = warp_inclusive_scan(value);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) warp_sums[threadIdx.x / WARP_SIZE] = scanned;
  __syncthreads();
  for (unsigned int warp = 0; warp < threadIdx.x / WARP_SIZE; warp++) scanned += warp_sums[warp];
  return scanned;
}

// The faster of the two for kThreads, a multiple of 32: with many warps two barriers are faster
// than adding up one sum per warp.
template <int kThreads>
static __device__ __forceinline__ unsigned int scan_threads(unsigned int value,
                                                            unsigned int *warp_sums) {
  return kThreads > 512 ? block_inclusive_scan(value, warp_sums)
                        : block_inclusive_scan_one_barrier(value, warp_sums);
}

#endif
