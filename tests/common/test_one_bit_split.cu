// The starts of a tile's runs, with more bins than threads as well; the split by one bit: the tests
// of radix_v4 and radix_level2.
#include "tests/unit.h"

#include "common/one_bit_split.cuh"

enum { MOST_BINS = 256 };

static uint32_t expected[MOST_BINS + 1];

static __global__ void scan_counts(const unsigned int *counts, size_t stride, unsigned int bins,
                                   unsigned int *starts) {
  __shared__ unsigned int tile_start[MOST_BINS + 1], warp_sums[MAX_WARPS];
  scan_bins(counts, stride, bins, tile_start, warp_sums);
  for (unsigned int bin = threadIdx.x; bin <= bins; bin += blockDim.x)
    starts[bin] = tile_start[bin];
}

static void check_bins(unsigned int bins, unsigned int stride, unsigned int threads) {
  const unsigned int n = bins * stride;
  static uint32_t counts[MOST_BINS * 3];
  for (unsigned int i = 0; i < n; i++) counts[i] = next_random() % 100;
  expected[0] = 0;
  for (unsigned int bin = 0; bin < bins; bin++)
    expected[bin + 1] = expected[bin] + counts[bin * stride];
  uint32_t *const d_counts = to_device(counts, n), *const d_starts = to_device(expected, bins + 1);
  scan_counts<<<1, threads>>>(d_counts, stride, bins, d_starts);
  LAUNCH_CHECK();
  expect_device("starts", d_starts, expected, bins + 1);
  free_device(d_counts, d_starts);
}

TEST(test_bins) {
  static const unsigned int bins[] = {1, 2, 4, 16, 31, 32, 33, 128, MOST_BINS};
  static const unsigned int threads[] = {1, 31, 32, 33, 64, 256, 1024};
  for (unsigned int b : bins)
    for (unsigned int t : threads)
      for (unsigned int stride = 1; stride <= 3; stride += 2) check_bins(b, stride, t);
}

RUN_TESTS("one_bit_split", NULL, NULL)
