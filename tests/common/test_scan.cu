// The scan of an array in device memory: one, two and three levels of tiles.
#include "tests/unit.h"

#include "common/scan.cuh"

enum { LARGEST = 32 * 32 * 32 + 1, GUARD = 0x5a5a5a5a };

static uint32_t in[LARGEST], expected[LARGEST + 1], actual[LARGEST + 2];

static const size_t sizes[] = {1,   2,   31,   32,   33,   63,   64,      65,    255,
                               256, 257, 1023, 1024, 1025, 4097, 32 * 32, 32768, LARGEST};
static const int block_sizes[] = {32, 64, 96, 256, 1024};

static void for_each_case(void (*check)(size_t n, int block_size)) {
  for (size_t i = 0; i < LARGEST; i++) in[i] = next_random() >> 8;  // sums wrap around
  for (size_t n : sizes)
    for (int block_size : block_sizes) check(n, block_size);
  assert_int_equal(scratch_outstanding(), 0);
}

static void check_inclusive(size_t n, int block_size) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; i++) expected[i] = sum += in[i];
  actual[n] = GUARD;
  uint32_t *const d_in = to_device(in, n), *const d_out = to_device(actual, n + 1);
  inclusive_scan(d_in, d_out, n, block_size);
  to_host(actual, d_out, n + 1);
  expect_array("inclusive", actual, expected, n);
  assert_int_equal(actual[n], GUARD);
  inclusive_scan(d_in, d_in, n, block_size);
  to_host(actual, d_in, n);
  expect_array("inclusive, in place", actual, expected, n);
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
}

static void check_exclusive(size_t n, int block_size) {
  expected[0] = 0;
  for (size_t i = 0; i < n; i++) expected[i + 1] = expected[i] + in[i];
  actual[n + 1] = GUARD;
  uint32_t *const d_in = to_device(in, n), *const d_out = to_device(actual, n + 2);
  exclusive_scan(d_in, d_out, n, block_size);
  to_host(actual, d_out, n + 2);
  expect_array("exclusive", actual, expected, n + 1);
  assert_int_equal(actual[n + 1], GUARD);
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
}

TEST(test_inclusive) { for_each_case(check_inclusive); }
TEST(test_exclusive) { for_each_case(check_exclusive); }

RUN_TESTS("scan", NULL, NULL)
