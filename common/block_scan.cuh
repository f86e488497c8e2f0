// Scan inside a warp and inside a block.
#ifndef COMMON_BLOCK_SCAN_CUH
#define COMMON_BLOCK_SCAN_CUH

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

// The same with one barrier instead of two, for blocks of whole warps: each thread adds up the sums
// of the warps before it. Which of the two is faster depends on the kernel around it.
static __device__ __forceinline__ unsigned int block_inclusive_scan_one_barrier(
    unsigned int value, unsigned int *warp_sums) {
  unsigned int scanned = warp_inclusive_scan(value);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) warp_sums[threadIdx.x / WARP_SIZE] = scanned;
  __syncthreads();
  for (unsigned int warp = 0; warp < threadIdx.x / WARP_SIZE; warp++) scanned += warp_sums[warp];
  return scanned;
}

// The lanes of `among` whose value equals the caller's in its `bits` lowest bits: a vote for each
// bit. All lanes of the warp call it.
//
//   lane           0  1  2  3
//   value         01 11 01 00
//   votes, bit 0   1  1  1  0
//   votes, bit 1   0  1  0  0
//   match of lane 0: voted 1 for bit 0 and 0 for bit 1, lanes 0 and 2
static __device__ __forceinline__ unsigned int warp_match(unsigned int value, int bits,
                                                          unsigned int among = 0xffffffffu) {
  for (int bit = 0; bit < bits; bit++) {
    const bool set = (value >> bit & 1u) != 0;
    const unsigned int votes = __ballot_sync(0xffffffffu, set);
    among &= set ? votes : ~votes;
  }
  return among;
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
