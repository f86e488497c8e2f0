// Workloads: how their input is written, refreshed and poisoned.
#include "tests/unit.h"

#include "harness/input/input.h"
#include "harness/measure/workload.h"

enum { LARGEST = 1025 };

static const SortVersion u32;  // only its types matter

static uint32_t keys[LARGEST], expected[LARGEST], actual[LARGEST];

static const size_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, LARGEST};

// Fewer keys than elements start again from the first.
static void check_load(size_t n, size_t count) {
  Workload workload = workload_create(&u32, n, false, NULL);
  for (size_t i = 0; i < n; i++) expected[i] = keys[i % count];
  workload_load(&workload, keys, count);
  expect_device("snapshot", workload.snapshot, expected, n);
  workload_destroy(&workload);
  assert_null(workload.snapshot);
}

TEST(test_load) {
  for (size_t i = 0; i < LARGEST; i++) keys[i] = next_random();
  for (size_t i = 0; i < COUNT_OF(sizes); i++)
    for (size_t j = 1; j < COUNT_OF(sizes); j++) check_load(sizes[i], sizes[j]);
}

static void check_refresh(size_t n, bool pairs) {
  Workload workload = workload_create(&u32, n, pairs, NULL);
  assert_int_equal(workload.positions_in != NULL, pairs);
  assert_int_equal(workload.positions_out != NULL, pairs);
  workload_draw(&workload, input_find("uniform"), 5);
  to_host(keys, workload.snapshot, n);
  CUDA_CHECK(cudaMemset(workload.keys_in, 1, n * sizeof *keys));
  if (pairs) CUDA_CHECK(cudaMemset(workload.positions_in, 1, n * sizeof *keys));
  workload_refresh(&workload);
  memcpy(expected, keys, sizeof keys);
  expect_device("keys", workload.keys_in, expected, n);
  expect_device("snapshot", workload.snapshot, expected, n);
  for (uint32_t i = 0; i < n; i++) expected[i] = i;
  if (pairs) expect_device("positions", workload.positions_in, expected, n);
  workload_poison(&workload, 0);
  memset(expected, 0xa5, sizeof expected);
  expect_device("keys", workload.keys_out, expected, n);
  if (pairs) expect_device("positions", workload.positions_out, expected, n);
  workload_destroy(&workload);
}

TEST(test_refresh) {
  for (size_t i = 0; i < COUNT_OF(sizes); i++) {
    check_refresh(sizes[i], false);
    check_refresh(sizes[i], true);
  }
}

// Is the input that number `index` has in the series `sorted`, and how many keys differ from its
// own?
static size_t vary(const Workload *workload, uint64_t index, bool sorted) {
  size_t differ = 0;
  workload_vary(workload, index);
  to_host(actual, workload->snapshot, workload->n);
  for (size_t i = 0; i < workload->n; i++) {
    differ += actual[i] != keys[i % LARGEST];
    if (sorted && i > 0 && actual[i - 1] > actual[i]) fail_msg("key %zu is out of order", i);
  }
  return differ;
}

// A loaded input varies in few keys, and stays sorted if it was; number 0 is the file's own.
TEST(test_vary_loaded) {
  for (uint32_t i = 0; i < LARGEST; i++) keys[i] = i / 3 * 1000;
  for (size_t n = 4; n <= LARGEST; n = n * 2 + 1) {
    Workload workload = workload_create(&u32, n, false, NULL);
    workload_load(&workload, keys, LARGEST);
    for (uint64_t index = 1; index < 20; index++)
      assert_in_range(vary(&workload, index, true), 0, 4);
    assert_int_not_equal(vary(&workload, 1, true) + vary(&workload, 2, true), 0);
    assert_int_equal(vary(&workload, 0, true), 0);
    workload_replace(&workload);
    assert_in_range(vary(&workload, 3, true), 0, 4);
    assert_int_equal(vary(&workload, 0, true), 0);
    workload_destroy(&workload);
  }
}

// Inputs that do not depend on a seed vary too.
TEST(test_vary_generated) {
  Workload workload = workload_create(&u32, LARGEST, false, NULL);
  workload_draw(&workload, input_find("sorted"), 7);
  to_host(keys, workload.snapshot, LARGEST);
  for (uint64_t index = 1; index < 20; index++) assert_in_range(vary(&workload, index, true), 1, 4);
  assert_int_equal(vary(&workload, 0, true), 0);
  workload_destroy(&workload);
}

// Pairs: snapshot, two arrays in, two out, the verdict's marks. Keys: snapshot, in, out, the
// verdict's sorted keys and 1.1 for the library, as far as it sorts all at once. And the version's
// scratch, unless it is unknown.
TEST(test_bytes) {
  const SortVersion known = {.scratch_per_key = 8.5, .scratch_per_pair = 12.25};
  const SortVersion unknown = {.scratch_per_key = -1.0, .scratch_per_pair = -1.0};
  const size_t n = 1000000;
  assert_true(workload_bytes(&known, 0, true) == 64e6);
  assert_true(workload_bytes(&known, n, true) == 64e6 + 1e6 * (6 * 4 + 12.25));
  assert_true(workload_bytes(&unknown, n, true) == 64e6 + 1e6 * 6 * 4);
  assert_true(workload_bytes(&known, n, false) > 64e6 + 1e6 * (5.09 * 4 + 8.5));
  assert_true(workload_bytes(&known, n, false) < 64e6 + 1e6 * (5.11 * 4 + 8.5));
  assert_true(workload_bytes(&unknown, n, false) < 64e6 + 1e6 * 5.11 * 4);
}

// 6 x 10^9 bare keys fit beside a second buffer into the 141 GB of an H200.
TEST(test_bytes_beyond) {
  const SortVersion version = {.scratch_per_key = 5.0, .scratch_per_pair = 9.0};
  assert_true(workload_bytes(&version, 6000000000u, false) < 110e9);
  assert_true(workload_largest_n(&version, false, 141e9) > 8000000000u);
}

TEST(test_largest_n) {
  const SortVersion version = {.scratch_per_key = 8.5, .scratch_per_pair = 12.25};
  static const double sizes[] = {64e6, 65e6, 1e9, 8e9, 9e9, 10e9, 141e9, 1e12};
  assert_int_equal(workload_largest_n(&version, true, 0), 0);
  for (size_t i = 0; i < COUNT_OF(sizes); i++)
    for (int pairs = 0; pairs < 2; pairs++) {
      const size_t n = workload_largest_n(&version, pairs == 1, sizes[i]);
      assert_true(workload_bytes(&version, n, pairs == 1) <= sizes[i]);
      assert_true(workload_bytes(&version, n + 1, pairs == 1) > sizes[i]);
    }
}

RUN_TESTS("workload", NULL, NULL)
