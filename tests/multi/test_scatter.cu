// Keys of several shards scattered to bins by destination and digit, and the local sort after that.
#include "tests/unit.h"

#include "common/scratch.h"
#include "multi/device/bucket_finish.h"
#include "multi/move/bins.h"
#include "tests/multi/shards.h"

enum { MOST = 9, SHARD = 40003 };
static uint32_t digit_of(uint32_t key, int bits) {
  return (uint32_t)(((uint64_t)key << bits) >> 32);
}

static void count_digits(const Keys &keys, int bits, uint64_t *digit) {
  std::fill(digit, digit + (1 << bits) + 1, 0);
  for (uint32_t key : keys) digit[digit_of(key, bits) + 1]++;
  for (int g = 0; g < 1 << bits; g++) digit[g + 1] += digit[g];
}

static void check_finish(uint32_t *d_arrived, const Keys &expected, bool by_digit, bool suits) {
  BucketFinish finish = finish_create();
  for (size_t b = 0, i = 0; b <= FINISH_BUCKETS; b++) {
    while (i < expected.size() && expected[i] >> 16 < b) i++;
    finish.start[b] = (uint32_t)i;
  }
  // Two parts: digits up to that of the middle key.
  const int digits = by_digit ? (int)(expected[expected.size() / 2] >> 24) + 1 : (int)FINISH_DIGITS;
  if (finish_prepare(&finish, digits)) {
    Keys sorted(expected.size());
    uint32_t *const d_sorted = to_device(sorted.data(), sorted.size());
    for (int part = 0; part <= by_digit; part++)
      finish_sort(&finish, part, d_arrived, d_sorted, by_digit);
    const bool fits = finish_wait(&finish);
    assert_int_equal(fits, suits);
    to_host(sorted.data(), fits ? d_sorted : d_arrived, sorted.size());
    if (!fits) std::sort(sorted.begin(), sorted.end());
    expect_array("sorted", sorted.data(), expected.data(), sorted.size());
    free_device(d_sorted);
  }
  finish_destroy(&finish);
}

