// Decoupled look-back: values published by hand, and a scan over many tiles in one launch.
#include "tests/unit.h"

#include "gsort/block/look_back.cuh"

enum { MOST_TILES = 1025, MOST_BINS = 256 };

static uint32_t counts[MOST_TILES * MOST_BINS], expected[MOST_TILES * MOST_BINS],
    actual[MOST_TILES * MOST_BINS];

// ---- by hand -----------------------------------------------------------------------------------

static __global__ void sum_before(const unsigned int *published, unsigned int stride,
                                  unsigned int tile, unsigned int *sum) {
  *sum = look_back_sum(published, stride, tile);
}

static unsigned int sum_of(const uint32_t *published, size_t count, unsigned int stride,
                           unsigned int tile) {
  const uint32_t none = 12345;
  uint32_t *const d_published = to_device(published, count), *const d_sum = to_device(&none, 1);
  sum_before<<<1, 1>>>(d_published, stride, tile, d_sum);
  LAUNCH_CHECK();
  uint32_t sum = 0;
  to_host(&sum, d_sum, 1);
  CUDA_CHECK(cudaFree(d_published));
  CUDA_CHECK(cudaFree(d_sum));
  return sum;
}

TEST(test_by_hand) {
  const uint32_t PARTIAL = LOOK_BACK_PARTIAL, INCLUSIVE = LOOK_BACK_INCLUSIVE;
  const uint32_t example[] = {5 | INCLUSIVE, 7 | INCLUSIVE, 4 | PARTIAL};
  assert_int_equal(sum_of(example, 3, 1, 0), 0);
  assert_int_equal(sum_of(example, 3, 1, 1), 5);
  assert_int_equal(sum_of(example, 3, 1, 2), 7);
  assert_int_equal(sum_of(example, 3, 1, 3), 11);
  // Behind an inclusive value nothing is added, whatever is there, and nothing is waited for.
  const uint32_t ends[] = {0, 100 | PARTIAL, 9 | INCLUSIVE, 1 | PARTIAL, 2 | PARTIAL};
  assert_int_equal(sum_of(ends, 5, 1, 5), 12);
  // Two bins side by side: stride 2.
  const uint32_t bins[] = {1 | INCLUSIVE, 10 | INCLUSIVE, 2 | PARTIAL, 20 | PARTIAL};
  assert_int_equal(sum_of(bins, 4, 2, 2), 3);
  assert_int_equal(sum_of(bins + 1, 3, 2, 2), 30);
  // The largest count there can be.
  const uint32_t large[] = {LOOK_BACK_COUNT | INCLUSIVE, 0 | PARTIAL};
  assert_int_equal(sum_of(large, 2, 1, 2), (1u << 30) - 1);
}

// ---- many tiles --------------------------------------------------------------------------------

static __global__ void scan_tiles_of_bins(const unsigned int *counts, unsigned int *published,
                                          unsigned int *counter, unsigned int *before) {
  __shared__ unsigned int tile;
  if (threadIdx.x == 0) tile = atomicAdd(counter, 1u);
  __syncthreads();
  const unsigned int i = tile * blockDim.x + threadIdx.x, count = counts[i];
  look_back_publish(&published[i], count | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  const unsigned int sum = look_back_sum(&published[threadIdx.x], blockDim.x, tile);
  if (tile > 0) look_back_publish(&published[i], (sum + count) | LOOK_BACK_INCLUSIVE);
  before[i] = sum;
}

static void check_tiles(unsigned int tiles, unsigned int bins) {
  const size_t n = (size_t)tiles * bins;
  for (size_t i = 0; i < n; i++) {
    counts[i] = next_random() % 1000;
    expected[i] = i < bins ? 0 : expected[i - bins] + counts[i - bins];
  }
  static const uint32_t zeros[MOST_TILES * MOST_BINS] = {0};
  uint32_t *const d_counts = to_device(counts, n), *const d_published = to_device(zeros, n);
  uint32_t *const d_counter = to_device(zeros, 1), *const d_before = to_device(zeros, n);
  scan_tiles_of_bins<<<tiles, bins>>>(d_counts, d_published, d_counter, d_before);
  LAUNCH_CHECK();
  to_host(actual, d_before, n);
  expect_array("sum of the tiles before", actual, expected, n);
  to_host(actual, d_published, n);  // all inclusive in the end
  for (size_t i = 0; i < n; i++) expected[i] = (expected[i] + counts[i]) | LOOK_BACK_INCLUSIVE;
  expect_array("published", actual, expected, n);
  CUDA_CHECK(cudaFree(d_counts));
  CUDA_CHECK(cudaFree(d_published));
  CUDA_CHECK(cudaFree(d_counter));
  CUDA_CHECK(cudaFree(d_before));
}

TEST(test_tiles) {
  static const unsigned int tiles[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1023, 1024, MOST_TILES};
  for (unsigned int count : tiles) {
    check_tiles(count, 1);
    check_tiles(count, 33);
  }
  check_tiles(65, MOST_BINS);
}

RUN_TESTS("look_back", NULL, NULL)
