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

// Seconds of processor time of this thread. Time for which it was stopped does not count.
static inline double thread_seconds_now(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

#endif
