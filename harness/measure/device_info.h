// Describes the device that the program runs on: every report and record names it.
#ifndef HARNESS_DEVICE_INFO_H
#define HARNESS_DEVICE_INFO_H

#include <stddef.h>

#include "common/check.h"  // for CUDA_CPU

typedef struct DeviceInfo {
  char name[256];        // as the driver reports it
  const char *backend;   // device_backend()
  int driver_version;    // 1000 x major + 10 x minor, as CUDA counts: 13000 is CUDA 13.0
  int runtime_version;   // likewise
  size_t global_memory;  // bytes
} DeviceInfo;

// The backend that this program was built for, "cpu" or "cuda". Makes no CUDA call.
static inline const char *device_backend(void) {
#ifdef CUDA_CPU
  return "cpu";
#else
  return "cuda";
#endif
}

// Describes the current device. A failure ends the program with exit code 3 (common/check.h).
DeviceInfo device_info(void);

#endif
