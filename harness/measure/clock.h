// Wall-clock time on the host, for time limits and progress. Sorts are timed by CUDA events.
#ifndef HARNESS_CLOCK_H
#define HARNESS_CLOCK_H

#include <time.h>

// Seconds since an arbitrary fixed moment; never runs backwards.
static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
