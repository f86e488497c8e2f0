// Scan, sum and least value over the lanes of a warp.
#ifndef GSORT_WARP_SCAN_CUH
#define GSORT_WARP_SCAN_CUH

#include <cuda_runtime.h>

enum { WARP_SIZE = 32, MAX_WARPS = 32 };

// Mask of the existing lanes of the calling thread's warp: the last warp of a one-dimensional block
// may have fewer than 32.
static __device__ __forceinline__ unsigned int warp_mask(void) {
  const unsigned int behind = blockDim.x - (threadIdx.x & ~(WARP_SIZE - 1u));
  return behind >= WARP_SIZE ? 0xffffffffu : (1u << behind) - 1u;
}

// Inclusive scan over the lanes of a warp; every existing lane calls it.
//   value  [3 1 7 0]  ->  [3 4 11 11]
template <class Value>
static __device__ __forceinline__ Value warp_inclusive_scan(Value value) {
  const unsigned int mask = warp_mask(), lane = threadIdx.x % WARP_SIZE;
  for (unsigned int distance = 1; distance < WARP_SIZE; distance *= 2) {
    const Value before = __shfl_up_sync(mask, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

// Least value of the warp's lanes, in the first lane at least; every existing lane calls it.
// `mask`: of these lanes, the first ones of the warp.
static __device__ __forceinline__ unsigned int warp_min(unsigned int value,
                                                        unsigned int mask = 0xffffffffu) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  // A lane without a neighbour at the distance reads the last lane: a value that counts twice does
  // not change the least.
  const unsigned int lane = threadIdx.x % WARP_SIZE, last = __popc(mask) - 1;
  for (unsigned int distance = WARP_SIZE / 2; distance > 0; distance /= 2)
    value = min(value, __shfl_sync(mask, value, min(lane + distance, last)));
  return value;
#else
  return __reduce_min_sync(mask, value);
#endif
}

// Sum over the lanes of a whole warp, in all of them.
static __device__ __forceinline__ unsigned int warp_sum(unsigned int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (int mask = WARP_SIZE / 2; mask > 0; mask /= 2)
    value += __shfl_xor_sync(0xffffffffu, value, mask);
  return value;
#else
  return __reduce_add_sync(0xffffffffu, value);
#endif
}

#endif
