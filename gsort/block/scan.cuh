// Scan over the threads of a block, and the ends of their keys.
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

// Least and greatest of the keys of a block of 2^k warps, for all threads. `shared` is shared
// memory.
template <int kEach, class Key>
static __device__ __forceinline__ void find_ends(const Key (&key)[kEach], Key *least, Key *most,
                                                 Key (*shared)[MAX_WARPS]) {
  const unsigned int warps = blockDim.x / WARP_SIZE;
  Key low = key[0], high = key[0];
#pragma unroll
  for (int u = 1; u < kEach; u++) {
    low = min(low, key[u]);
    high = max(high, key[u]);
  }
  const auto reduce = [&](unsigned int count) {
    for (unsigned int lanes = count / 2; lanes > 0; lanes /= 2) {
      low = min(low, __shfl_xor_sync(0xffffffffu, low, lanes));
      high = max(high, __shfl_xor_sync(0xffffffffu, high, lanes));
    }
  };
  reduce(WARP_SIZE);
  if (threadIdx.x % WARP_SIZE == 0) {
    shared[0][threadIdx.x / WARP_SIZE] = low;
    shared[1][threadIdx.x / WARP_SIZE] = high;
  }
  __syncthreads();
  low = shared[0][threadIdx.x % warps];
  high = shared[1][threadIdx.x % warps];
  reduce(warps);
  *least = low;
  *most = high;
}

#endif
