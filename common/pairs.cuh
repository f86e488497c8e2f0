// Keys with or without positions, handled by the same kernels.
#ifndef COMMON_PAIRS_CUH
#define COMMON_PAIRS_CUH

#include <cuda_runtime.h>
#include <stddef.h>

#include "common/check.h"
#include "gsort/block/index.cuh"

// n keys on the device and their positions; positions is NULL for bare keys.
typedef struct Pairs {
  unsigned int *keys;
  unsigned int *positions;
} Pairs;

// to[j] = from[i]. All threads take the same branch at the test for NULL, so it does not diverge.
static __device__ __forceinline__ void move_pair(Pairs to, size_t j, Pairs from, size_t i) {
  to.keys[j] = from.keys[i];
  if (to.positions != NULL) to.positions[j] = from.positions[i];
}

// to[0..n) = from[0..n), unless they are the same arrays.
static inline void copy_pairs(Pairs to, Pairs from, size_t n) {
  const size_t bytes = n * sizeof(unsigned int);
  if (to.keys == from.keys) return;
  CUDA_CHECK(cudaMemcpyAsync(to.keys, from.keys, bytes, cudaMemcpyDeviceToDevice, 0));
  if (to.positions != NULL)
    CUDA_CHECK(cudaMemcpyAsync(to.positions, from.positions, bytes, cudaMemcpyDeviceToDevice, 0));
}

// Exchanges the pointers, not the elements.
static inline void swap_pairs(Pairs *a, Pairs *b) {
  const Pairs c = *a;
  *a = *b;
  *b = c;
}

// Number of blocks of `block_size` threads that give each of n elements a thread.
static inline unsigned int blocks_for(size_t n, int block_size) {
  return (unsigned int)((n + (size_t)block_size - 1) / (size_t)block_size);
}

#endif
