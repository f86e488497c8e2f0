// mppsort_v2 on inputs made against its ranges: nested clusters, large groups of one key, one far
// key beside a dense cluster; with groups and fine ranges of several sizes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "mppsort_v2/levels.cuh"
#include "tests/reference_sort.h"

static const char *const stages[] = {"ranges", "move", "sort", NULL};
static const SortKnob knobs[] = {{}};
static const SortVersion version = {"", "", "", true, UINT32_MAX, 0, stages, knobs};

enum { MOST = 60000 };
static uint32_t keys[MOST], expected[MOST], order[MOST], result[MOST];

static uint32_t random_word(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 32);
}

static unsigned int *to_device(const uint32_t *from, size_t n) {
  unsigned int *const copy = (unsigned int *)scratch_alloc(n * sizeof *copy);
  CUDA_CHECK(cudaMemcpy(copy, from, n * sizeof *copy, cudaMemcpyHostToDevice));
  return copy;
}

static void assert_on_device(const unsigned int *from, const uint32_t *wanted, size_t n) {
  CUDA_CHECK(cudaMemcpy(result, from, n * sizeof *result, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < n; i++)
    if (result[i] != wanted[i]) fail_msg("[%zu] is %u, expected %u", i, result[i], wanted[i]);
}

// Sorts keys[0..n) as keys and as pairs; the positions show whether equal keys keep their order.
static void sort_and_check(unsigned int n, int fine_bits, unsigned int capacity) {
  knobs_begin(&version);
  stages_begin(&version, false);
  for (unsigned int i = 0; i < n; i++) {
    expected[i] = keys[i];
    result[i] = i;
  }
  reference_sort(expected, order, n);
  Pairs input = {to_device(keys, n), to_device(result, n)};
  Pairs output = {to_device(keys, n), to_device(keys, n)};
  sort_by_ranges<true>(input, output, n, fine_bits, capacity);
  assert_on_device(output.keys, expected, n);
  assert_on_device(output.positions, order, n);
  CUDA_CHECK(cudaMemcpy(input.keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
  const Pairs bare_input = {input.keys, NULL}, bare_output = {output.keys, NULL};
  sort_by_ranges<false>(bare_input, bare_output, n, fine_bits, capacity);
  assert_on_device(output.keys, expected, n);
  scratch_free(input.keys);
  scratch_free(input.positions);
  scratch_free(output.keys);
  scratch_free(output.positions);
  assert_int_equal(scratch_outstanding(), 0);
}

// Half of the keys anywhere, half of the others in the first 1/2^bits of that range, and so on: in
// each level one fine range is too large.
static void draw_nested(unsigned int n, int bits) {
  for (unsigned int i = 0; i < n; i++) {
    int shift = 0;
    while (shift + bits < 32 && random_word() % 2 == 0) shift += bits;
    keys[i] = random_word() >> shift;
  }
}

static void test_nested_clusters(void **state) {
  (void)state;
  draw_nested(MOST, 13);
  sort_and_check(MOST, 0, MOST_IN_GROUP);
  sort_and_check(MOST, 13, 1024);
  draw_nested(20011, 4);
  sort_and_check(20011, 4, 256);
  draw_nested(3001, 1);
  sort_and_check(3001, 2, 64);
}

// Clusters at both ends of the 32 bits and in the middle, each with a cluster of equal keys.
static void test_three_clusters(void **state) {
  (void)state;
  static const uint32_t centre[3] = {0, 0x7fffffff, UINT32_MAX - 2047};
  for (unsigned int i = 0; i < 40000; i++)
    keys[i] = centre[random_word() % 3] + (random_word() % 2 == 0 ? 5 : random_word() % 2048);
  sort_and_check(40000, 0, MOST_IN_GROUP);
  sort_and_check(20000, 8, 512);
}

// Too many equal keys beside others: found equal in level 0 (fine ranges of one key), in level 1
// and, below two far keys, in level 2.
static void test_equal_keys(void **state) {
  (void)state;
  for (unsigned int i = 0; i < 30000; i++) keys[i] = i % 4 != 0 ? 7 : random_word() % 100;
  sort_and_check(30000, 0, MOST_IN_GROUP);
  for (unsigned int i = 0; i < 30000; i++) keys[i] = i % 4 != 0 ? 1u << 20 : random_word();
  sort_and_check(30000, 0, MOST_IN_GROUP);
  for (unsigned int i = 0; i < 30000; i++)
    keys[i] = i % 8 != 0 ? 77 : i % 16 == 0 ? random_word() : random_word() % (1u << 19);
  sort_and_check(30000, 0, MOST_IN_GROUP);
  for (unsigned int i = 0; i < 30000; i++) keys[i] = UINT32_MAX;
  sort_and_check(30000, 0, MOST_IN_GROUP);
}

// All keys but one within 64 neighbours, in one fine range after another until level 2.
static void test_one_far_key(void **state) {
  (void)state;
  for (unsigned int i = 0; i < 20000; i++) keys[i] = random_word() % 64;
  keys[12345] = UINT32_MAX;
  sort_and_check(20000, 0, MOST_IN_GROUP);
  sort_and_check(20000, 1, MOST_IN_GROUP);  // 32 levels
}

// Sizes around a block, a round and two rounds.
static void test_sizes(void **state) {
  (void)state;
  for (unsigned int i = 0; i < MOST; i++) keys[i] = random_word();
  static const unsigned int sizes[] = {1,         2,     63,        64,           65,
                                       ROUND - 1, ROUND, ROUND + 1, 2 * ROUND + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) sort_and_check(sizes[i], 10, 64);
  sort_and_check(MOST_IN_GROUP, 0, MOST_IN_GROUP);
  sort_and_check(MOST_IN_GROUP + 1, 0, MOST_IN_GROUP);
}

// The first level of the handout's example: eight fine ranges, groups of at most four keys.
static void test_handout(void **state) {
  (void)state;
  static const uint32_t hand[] = {17, 10, 12, 40, 11, 12, 16, 13};
  static const uint32_t moved[] = {10, 12, 11, 12, 13, 16, 17, 40};
  static const uint32_t start[] = {0, 5, 7, 8}, three = 3;
  static const unsigned short group[] = {0, 1, 2, 2, 2, 2, 2, 2};
  knobs_begin(&version);
  stages_begin(&version, false);
  const Segment segment = make_segment(0, 8, 3, 4);
  const Workspace w = workspace_alloc(segment);
  const Pairs input = {to_device(hand, 8), NULL}, output = {to_device(hand, 8), NULL};
  CUDA_CHECK(cudaMemset(w.list.count, 0, sizeof *w.list.count));
  do_segment<false>(w, segment, input, output, output);
  assert_on_device(w.ranges.groups, &three, 1);
  assert_on_device(w.ranges.group_start, start, 4);
  unsigned short group_of_fine[8];
  CUDA_CHECK(cudaMemcpy(group_of_fine, w.ranges.group_of_fine, sizeof group_of_fine,
                        cudaMemcpyDeviceToHost));
  assert_memory_equal(group_of_fine, group, sizeof group);
  assert_on_device(output.keys, moved, 8);
  assert_int_equal(read_list(w), 1);
  assert_int_equal(w.host_list[0].begin, 0);
  assert_int_equal(w.host_list[0].length, 5);
  assert_int_equal(w.host_list[0].kind, PARTITION_AGAIN);
  scratch_free(output.keys);
  scratch_free(input.keys);
  workspace_free(w);
  assert_int_equal(scratch_outstanding(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nested_clusters), cmocka_unit_test(test_three_clusters),
      cmocka_unit_test(test_equal_keys),      cmocka_unit_test(test_one_far_key),
      cmocka_unit_test(test_sizes),           cmocka_unit_test(test_handout),
  };
  return cmocka_run_group_tests_name("mppsort_v2 ranges", tests, NULL, NULL);
}
