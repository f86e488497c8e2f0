// The samples of two looks, each loaded by several blocks: every key lies in another line of
// memory, and a multiprocessor takes a clock for each line, 8,192 for a sample. The last block of a
// look gets all its keys from memory, where they lie side by side.
#ifndef RADIX_V7_LOAD_SAMPLE_CUH
#define RADIX_V7_LOAD_SAMPLE_CUH

#include "radix_v7/second_look.cuh"

enum { LOOKS = 2, LOADING_BLOCKS = 4 };

// A thread's keys, then the one behind the first of them.
static __device__ unsigned int look_sample[LOOKS][LOOK_EACH + 1][LOOK_THREADS];
static __device__ unsigned int look_sample_arrived[LOOKS];  // zero between sorts

// All threads of a grid of LOOKS x LOADING_BLOCKS blocks of LOOK_THREADS call it: true in the last
// block of each look, with its sample of keys[0..n), and the key behind the thread's first one.
static __device__ __forceinline__ bool load_sample(const unsigned int *keys, size_t n,
                                                   unsigned int (&key)[LOOK_EACH],
                                                   unsigned int *next) {
  constexpr int kEach = LOOK_EACH / LOADING_BLOCKS;
  const unsigned int look = blockIdx.x / LOADING_BLOCKS, block = blockIdx.x % LOADING_BLOCKS;
  unsigned int(&sample)[LOOK_EACH + 1][LOOK_THREADS] = look_sample[look];
#pragma unroll
  for (int u = 0; u < kEach; u++)
    key[u] = keys[block_sample_index<LOOK_EACH>(n, (int)block * kEach + u, look)];
  if (block == 0) {
    const size_t behind = block_sample_index<LOOK_EACH>(n, 0, look) + 1;
    sample[LOOK_EACH][threadIdx.x] = keys[behind < n ? behind : 0];
  }
#pragma unroll
  for (int u = 0; u < kEach; u++) sample[block * kEach + u][threadIdx.x] = key[u];
  if (!is_last_block(&look_sample_arrived[look], LOADING_BLOCKS)) return false;
#pragma unroll
  for (int u = 0; u < LOOK_EACH; u++) key[u] = __ldcg(&sample[u][threadIdx.x]);
  *next = __ldcg(&sample[LOOK_EACH][threadIdx.x]);
  return true;
}

#endif
