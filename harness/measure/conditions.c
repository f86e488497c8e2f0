#include "harness/measure/conditions.h"

#include <cuda_runtime_api.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "common/device.h"
#include "cuda_cpu/cpuinfo.h"

#ifndef COMMIT
#define COMMIT "unknown"
#endif

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

static int usable_cpus(void) {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) return CPU_COUNT(&cpus);
  return (int)sysconf(_SC_NPROCESSORS_ONLN);  // there are more than a cpu_set_t holds
}

#ifdef CUDA_CPU

// The clock is the first core's, now.
static void describe(Conditions *conditions) {
  struct utsname system;
  if (uname(&system) == 0)
    snprintf(conditions->driver, sizeof conditions->driver, "%.*s %.*s",
             (int)sizeof conditions->driver / 3, system.sysname, (int)sizeof conditions->driver / 3,
             system.release);
  char text[32] = "";
  cpuinfo_field("cpu MHz", text, sizeof text);
  const double megahertz = strtod(text, NULL);
  if (megahertz > 0.0)
    snprintf(conditions->clocks, sizeof conditions->clocks, "CPU %.0f MHz", megahertz);
  const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE), level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const long cache = level3 > 0 ? level3 : level2;
  conditions->cache_bytes = cache > 0 ? (size_t)cache : 0;
}

#else

// Asks the driver's own tool, by the device's address on the bus: CUDA's numbers of devices and the
// tool's may differ.
static void describe(Conditions *conditions) {
  int device = 0;
  char bus[32], command[256], line[256] = "";
  CUDA_CHECK(cudaGetDevice(&device));
  conditions->cache_bytes = (size_t)device_attribute(cudaDevAttrL2CacheSize);
  CUDA_CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
  snprintf(command, sizeof command,
           "nvidia-smi -i %s --format=csv,noheader,nounits "
           "--query-gpu=driver_version,clocks.sm,clocks.max.sm,clocks.mem 2>/dev/null",
           bus);
  FILE *const pipe = popen(command, "r");
  if (pipe == NULL) return;
  const bool read = fgets(line, sizeof line, pipe) != NULL;
  pclose(pipe);
  char driver[32];
  int sm = 0, sm_most = 0, memory = 0;
  if (!read || sscanf(line, "%31[^,], %d, %d, %d", driver, &sm, &sm_most, &memory) != 4) return;
  snprintf(conditions->driver, sizeof conditions->driver, "%s", driver);
  snprintf(conditions->clocks, sizeof conditions->clocks, "SM %d MHz (at most %d), memory %d MHz",
           sm, sm_most, memory);
}

#endif

Conditions conditions_now(void) {
  Conditions conditions = {.device = device_info(),
                           .host_cpu = "unknown",
                           .host_threads = usable_cpus(),
                           .load_average = -1.0,
                           .driver = "n/a",
                           .clocks = "n/a",
                           .commit = COMMIT};
  cpuinfo_field("model name", conditions.host_cpu, sizeof conditions.host_cpu);
  if (getloadavg(&conditions.load_average, 1) != 1) conditions.load_average = -1.0;
  describe(&conditions);
  const time_t now = time(NULL);
  struct tm utc;
  strftime(conditions.date, sizeof conditions.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return conditions;
}

void cuda_versions(const DeviceInfo *device, char *text, size_t size) {
  const int driver = device->driver_version, runtime = device->runtime_version;
  if (driver == 0)
    snprintf(text, size, "none");
  else
    snprintf(text, size, "%d.%d (runtime %d.%d)", driver / 1000, driver % 1000 / 10, runtime / 1000,
             runtime % 1000 / 10);
}
