// The header of every record: device, host, driver, clocks, date and commit.
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/compare/compare.h"

#ifndef COMMIT
#define COMMIT "unknown"
#endif

// What the kernel says of the first core ("model name", "cpu MHz") into text[size], which keeps
// what it holds where the kernel says nothing.
static void ask_cpuinfo(const char *field, char *text, size_t size) {
  FILE *const file = fopen("/proc/cpuinfo", "r");
  if (file == NULL) return;
  char line[512];
  bool found = false;
  while (!found && fgets(line, sizeof line, file) != NULL) {
    const char *const colon = strchr(line, ':');
    found = colon != NULL && strncmp(line, field, strlen(field)) == 0;
    if (!found) continue;
    const char *const value = colon + 1 + strspn(colon + 1, " \t");
    snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
  }
  fclose(file);
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
  ask_cpuinfo("cpu MHz", text, sizeof text);
  const double megahertz = strtod(text, NULL);
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
  Conditions conditions = {.device = device_info(),
                           .host_cpu = "unknown",
                           .host_threads = usable_cpus(),
                           .driver = "n/a",
                           .clocks = "n/a",
                           .commit = COMMIT};
  ask_cpuinfo("model name", conditions.host_cpu, sizeof conditions.host_cpu);
  describe(&conditions);
  const time_t now = time(NULL);
  struct tm utc;
  strftime(conditions.date, sizeof conditions.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return conditions;
}
