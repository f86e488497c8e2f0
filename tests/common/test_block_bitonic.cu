// Blocks for n elements, and the sizes of bitonic sorts; the sorts themselves: the tests of bitonic
// and mppsort.
#include "tests/unit.h"

#include "common/block_bitonic.cuh"

TEST(test_groups) {
  assert_int_equal(bitonic_groups(11, 1, 1), 6);
  for (unsigned int n = 1; n < 70; n++)
    for (int steps = 1; steps <= MAX_BITONIC_STEPS; steps++)
      for (int log_stride = 0; log_stride < 5; log_stride++) {
        unsigned int groups = 0;  // the elements whose `steps` bits above log_stride are 0
        for (unsigned int i = 0; i < n; i++) groups += (i >> log_stride & ((1u << steps) - 1)) == 0;
        assert_int_equal(bitonic_groups(n, steps, log_stride), groups);
      }
  assert_int_equal(bitonic_groups(UINT32_MAX, 3, 29), 1u << 29);  // a single, incomplete span
}

TEST(test_blocks_for) {
  assert_int_equal(blocks_for(256, 256), 1);
  assert_int_equal(blocks_for(257, 256), 2);
  assert_int_equal(blocks_for((size_t)1 << 33, 1024), 1 << 23);
}

TEST(test_tiles) {
  assert_int_equal(tile_bytes(0, false), 0);
  assert_int_equal(tile_bytes(1, false), 128);
  assert_int_equal(tile_bytes(32, true), 256);
  assert_int_equal(tile_bytes(33, true), 512);
  assert_int_equal(tile_that_fits(100, true), 100);
  const unsigned int most = tile_that_fits(UINT32_MAX, true);
  const int limit = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  assert_true(tile_bytes(most, true) <= (size_t)limit &&
              tile_bytes(most + 32, true) > (size_t)limit);
}

RUN_TESTS("block_bitonic", NULL, NULL)
