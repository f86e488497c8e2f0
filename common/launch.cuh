// Launches that overlap with the kernel before them (gsort/block/overlap.cuh).
#ifndef COMMON_LAUNCH_CUH
#define COMMON_LAUNCH_CUH

#include "common/check.h"
#include "common/device.h"
#include "gsort/block/overlap.cuh"

// Does the device support it: compute capability 9.0 or later?
static inline bool device_can_overlap(void) {
  static int major = 0;
  if (major == 0) major = device_attribute(cudaDevAttrComputeCapabilityMajor);
  return major >= 9;
}

// kernel<<<grid, block, shared_bytes, stream>>>(arguments...), overlapped with the kernel before
// it.
template <class... Parameters, class... Arguments>
static void launch_overlapped_on(cudaStream_t stream, void (*kernel)(Parameters...),
                                 unsigned int grid, unsigned int block, size_t shared_bytes,
                                 Arguments... arguments) {
  cudaLaunchAttribute overlap = {};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = device_can_overlap() ? 1 : 0;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, (Parameters)arguments...));
}

template <class... Parameters, class... Arguments>
static void launch_overlapped(void (*kernel)(Parameters...), unsigned int grid, unsigned int block,
                              size_t shared_bytes, Arguments... arguments) {
  launch_overlapped_on(0, kernel, grid, block, shared_bytes, arguments...);
}

#endif
