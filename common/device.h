// Asking the device what it can do.
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "common/check.h"

// An attribute of the present device, such as cudaDevAttrMultiProcessorCount.
static inline int device_attribute(enum cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

// The most dynamic shared memory that a block may ask for, beside up to 1 KB of static variables.
static inline size_t dynamic_shared_limit(void) {
  return (size_t)device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
}

#ifdef __cplusplus
// More dynamic shared memory than 48 KB must be asked for, kernel by kernel.
template <class Kernel>
static inline void allow_shared_memory(Kernel *kernel, size_t bytes) {
  if (bytes <= 48 * 1024) return;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}
#endif

#endif
