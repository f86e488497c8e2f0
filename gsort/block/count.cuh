// Reading all keys of an array once, by all blocks of a grid; the last block to end.
#ifndef GSORT_BLOCK_COUNT_CUH
#define GSORT_BLOCK_COUNT_CUH

#include <stdint.h>

#include "gsort/block/index.cuh"

enum {
  COUNT_THREADS = 1024,  // of a block, at most
  COUNT_UNROLL = 4,      // loads of 16 bytes of a thread under way
};

// Calls each(key) for keys[0..n), each by one thread of the grid's first `blocks` blocks, of which
// the calling one is number `block`.
template <class Each>
static __device__ __forceinline__ void for_each_key(const unsigned int *keys, size_t n,
                                                    unsigned int blocks, Each each,
                                                    unsigned int block = blockIdx.x) {
  const size_t thread = (size_t)block * blockDim.x + threadIdx.x,
               threads = (size_t)blocks * blockDim.x;
  // Several loads of 16 bytes in flight per thread. The remaining keys, or all keys if the array is
  // not aligned to 16 bytes, are read one by one.
  const size_t quads = (uintptr_t)keys % 16 == 0 ? n / 4 : 0;
  for (size_t i = thread; i < quads; i += COUNT_UNROLL * threads) {
    uint4 quad[COUNT_UNROLL];
#pragma unroll
    for (int u = 0; u < COUNT_UNROLL; u++)
      if (i + u * threads < quads) quad[u] = ((const uint4 *)keys)[i + u * threads];
#pragma unroll
    for (int u = 0; u < COUNT_UNROLL; u++) {
      if (i + u * threads >= quads) break;
      each(quad[u].x);
      each(quad[u].y);
      each(quad[u].z);
      each(quad[u].w);
    }
  }
  for (size_t i = quads * 4 + thread; i < n; i += threads) each(keys[i]);
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
