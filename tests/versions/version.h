// The parts of a version's test, version.c and the files that it is linked with.
#ifndef TESTS_VERSION_H
#define TESTS_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "common/your_sort.h"

static inline bool too_slow(size_t n) {
  return sort_version.slow_n != 0 && n > sort_version.slow_n;
}

void test_scratch(void **state);
void test_every_n(void **state);
void test_repeats(void **state);

#endif
