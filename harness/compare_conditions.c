// The header of every record: device, driver, clocks, date and commit.
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/check.h"
#include "harness/compare.h"

#ifndef COMMIT
#define COMMIT "unknown"
#endif

#ifdef CUDA_CPU

// The clock that the kernel reports for the first core, now.
static void describe(Conditions *conditions) {
  struct utsname system;
  if (uname(&system) == 0)
    snprintf(conditions->driver, sizeof conditions->driver, "%.*s %.*s",
             (int)sizeof conditions->driver / 3, system.sysname, (int)sizeof conditions->driver / 3,
             system.release);
  FILE *const file = fopen("/proc/cpuinfo", "r");
  char line[512];
  double megahertz = 0.0;
  while (file != NULL && megahertz == 0.0 && fgets(line, sizeof line, file) != NULL) {
    const char *const colon = strchr(line, ':');
    if (strncmp(line, "cpu MHz", 7) == 0 && colon != NULL) megahertz = strtod(colon + 1, NULL);
  }
  if (file != NULL) fclose(file);
  if (megahertz > 0.0)
    snprintf(conditions->clocks, sizeof conditions->clocks, "CPU %.0f MHz", megahertz);
}

#else

// What the driver's own tool says of the device, by its address on the bus: CUDA's numbers of
// devices and the tool's may differ.
static void describe(Conditions *conditions) {
  int device = 0;
  char bus[32], command[256], line[256] = "";
  CUDA_CHECK(cudaGetDevice(&device));
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
  Conditions conditions = {
      .device = device_info(), .driver = "n/a", .clocks = "n/a", .commit = COMMIT};
  describe(&conditions);
  const time_t now = time(NULL);
  struct tm utc;
  strftime(conditions.date, sizeof conditions.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return conditions;
}
