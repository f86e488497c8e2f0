// The parts of a version's test, version.c and the files that it is linked with.
#ifndef TESTS_VERSION_H
#define TESTS_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/your_sort.h"

// Of a CHECK build of the cpu backend, where a sort takes 2 to 20 times as long; absent in others.
__attribute__((weak)) int cuda_cpu_check_end(int code);

static inline bool too_slow(size_t n) {
  enum { LARGEST_CHECKED = 4097 };
  return (sort_version.slow_n != 0 && n > sort_version.slow_n) ||
         (cuda_cpu_check_end != NULL && n > LARGEST_CHECKED);
}

#endif
