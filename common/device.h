// The backend, and properties and limits of the current device. A failed call ends the program with
// exit code 3 (common/check.h).
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "common/check.h"

// The backend that this program was built for, "cpu" or "cuda". Makes no CUDA call.
static inline const char *device_backend(void) {
#ifdef CUDA_CPU
  return "cpu";
#else
  return "cuda";
#endif
}

// An attribute of the current device, such as cudaDevAttrMultiProcessorCount.
static inline int device_attribute(enum cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

// Bytes of dynamic shared memory that a block can have beside up to 1 KB of static variables.
static inline size_t dynamic_shared_limit(void) {
  return (size_t)device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
}

#ifdef __cplusplus
// Lets a kernel be launched with `bytes` of dynamic shared memory. Above 48 KB CUDA requires this.
template <class Kernel>
static inline void allow_shared_memory(Kernel *kernel, size_t bytes) {
  if (bytes <= 48 * 1024) return;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}
#endif

#endif
