// Programmatic dependent launch: the next kernel of a stream is set up while the previous one still
// runs. This shortens the gap between launches (CUDA C++ Programming Guide, "Programmatic
// Dependent Launch and Synchronization"; compute capability 9.0). Elsewhere it is a plain launch.
#ifndef GSORT_BLOCK_OVERLAP_CUH
#define GSORT_BLOCK_OVERLAP_CUH

#include <cuda_runtime.h>

// Lets the next kernel of the stream be set up, if it is launched so that it may overlap.
static __device__ __forceinline__ void let_next_kernel_begin(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// First statement of a kernel that may overlap with the previous one: lets the next kernel be set
// up, too, and waits until all writes of the previous one are visible.
static __device__ __forceinline__ void wait_for_previous_kernel(void) {
  let_next_kernel_begin();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

#endif
