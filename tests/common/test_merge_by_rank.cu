// Merging two neighbouring sorted runs, by one thread and with one thread per element.
#include "common/merge_by_rank.cuh"
#include "tests/common/device_pairs.h"
#include "tests/reference_sort.h"

enum { LARGEST = 130 };

static uint32_t keys[LARGEST], positions[LARGEST], expected_keys[LARGEST],
    expected_positions[LARGEST], actual[LARGEST];

static const unsigned int lengths[] = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65};

TEST(test_runs_of_pair) {
  static const struct {
    size_t pair, width, n;
    Runs runs;
  } cases[] = {{0, 2, 7, {0, 2, 4}}, {1, 2, 7, {4, 6, 7}}, {0, 8, 7, {0, 7, 7}},
               {1, 2, 6, {4, 6, 6}}, {1, 2, 5, {4, 5, 5}}, {0, 4, 8, {0, 4, 8}}};
  for (const auto &test : cases) {
    const Runs runs = runs_of_pair(test.pair, test.width, test.n);
    assert_int_equal(runs.begin, test.runs.begin);
    assert_int_equal(runs.middle, test.runs.middle);
    assert_int_equal(runs.end, test.runs.end);
  }
}

static __global__ void count_in_run(const unsigned int *run, unsigned int length, unsigned int key,
                                    unsigned int *counts) {
  counts[0] = count_before(run, length, key, false);
  counts[1] = count_before(run, length, key, true);
}

TEST(test_count_before) {
  const uint32_t run[] = {2, 5, 5, 8};
  uint32_t *const d_run = to_device(run, 4), *const d_counts = to_device(run, 2);
  for (unsigned int length = 0; length <= 4; length++)
    for (uint32_t key = 0; key < 10; key++) {
      uint32_t less = 0, not_greater = 0, counts[2];
      for (unsigned int i = 0; i < length; i++) less += run[i] < key;
      for (unsigned int i = 0; i < length; i++) not_greater += run[i] <= key;
      count_in_run<<<1, 1>>>(d_run, length, key, d_counts);
      LAUNCH_CHECK();
      to_host(counts, d_counts, 2);
      assert_int_equal(counts[0], less);
      assert_int_equal(counts[1], not_greater);
    }
  CUDA_CHECK(cudaFree(d_run));
  CUDA_CHECK(cudaFree(d_counts));
}

static __global__ void merge_by_one_thread(Pairs from, Pairs to, Runs runs) {
  merge_serially(from, to, runs);
}

static __global__ void merge_by_all_threads(Pairs from, Pairs to, unsigned int left,
                                            unsigned int count) {
  const unsigned int i = threadIdx.x;
  if (i < count) move_pair(to, place_in_merge(from.keys, left, count, i), from, i);
}

// Two sorted runs with many equal keys; the merged result is that of a stable sort.
static void draw_runs(unsigned int left, unsigned int right) {
  const unsigned int n = left + right;
  for (unsigned int i = 0; i < n; i++) keys[i] = next_random() % 16;
  reference_sort(keys, positions, left);
  reference_sort(keys + left, positions, right);
  for (unsigned int i = 0; i < n; i++) positions[i] = i;
  memcpy(expected_keys, keys, n * sizeof *keys);
  reference_sort(expected_keys, expected_positions, n);
}

static void check_merge(unsigned int left, unsigned int right, bool by_rank, bool with_positions) {
  const unsigned int n = left + right;
  draw_runs(left, right);
  memset(actual, 0xa5, sizeof actual);
  const Pairs from = pairs_to_device(keys, with_positions ? positions : NULL, n);
  const Pairs to = pairs_to_device(actual, with_positions ? actual : NULL, n);
  if (by_rank)
    merge_by_all_threads<<<1, 160>>>(from, to, left, n);
  else
    merge_by_one_thread<<<1, 1>>>(from, to, Runs{0, left, n});
  LAUNCH_CHECK();
  expect_pairs(to, expected_keys, expected_positions, n);
  pairs_free(from);
  pairs_free(to);
}

TEST(test_merge) {
  for (unsigned int left : lengths)
    for (unsigned int right : lengths)
      for (int way = 0; way < 4; way++) check_merge(left, right, way / 2 == 1, way % 2 == 1);
}

RUN_TESTS("merge_by_rank", NULL, NULL)
