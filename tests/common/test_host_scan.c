// The scan of a block-major table on the host.
#include "tests/unit.h"

#include "common/host_scan.h"

enum { MOST_BLOCKS = 65, MOST_BINS = 257 };

static uint32_t hist[MOST_BLOCKS * MOST_BINS], expected[MOST_BLOCKS * MOST_BINS],
    actual[MOST_BLOCKS * MOST_BINS];

static void check(size_t blocks, unsigned int bins) {
  const size_t n = blocks * bins;
  uint32_t *const d_hist = to_device(hist, n), *const d_start = to_device(hist, n);
  scan_on_host(d_hist, d_start, blocks, bins);
  to_host(actual, d_start, n);
  expect_array("start", actual, expected, n);
  CUDA_CHECK(cudaFree(d_hist));
  CUDA_CHECK(cudaFree(d_start));
}

TEST(test_by_hand) {
  const uint32_t counts[] = {2, 1, 0, 1, 1, 1, 1, 1}, starts[] = {0, 3, 5, 6, 2, 4, 5, 7};
  memcpy(hist, counts, sizeof counts);
  memcpy(expected, starts, sizeof starts);
  check(2, 4);
}

// By the definition: elements in smaller bins of any block, and in this bin of earlier blocks.
static uint32_t start_of(size_t blocks, unsigned int bins, size_t block, unsigned int bin) {
  uint32_t sum = 0;
  for (size_t other = 0; other < blocks; other++)
    for (unsigned int smaller = 0; smaller < bin; smaller++) sum += hist[other * bins + smaller];
  for (size_t earlier = 0; earlier < block; earlier++) sum += hist[earlier * bins + bin];
  return sum;
}

TEST(test_sizes) {
  static const unsigned int sizes[] = {1, 2, 3, 15, 16, 17, 64, MOST_BLOCKS};
  for (size_t i = 0; i < COUNT_OF(sizes); i++)
    for (size_t j = 0; j < COUNT_OF(sizes); j++) {
      const size_t blocks = sizes[i];
      const unsigned int bins = sizes[j];
      for (size_t k = 0; k < blocks * bins; k++) hist[k] = next_random() % 1000;
      for (size_t block = 0; block < blocks; block++)
        for (unsigned int bin = 0; bin < bins; bin++)
          expected[block * bins + bin] = start_of(blocks, bins, block, bin);
      check(blocks, bins);
    }
}

RUN_TESTS("host_scan", NULL, NULL)
