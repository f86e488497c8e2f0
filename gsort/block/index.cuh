#ifndef GSORT_BLOCK_INDEX_CUH
#define GSORT_BLOCK_INDEX_CUH

#include <cuda_runtime.h>

// The index of the calling thread in a one-dimensional grid.
static __device__ __forceinline__ size_t global_index(void) {
  return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

#endif
