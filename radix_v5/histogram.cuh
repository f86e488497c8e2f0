// Where each digit's run starts in the output, for all four passes, from one read of the keys.
//
// A pass changes the order of the keys, but not how often each digit occurs. So the histograms of
// all passes are counted before the first one; radix_v1 to radix_v4 count again in each pass.
//
//   keys         [0110 1101 0101]      two digits of two bits each
//   right digit  [  10   01   01]      histogram [0 2 1 0], start [0 0 2 3]
//   left digit   [01   11   01  ]      histogram [0 2 0 1], start [0 0 2 2]
#ifndef RADIX_V5_HISTOGRAM_CUH
#define RADIX_V5_HISTOGRAM_CUH

#include <cuda_runtime.h>

#include "common/pairs.cuh"
#include "gsort/block/scan.cuh"

enum {
  DIGIT_BITS = 8,
  BINS = 1 << DIGIT_BITS,
  PASSES = 32 / DIGIT_BITS,
};

// The digit of pass 0 is the key's lowest byte, the digit of pass 3 its highest.
static __device__ __forceinline__ unsigned int digit_of(unsigned int key, int pass) {
  return key >> (pass * DIGIT_BITS) & (BINS - 1);
}

// Adds the digits of keys[0..n) to histogram[PASSES][BINS], which begins as zeros. Any grid of
// which no block gets 2^32 keys. Each block counts in shared memory first, where atomics are cheap.
// Count: unsigned int for n < 2^32, else unsigned long long.
template <class Count>
static __global__ void count_digits(const unsigned int *keys, size_t n, Count *histogram) {
  __shared__ unsigned int block_histogram[PASSES * BINS];
  for (unsigned int i = threadIdx.x; i < PASSES * BINS; i += blockDim.x) block_histogram[i] = 0;
  __syncthreads();
  for (size_t i = global_index(); i < n; i += (size_t)gridDim.x * blockDim.x) {
    const unsigned int key = keys[i];
    for (int pass = 0; pass < PASSES; pass++)
      atomicAdd(&block_histogram[pass * BINS + digit_of(key, pass)], 1u);
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < PASSES * BINS; i += blockDim.x)
    if (block_histogram[i] > 0) atomicAdd(&histogram[i], (Count)block_histogram[i]);
}

// Replaces each pass's counts by their exclusive scan. A block per pass, a thread per bin.
template <class Count>
static __global__ void scan_histograms(Count *histogram) {
  __shared__ Count warp_sums[MAX_WARPS];
  const size_t i = global_index();
  const Count count = histogram[i];
  histogram[i] = block_inclusive_scan(count, warp_sums) - count;
}

#endif
