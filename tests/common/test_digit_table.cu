// The table of digit counts, and one pass of a counting sort made with it.
#include "common/count_tile.cuh"
#include "common/digit_table.cuh"
#include "common/scan.cuh"
#include "tests/common/device_pairs.h"
#include "tests/reference_sort.h"

enum { LARGEST = 4097, MOST_BINS = 256 };

static uint32_t keys[LARGEST], positions[LARGEST], digits[LARGEST], ranks[LARGEST],
    expected[LARGEST], expected_positions[LARGEST], actual[LARGEST];
static uint32_t table[MOST_BINS * LARGEST];

static __global__ void count_tiles(const unsigned int *digit, unsigned int *hist, size_t n,
                                   unsigned int bins) {
  __shared__ unsigned int tile_hist[MOST_BINS];
  const size_t i = global_index();
  count_tile(i < n ? digit[i] : NO_DIGIT, tile_hist, hist, bins);
}

// Digits, counts, starts and places of one pass over bits shift .. shift + bits - 1.
static void check_pass(unsigned int n, int bits, int shift, int tile_size, bool pairs) {
  const unsigned int bins = 1u << bits;
  for (unsigned int i = 0; i < n; i++) keys[i] = next_random();
  for (unsigned int i = 0; i < n; i++) positions[i] = i;
  const DigitArrays d = digit_arrays_alloc(n, bins, tile_size);
  assert_int_equal(d.tiles, (n + (unsigned int)tile_size - 1) / (unsigned int)tile_size);
  assert_int_equal(d.table, bins * d.tiles);
  const Pairs from = pairs_to_device(keys, pairs ? positions : NULL, n);
  const Pairs to = pairs_to_device(keys, pairs ? keys : NULL, n);

  take_digit<<<d.tiles, tile_size>>>(from.keys, d.digit, n, shift, bins - 1);
  LAUNCH_CHECK();
  for (unsigned int i = 0; i < n; i++) digits[i] = keys[i] >> shift & (bins - 1);
  to_host(actual, d.digit, n);
  expect_array("digit", actual, digits, n);

  // hist, and every element's rank in its tile's run of its digit
  memset(table, 0, d.table * sizeof *table);
  for (unsigned int i = 0; i < n; i++)
    ranks[i] = table[digits[i] * d.tiles + i / (unsigned int)tile_size]++;
  count_tiles<<<d.tiles, tile_size>>>(d.digit, d.hist, n, bins);
  LAUNCH_CHECK();
  static uint32_t hist[MOST_BINS * LARGEST];
  to_host(hist, d.hist, d.table);
  expect_array("hist", hist, table, d.table);

  exclusive_scan(d.hist, d.start, d.table, 64);
  CUDA_CHECK(cudaMemcpy(d.rank, ranks, n * sizeof *ranks, cudaMemcpyHostToDevice));
  scatter<<<d.tiles, tile_size>>>(from, to, d.digit, d.start, d.rank, n);
  LAUNCH_CHECK();
  memcpy(expected, digits, n * sizeof *digits);
  reference_sort(expected, expected_positions, n);
  for (unsigned int i = 0; i < n; i++) expected[i] = keys[expected_positions[i]];
  expect_pairs(to, expected, expected_positions, n);
  pairs_free(from);
  pairs_free(to);
  digit_arrays_free(d);
  assert_int_equal(scratch_outstanding(), 0);
}

TEST(test_pass) {
  static const unsigned int sizes[] = {1,   2,   31,  32,   33,   63,   64,     65,
                                       255, 256, 257, 1023, 1024, 1025, LARGEST};
  for (unsigned int n : sizes) {
    check_pass(n, 1, 31, 32, true);
    check_pass(n, 4, 4, 96, false);
    check_pass(n, 8, 0, 256, true);  // as many bins as threads
    check_pass(n, 8, 16, 64, true);  // more bins than threads
  }
}

RUN_TESTS("digit_table", NULL, NULL)
