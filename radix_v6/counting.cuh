// Histograms of one or more digits by one read of the keys.
#ifndef RADIX_V6_COUNTING_CUH
#define RADIX_V6_COUNTING_CUH

#include <stdint.h>

#include "common/pairs.cuh"
#include "radix_v6/layout.cuh"

// Adds one key to the histograms of kDigits adjacent digits of `bits` bits each; the lowest digit
// begins at bit `shift`. counters[kDigits][2^bits][copies] is in shared memory; lane l adds to copy
// l % copies. With 32 copies the lanes of a warp never meet in a bank, whatever the keys.
template <int kDigits>
static __device__ __forceinline__ void count_key(unsigned int *counters, unsigned int copies,
                                                 unsigned int key, int shift, int bits) {
  const unsigned int copy = threadIdx.x % copies;
#pragma unroll
  for (int digit = 0; digit < kDigits; digit++) {
    const unsigned int value = key >> (shift + digit * bits) & ((1u << bits) - 1);
    atomicAdd(&counters[((digit << bits) + value) * copies + copy], 1u);
  }
}

// Calls four(keys), a uint4, or one(key) for keys[0..n), each by one thread of the grid's first
// `blocks` blocks. Ends early when stop() is true; it is asked while loads are under way.
template <class Stop, class Four, class One>
static __device__ __forceinline__ void for_each_quad(const unsigned int *keys, size_t n,
                                                     unsigned int blocks, Stop stop, Four four,
                                                     One one) {
  const size_t thread = global_index(), threads = (size_t)blocks * blockDim.x;
  // Several loads of 16 bytes in flight per thread. The remaining keys, or all keys if the array is
  // not aligned to 16 bytes, are read one by one.
  const size_t quads = (uintptr_t)keys % 16 == 0 ? n / 4 : 0;
  for (size_t i = thread; i < quads; i += HISTOGRAM_UNROLL * threads) {
    const bool end = stop();
    uint4 quad[HISTOGRAM_UNROLL];
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++)
      if (i + u * threads < quads) quad[u] = ((const uint4 *)keys)[i + u * threads];
    if (end) return;
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++) {
      if (i + u * threads >= quads) break;
      four(quad[u]);
    }
  }
  for (size_t i = quads * 4 + thread; i < n; i += threads) one(keys[i]);
}

// The same with each(key) only.
template <class Stop, class Each>
static __device__ __forceinline__ void for_each_key(const unsigned int *keys, size_t n,
                                                    unsigned int blocks, Stop stop, Each each) {
  const auto four = [&](uint4 quad) {
    each(quad.x);
    each(quad.y);
    each(quad.z);
    each(quad.w);
  };
  for_each_quad(keys, n, blocks, stop, four, each);
}

static __device__ __forceinline__ bool never(void) { return false; }

// Adds keys[0..n) to the counters of the grid's blocks, each key to those of one block.
template <int kDigits>
static __device__ __forceinline__ void count_all(unsigned int *counters, unsigned int copies,
                                                 const unsigned int *keys, size_t n, int shift,
                                                 int bits) {
  for_each_key(keys, n, gridDim.x, never,
               [=](unsigned int key) { count_key<kDigits>(counters, copies, key, shift, bits); });
}

// True in the last of `blocks` blocks to call this. That block then sees all that the other blocks
// wrote to global memory before their calls. All threads of a block call it; *arrived is 0 before
// and after the launch.
static __device__ bool is_last_block(unsigned int *arrived, unsigned int blocks = gridDim.x) {
  __shared__ unsigned int is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(arrived, 1u) == blocks - 1;
    if (is_last) *arrived = 0;
  }
  __syncthreads();
  __threadfence();
  return is_last;
}

#endif
