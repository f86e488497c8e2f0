// Programmatic dependent launch: the next kernel of a stream is set up while the previous one still
// runs. This shortens the gap between launches (CUDA C++ Programming Guide, "Programmatic
// Dependent Launch and Synchronization"; compute capability 9.0). Elsewhere it is a plain launch.
#ifndef COMMON_OVERLAP_CUH
#define COMMON_OVERLAP_CUH

#include <cuda_runtime.h>

#include "common/check.h"
#include "common/device.h"

// Lets the next kernel of the stream be set up, if it is launched by launch_overlapped.
static __device__ __forceinline__ void let_next_kernel_begin(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// First statement of a kernel launched by launch_overlapped: lets the next kernel be set up, too,
// and waits until all writes of the previous one are visible.
static __device__ __forceinline__ void wait_for_previous_kernel(void) {
  let_next_kernel_begin();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// Does the device support it: compute capability 9.0 or later?
static inline bool device_can_overlap(void) {
  static int major = 0;
  if (major == 0) major = device_attribute(cudaDevAttrComputeCapabilityMajor);
  return major >= 9;
}

// kernel<<<grid, block, shared_bytes>>>(arguments...), overlapped with the kernel before it.
template <class... Parameters, class... Arguments>
static void launch_overlapped(void (*kernel)(Parameters...), unsigned int grid, unsigned int block,
                              size_t shared_bytes, Arguments... arguments) {
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.attrs = &overlap;
  config.numAttrs = device_can_overlap() ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, (Parameters)arguments...));
}

#endif
