// The conditions of a comparison: device, host, driver, clocks, load, date and commit.
#ifndef HARNESS_CONDITIONS_H
#define HARNESS_CONDITIONS_H

#include <stddef.h>

typedef struct DeviceInfo {
  char name[256];        // as the driver reports it
  const char *backend;   // device_backend() of common/device.h
  int driver_version;    // 1000 x major + 10 x minor, as CUDA counts: 13000 is CUDA 13.0
  int runtime_version;   // likewise
  size_t global_memory;  // bytes
} DeviceInfo;

// Describes the current device. A failure ends the program with exit code 3 (common/check.h).
DeviceInfo device_info(void);

typedef struct Conditions {
  DeviceInfo device;
  double copy_bytes_per_second;
  size_t cache_bytes;   // the device's last cache; 0: unknown
  char host_cpu[128];   // the host's processor, on which versions with on_host sort
  int host_threads;     // CPUs that this process may use
  double load_average;  // of the host, over the minute before the start; negative: unknown
  char driver[64];      // of the device: "580.95.05"; of a CPU: the kernel's release
  char clocks[96];      // "SM 1980 MHz (at most 1980), memory 2619 MHz"; "n/a": unknown
  char date[32];        // UTC, ISO 8601
  char commit[64];      // with "+changes" when the tree was not clean; "unknown" outside a checkout
} Conditions;

// Fills in all but the copy rate. Makes CUDA calls.
Conditions conditions_now(void);

// CUDA's versions, "13.0 (runtime 12.8)" or "none", into text[size].
void cuda_versions(const DeviceInfo *device, char *text, size_t size);

#endif
