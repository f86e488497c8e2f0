// Pairs on the device, for the tests of the primitives that work on them.
#ifndef TESTS_DEVICE_PAIRS_H
#define TESTS_DEVICE_PAIRS_H

#include "common/pairs.cuh"
#include "tests/unit.h"

// Copies n keys and, unless `positions` is NULL, their positions; pairs_free frees the copies.
static inline Pairs pairs_to_device(const uint32_t *keys, const uint32_t *positions, size_t n) {
  return Pairs{to_device(keys, n), positions != NULL ? to_device(positions, n) : NULL};
}

static inline void pairs_free(Pairs pairs) {
  CUDA_CHECK(cudaFree(pairs.keys));
  CUDA_CHECK(cudaFree(pairs.positions));
}

// Compares n keys and, unless it holds bare keys, their positions with those expected.
static inline void expect_pairs(Pairs pairs, const uint32_t *keys, const uint32_t *positions,
                                size_t n) {
  uint32_t *const actual = (uint32_t *)MEMORY_CHECK(malloc((n + 1) * sizeof *actual));
  to_host(actual, pairs.keys, n);
  expect_array("keys", actual, keys, n);
  if (pairs.positions != NULL) {
    to_host(actual, pairs.positions, n);
    expect_array("positions", actual, positions, n);
  }
  free(actual);
}

#endif
