// The tests' reference: a stable sort on the host that shares no code with any version.
#ifndef TESTS_REFERENCE_SORT_H
#define TESTS_REFERENCE_SORT_H

#include <stdint.h>
#include <stdlib.h>

static int compare_tagged(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Sorts key << 32 | index, which makes any sort a stable one. keys and positions are overwritten.
static inline void reference_sort(uint32_t *keys, uint32_t *positions, size_t n) {
  uint64_t *const tagged = (uint64_t *)malloc((n + 1) * sizeof *tagged);
  if (tagged == NULL) abort();
  for (size_t i = 0; i < n; i++) tagged[i] = (uint64_t)keys[i] << 32 | (uint64_t)i;
  qsort(tagged, n, sizeof *tagged, compare_tagged);
  for (size_t i = 0; i < n; i++) {
    keys[i] = (uint32_t)(tagged[i] >> 32);
    positions[i] = (uint32_t)tagged[i];
  }
  free(tagged);
}

#endif