// Scatters shards whose keys `make_key` returns; rank r gets elements cut[r] .. cut[r + 1] - 1.
static void check_scatter(int ranks, int bits, uint32_t (*make_key)(void), bool suits) {
  std::vector<Keys> shards(ranks, Keys(SHARD));
  Keys sorted;
  for (Keys &shard : shards)
    for (uint32_t &key : shard) key = make_key();
  const std::vector<Element> all = sorted_elements(shards);
  for (const Element &element : all) sorted.push_back(element.key);
  uint64_t cut[MOST + 1], digit[(1 << SCATTER_MOST_BITS) + 1], size[SCATTER_MOST_BINS];
  for (int r = 0; r <= ranks; r++) cut[r] = all.size() * r / ranks;
  count_digits(sorted, bits, digit);
  scatter_bin_sizes(digit, bits, cut, ranks, size);
  uint32_t *arrived[MOST], *arrays[SCATTER_MOST_BINS];
  uint64_t first[SCATTER_MOST_BINS], next = 0;
  for (int r = 0; r < ranks; r++) arrived[r] = to_device(sorted.data(), cut[r + 1] - cut[r]);
  for (int b = 0, d = 0; b < scatter_bins(ranks, bits); b++) {
    while (d < ranks - 1 && (int)digit_of(sorted[cut[d + 1]], bits) + d < b) d++, next = 0;
    arrays[b] = arrived[d];
    first[b] = next;
    next += size[b];
  }
  BinTables tables = bin_tables_create(ranks);
  for (int s = 0; s < ranks; s++) {
    Splitter splitters[MOST];
    uint64_t own_cut[MOST + 1];
    find_splitters(all, shards[s], s, cut, ranks, splitters, own_cut);
    count_digits(shards[s], bits, digit);
    scatter_bin_sizes(digit, bits, own_cut, ranks, size);
    uint32_t *const d_keys = to_device(shards[s].data(), SHARD);
    if (s == 0) {
      scatter_keys(&tables, bits, d_keys, SHARD, splitters, arrays, first, NULL);
    } else {  // every third bin by one block, then the others; no other bin has a place
      for (int p = 0; p < 2; p++) {
        BinPart part = {{0}, p == 0 ? 1 : 0};
        uint32_t *its_arrays[SCATTER_MOST_BINS] = {};
        for (int b = 0; b < scatter_bins(ranks, bits); b++)
          if ((b % 3 > 0) == p) part.word[b / 32] |= 1u << b % 32, its_arrays[b] = arrays[b];
        scatter_keys(&tables, bits, d_keys, SHARD, splitters, its_arrays, first, &part);
        CUDA_CHECK(cudaDeviceSynchronize());
      }
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    free_device(d_keys);
    for (int b = 0; b < scatter_bins(ranks, bits); b++) first[b] += size[b];
  }
  bin_tables_destroy(&tables);
  for (int r = 0; r < ranks; r++) {
    const Keys expected(sorted.begin() + cut[r], sorted.begin() + cut[r + 1]);
    Keys keys(expected.size());
    to_host(keys.data(), arrived[r], keys.size());
    for (size_t i = 1; i < keys.size(); i++)
      assert_true(digit_of(keys[i - 1], bits) <= digit_of(keys[i], bits));
    std::sort(keys.begin(), keys.end());
    expect_array("arrived", keys.data(), expected.data(), keys.size());
    check_finish(arrived[r], expected, bits == SCATTER_MOST_BITS, suits);
    free_device(arrived[r]);
  }
  assert_int_equal(scratch_outstanding(), 0);
}

// Buckets of more than 18,432 keys are cut in two.
static uint32_t large_buckets(void) { return 3u << 24 | next_random() % (3 << 16); }
static uint32_t few_keys(void) { return 3u << 24 | next_random() % 3; }
static uint32_t one_key(void) { return 0xffffffff; }
static uint32_t equal_keys(void) { return next_random() % 3 << 24 | next_random() % 7 << 16; }

TEST(test_scatter) {
  check_scatter(2, 8, few_prefixes, true);
  check_scatter(3, 8, few_prefixes, true);
  check_scatter(MOST, 8, few_prefixes, true);
  check_scatter(MOST, 0, few_prefixes, true);
  check_scatter(2, 0, few_prefixes, true);
  check_scatter(3, 7, equal_keys, true);
  check_scatter(2, 8, large_buckets, true);
  check_scatter(3, 0, large_buckets, true);
  check_scatter(2, 8, few_keys, false);  // a bucket of 40,003 keys suits no block, nor its half
  check_scatter(2, 7, few_keys, false);
  check_scatter(3, 8, one_key, false);
}

// A border at a key, all of whose equals are left of it or right of it, needs no index.
TEST(test_borders_at_keys) {
  static const uint32_t keys[] = {9, 5, 7, 5, 1, 7};
  for (int left = 0; left < 2; left++) {
    uint32_t found[6] = {0};
    uint32_t *const d_keys = to_device(keys, 6), *arrays[2];
    for (int d = 0; d < 2; d++) arrays[d] = to_device(found, 6);
    const Splitter splitter = (Splitter)7 << 32 | (left ? 6 : 0);
    const uint64_t first[2] = {0, 0};
    BinTables tables = bin_tables_create(2);
    scatter_keys(&tables, 0, d_keys, 6, &splitter, arrays, first, NULL);
    to_host(found, arrays[0], 6);
    std::sort(found, found + (left ? 5 : 3));
    const uint32_t expected[2][5] = {{1, 5, 5}, {1, 5, 5, 7, 7}};
    expect_array("first rank", found, expected[left], left ? 5 : 3);
    bin_tables_destroy(&tables);
    free_device(d_keys, arrays[0], arrays[1]);
  }
}

RUN_TESTS("scatter", NULL, NULL)
