#include "harness/measure/device_info.h"

#include <stdio.h>

#include "common/check.h"

DeviceInfo device_info(void) {
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  struct cudaDeviceProp properties;
  CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info = {.backend = device_backend(), .global_memory = properties.totalGlobalMem};
  snprintf(info.name, sizeof info.name, "%s", properties.name);
  CUDA_CHECK(cudaDriverGetVersion(&info.driver_version));
  CUDA_CHECK(cudaRuntimeGetVersion(&info.runtime_version));
  return info;
}
