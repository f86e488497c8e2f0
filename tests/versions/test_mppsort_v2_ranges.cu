// mppsort_v2 on inputs made against its ranges: nested clusters, large groups of one key, one far
// key beside a dense cluster; with groups and fine ranges of several sizes.
#include "tests/unit.h"

#include "common/scratch.h"
#include "mppsort_v2/levels.cuh"

enum { MOST = 60000, TILE = 4096, SMALL_BLOCK = 512 * 9, CLUSTERED = 4000 };
static uint32_t keys[MOST], expected[MOST], order[MOST], positions[MOST];

// Sorts keys[0..n) as keys and as pairs; the positions show whether equal keys keep their order.
static void sort_and_check(unsigned int n, int fine_bits, unsigned int capacity) {
  for (unsigned int i = 0; i < n; i++) {
    expected[i] = keys[i];
    positions[i] = i;
  }
  reference_sort(expected, order, n);
  Pairs input = {to_device(keys, n), to_device(positions, n)};
  Pairs output = {to_device(keys, n), to_device(keys, n)};
  sort_by_ranges(input, output, n, fine_bits, capacity);
  expect_device("keys of pairs", output.keys, expected, n);
  expect_device("positions", output.positions, order, n);
  CUDA_CHECK(cudaMemcpy(input.keys, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
  const Pairs bare_input = {input.keys, NULL}, bare_output = {output.keys, NULL};
  sort_by_ranges(bare_input, bare_output, n, fine_bits, capacity);
  expect_device("keys", output.keys, expected, n);
  free_device(input.keys, input.positions, output.keys, output.positions);
  assert_int_equal(scratch_outstanding(), 0);
}

// Half of the keys anywhere, half of the others in the first 1/2^bits of that range, and so on: in
// each level one fine range is too large.
static void draw_nested(unsigned int n, int bits) {
  for (unsigned int i = 0; i < n; i++) {
    int shift = 0;
    while (shift + bits < 32 && next_random() % 2 == 0) shift += bits;
    keys[i] = next_random() >> shift;
  }
}

TEST(test_nested_clusters) {
  draw_nested(MOST, 13);
  sort_and_check(MOST, 0, 0);
  sort_and_check(MOST, 12, 1024);
  draw_nested(20011, 4);
  sort_and_check(20011, 4, 256);
  draw_nested(3001, 1);
  sort_and_check(3001, 4, 128);
}

// Clusters at both ends of the 32 bits and in the middle, each with a cluster of equal keys.
TEST(test_three_clusters) {
  static const uint32_t centre[3] = {0, 0x7fffffff, UINT32_MAX - 2047};
  for (unsigned int i = 0; i < 40000; i++)
    keys[i] = centre[next_random() % 3] + (next_random() % 2 == 0 ? 5 : next_random() % 2048);
  sort_and_check(40000, 0, 0);
  sort_and_check(20000, 8, 512);
}

// Too many equal keys beside others: found equal in level 0 (fine ranges of one key), in level 1
// and, below two far keys, in level 2.
TEST(test_equal_keys) {
  for (unsigned int i = 0; i < 30000; i++) keys[i] = i % 4 != 0 ? 7 : next_random() % 100;
  sort_and_check(30000, 0, 0);
  for (unsigned int i = 0; i < 30000; i++) keys[i] = i % 4 != 0 ? 1u << 20 : next_random();
  sort_and_check(30000, 0, 0);
  for (unsigned int i = 0; i < 30000; i++)
    keys[i] = i % 8 != 0 ? 77 : i % 16 == 0 ? next_random() : next_random() % (1u << 19);
  sort_and_check(30000, 0, 0);
  for (unsigned int i = 0; i < MOST; i++) keys[i] = UINT32_MAX;
  sort_and_check(30000, 0, 0);
  sort_and_check(MOST, 0, 64);  // two levels are planned, and the second has no part
}

// All keys but one within 64 neighbours, in one fine range after another until level 2.
TEST(test_one_far_key) {
  for (unsigned int i = 0; i < 20000; i++) keys[i] = next_random() % 64;
  keys[12345] = UINT32_MAX;
  sort_and_check(20000, 0, 0);
  sort_and_check(9000, 1, 1000);  // many levels
}

// A group of narrow clusters, each in one bin: for a warp to rank (20), to bin (40, 100 and 250),
// or too large for that (800); also of equal keys and of half as many. With one key in `share` in a
// cluster: all of them (1), so that the group is merged, or few (8), so that it is not.
static void draw_overfull(unsigned int members, unsigned int width, unsigned int share) {
  const unsigned int clusters = CLUSTERED / share / members;
  for (unsigned int i = 0; i < CLUSTERED; i++) {
    keys[i] = next_random();
    if (i % share != 0) continue;
    keys[i] = keys[i] % clusters * (UINT32_MAX / clusters) + next_random() % width;
  }
}

TEST(test_overfull_bins) {
  static const unsigned int members[] = {20, 40, 100, 250, 800};
  static const unsigned int widths[] = {1, 50, 100000};
  for (size_t m = 0; m < sizeof members / sizeof *members; m++)
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
      for (unsigned int share = 1; share <= 8 && CLUSTERED / share >= members[m]; share += 7) {
        draw_overfull(members[m], widths[w], share);
        sort_and_check(CLUSTERED, 0, 0);
      }
}

// Sizes around a block, a tile of pairs and a tile of keys.
TEST(test_sizes) {
  for (unsigned int i = 0; i < MOST; i++) keys[i] = next_random();
  static const unsigned int sizes[] = {1, 2, 63, 64, 65, TILE - 1, TILE, TILE + 1, 2 * TILE + 1};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) sort_and_check(sizes[i], 10, 200);
  sort_and_check(SMALL_BLOCK, 0, 0);
  sort_and_check(SMALL_BLOCK + 1, 0, 0);
}

RUN_TESTS("mppsort_v2 ranges", NULL, NULL)
