// Bitonic sorting in shared memory and, one visit per launch, in device memory: every number of
// steps per visit, keys and pairs, at powers of two and beside them.
#include "common/block_bitonic.cuh"
#include "tests/common/device_pairs.h"
#include "tests/reference_sort.h"

enum { LARGEST = 2049 };

static uint32_t keys[LARGEST], positions[LARGEST], expected_keys[LARGEST],
    expected_positions[LARGEST], actual[LARGEST], actual_positions[LARGEST];

static const unsigned int sizes[] = {
    1,   2,   3,   4,   5,   6,   7,   8,   9,   15,  16,  17,   31,   32,   33,   63,   64,     65,
    127, 128, 129, 255, 256, 257, 511, 512, 513, 767, 777, 1023, 1024, 1025, 2047, 2048, LARGEST};

// ---- what a sort must return -------------------------------------------------------------------

typedef void Sort(Pairs data, unsigned int n, unsigned int threads);

static void check_sort(Sort *sort, bool pairs, unsigned int n, unsigned int threads,
                       uint32_t different_keys) {
  for (unsigned int i = 0; i < n; i++) {
    keys[i] = next_random() % different_keys * (UINT32_MAX / (different_keys - 1));
    positions[i] = i;
  }
  memcpy(expected_keys, keys, n * sizeof *keys);
  reference_sort(expected_keys, expected_positions, n);
  const Pairs data = pairs_to_device(keys, pairs ? positions : NULL, n);
  sort(data, n, threads);
  LAUNCH_CHECK();
  to_host(actual, data.keys, n);
  char context[60];
  snprintf(context, sizeof context, "%s, n = %u, %u threads", pairs ? "pairs" : "keys", n, threads);
  expect_array(context, actual, expected_keys, n);
  if (pairs) {  // not stable: every position once, with its key
    static bool seen[LARGEST];
    memset(seen, 0, sizeof seen);
    to_host(actual_positions, data.positions, n);
    for (unsigned int i = 0; i < n; i++) {
      const uint32_t position = actual_positions[i];
      assert_true(position < n && !seen[position] && keys[position] == actual[i]);
      seen[position] = true;
    }
  }
  pairs_free(data);
}

static void check_sizes(Sort *sort, bool pairs) {
  for (unsigned int n : sizes) {
    check_sort(sort, pairs, n, 64, UINT32_MAX);
    check_sort(sort, pairs, n, 256, 5);  // the largest is UINT32_MAX, which the padding is too
  }
}

// ---- in shared memory --------------------------------------------------------------------------

template <int STEPS, bool PAIRS>
static __global__ void sort_block(Pairs data, unsigned int n) {
  extern __shared__ unsigned int memory[];
  const Pairs tile = {memory, PAIRS ? memory + (n + 31) / 32 * 32 : NULL};
  fetch_tile<PAIRS>(tile, data, 0, n);
  block_bitonic_sort<STEPS, PAIRS>(tile, n);
  store_tile<PAIRS>(data, 0, tile, n);
}

template <int STEPS, bool PAIRS>
static void sort_shared(Pairs data, unsigned int n, unsigned int threads) {
  sort_block<STEPS, PAIRS><<<1, threads, tile_bytes(n, PAIRS)>>>(data, n);
}

TEST(test_shared) {
  check_sizes(sort_shared<1, false>, false);
  check_sizes(sort_shared<2, false>, false);
  check_sizes(sort_shared<3, false>, false);
  check_sizes(sort_shared<1, true>, true);
  check_sizes(sort_shared<2, true>, true);
  check_sizes(sort_shared<3, true>, true);
}

// ---- in device memory --------------------------------------------------------------------------

template <int STEPS, BitonicVisit VISIT>
static __global__ void visit(Pairs data, unsigned int n, int log_stride, int active) {
  const unsigned int group = (unsigned int)global_index();
  if (group < bitonic_groups(n, STEPS, log_stride))
    visit_group<STEPS, true, VISIT, false>(data, n, group, log_stride, active);
}

template <int STEPS>
static void sort_device(Pairs data, unsigned int n, unsigned int threads) {
  const unsigned int blocks = blocks_for(n, (int)threads);
  visit<STEPS, SORT_NEIGHBOURS><<<blocks, threads>>>(data, n, 0, 0);
  for (int stage = STEPS + 1; n > 1u << (stage - 1); stage++) {
    visit<STEPS, MIRROR_FIRST><<<blocks, threads>>>(data, n, stage - STEPS, STEPS);
    for (int left = stage - STEPS; left > 0; left -= STEPS)
      visit<STEPS, ONWARD><<<blocks, threads>>>(data, n, left > STEPS ? left - STEPS : 0, left);
  }
}

TEST(test_device) {
  check_sizes(sort_device<1>, true);
  check_sizes(sort_device<2>, true);
  check_sizes(sort_device<3>, true);
}

// ---- sizes -------------------------------------------------------------------------------------

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
