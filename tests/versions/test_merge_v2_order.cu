// merge_v2 by another order: keys of two 32-bit values, the first descending, the second ascending.
// Only the file order.cuh is replaced, as in the handout.
#include "tests/unit.h"

#define MERGE_V2_ORDER_CUH  // in place of merge_v2/order.cuh
typedef uint2 Key;

static __host__ __device__ __forceinline__ bool less(Key a, Key b) {
  return a.x != b.x ? a.x > b.x : a.y < b.y;
}

#include "merge_v2/passes.cuh"

enum { MOST = 40000 };
static uint2 keys[MOST], sorted[MOST];
static unsigned int positions[MOST];

// Each part of a key takes `values` values.
static void draw(size_t n, unsigned int values) {
  for (size_t i = 0; i < n; i++) {
    keys[i].x = next_random() % values;
    keys[i].y = next_random() % values;
    positions[i] = (unsigned int)i;
  }
}

// A sorted and stable permutation: each element is found by its position, and of two neighbours the
// second is not less, nor equal with a smaller position.
static void check(size_t n, const unsigned int *from) {
  static bool seen[MOST];
  for (size_t i = 0; i < n; i++) seen[i] = false;
  for (size_t i = 0; i < n; i++) {
    assert_true(from[i] < n && !seen[from[i]]);
    seen[from[i]] = true;
    assert_memory_equal(&sorted[i], &keys[from[i]], sizeof(Key));
    if (i == 0) continue;
    assert_false(less(sorted[i], sorted[i - 1]));
    if (!less(sorted[i - 1], sorted[i])) assert_true(from[i - 1] < from[i]);
  }
}

static void sort_and_check(size_t n, unsigned int values, int shape, int doublings, bool own_cuts) {
  static unsigned int result[MOST];
  draw(n, values);
  const KeyArrays input = {to_device(keys, n), to_device(positions, n)};
  const KeyArrays output = {to_device(keys, n), to_device(positions, n)};
  merge_sort(input, output, n, shape, doublings, own_cuts);
  to_host(sorted, output.keys, n);
  to_host(result, output.positions, n);
  check(n, result);
  free_device(input.keys, input.positions, output.keys, output.positions);
}

static int by_order(const void *a, const void *b) {
  const Key x = *(const Key *)a, y = *(const Key *)b;
  return less(y, x) - less(x, y);
}

// Bare keys: as many as before and in order; equal ones are identical.
static void sort_bare_and_check(size_t n, unsigned int values, int shape) {
  static uint2 expected[MOST];
  draw(n, values);
  memcpy(expected, keys, n * sizeof *keys);
  qsort(expected, n, sizeof *expected, by_order);
  const KeyArrays input = {to_device(keys, n), NULL}, output = {to_device(keys, n), NULL};
  merge_sort(input, output, n, shape, 3, shape % 2 == 0);
  to_host(sorted, output.keys, n);
  assert_memory_equal(sorted, expected, n * sizeof(Key));
  free_device(input.keys, output.keys);
}

TEST(test_bare_keys) {
  for (int shape = 1; shape <= SHAPES; shape++) {
    sort_bare_and_check(777, 1000000, shape);
    sort_bare_and_check(35000, 100, shape);
  }
}

TEST(test_two_words) {
  sort_and_check(1000, 1000000, 0, 3, false);
  sort_and_check(20001, 1000000, 1, 3, true);
  sort_and_check(40000, 1000000, 2, 2, false);
}

TEST(test_equal_keys_keep_their_order) {
  sort_and_check(20001, 3, 1, 3, false);
  sort_and_check(17137, 2, 4, 1, false);
  sort_and_check(30000, 1, 3, 3, true);
}

// The cuts against their definition, for every rank of runs of unequal length; a warp per rank.
template <int WAYS>
static __global__ void cut_everywhere(const Key *first, size_t width, const unsigned int *length,
                                      unsigned int *cuts) {
  __shared__ Key window[32];
  const unsigned int rank = blockIdx.x, run = threadIdx.x / Lanes<WAYS>::AHEAD;
  const unsigned int cut = cut_at_rank<WAYS>(first + run * width, length[run], rank, window);
  if (threadIdx.x % Lanes<WAYS>::AHEAD == 0) cuts[rank * WAYS + run] = cut;
}

enum { WIDTH = 300, MOST_RUNS = 8 };

static bool in_order(const unsigned int *cut, int i, int j, const unsigned int *length) {
  if (cut[i] == 0 || cut[j] == length[j]) return true;
  const Key before = keys[i * WIDTH + cut[i] - 1], behind = keys[j * WIDTH + cut[j]];
  return less(before, behind) || (!less(behind, before) && i <= j);
}

// `ascending`: the runs, too, follow each other in order.
template <int WAYS>
static void check_cuts(unsigned int values, bool ascending, const unsigned int *length) {
  unsigned int count = 0;
  for (int j = 0; j < WAYS; j++) count += length[j];
  static unsigned int cuts[(MOST_RUNS * WIDTH + 1) * MOST_RUNS];
  const size_t all_cuts = (count + 1) * WAYS;
  draw(WAYS * WIDTH, values);
  if (ascending) qsort(keys, WAYS * WIDTH, sizeof(Key), by_order);
  for (int j = 0; j < WAYS; j++) qsort(keys + j * WIDTH, length[j], sizeof(Key), by_order);
  Key *const d_keys = to_device(keys, WAYS * WIDTH);
  unsigned int *const d_length = to_device(length, WAYS), *const d_cuts = to_device(cuts, all_cuts);
  cut_everywhere<WAYS><<<count + 1, 32>>>(d_keys, WIDTH, d_length, d_cuts);
  LAUNCH_CHECK();
  to_host(cuts, d_cuts, all_cuts);
  for (unsigned int rank = 0; rank <= count; rank++) {
    const unsigned int *const cut = cuts + rank * WAYS;
    unsigned int sum = 0;
    for (int j = 0; j < WAYS; j++) {
      assert_true(cut[j] <= length[j]);
      sum += cut[j];
    }
    assert_int_equal(sum, rank);
    for (int i = 0; i < WAYS; i++)
      for (int j = 0; j < WAYS; j++) assert_true(in_order(cut, i, j, length));
  }
  free_device(d_keys, d_length, d_cuts);
}

TEST(test_cuts) {
  const unsigned int length[MOST_RUNS] = {WIDTH, 160, WIDTH, 37, WIDTH, 1, 20, 0};
  const unsigned int values[] = {1, 3, 100, 1000000};
  for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    for (int ascending = 0; ascending < 2; ascending++) {
      check_cuts<2>(values[v], ascending, length);
      check_cuts<4>(values[v], ascending, length);
      check_cuts<8>(values[v], ascending, length);
    }
}

RUN_TESTS("merge_v2_order", NULL, NULL)
