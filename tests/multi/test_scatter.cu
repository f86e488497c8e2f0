// Keys of several shards scattered to bins by destination and digit, and the local sort after that.
#include <algorithm>
#include <vector>

#include "tests/unit.h"

#include "common/scratch.h"
#include "multi/bucket_finish.h"
#include "multi/scatter.h"

enum { MOST = 8, SHARD = 40003 };
typedef std::vector<uint32_t> Keys;

// An element of all shards, in the order that the borders divide.
typedef struct Element {
  uint32_t key;
  int shard;
  uint32_t index;
  bool operator<(const Element &other) const {
    if (key != other.key) return key < other.key;
    return shard != other.shard ? shard < other.shard : index < other.index;
  }
} Element;

static void count_digits(const Keys &keys, uint64_t *digit) {
  std::fill(digit, digit + SCATTER_DIGITS + 1, 0);
  for (uint32_t key : keys) digit[(key >> 24) + 1]++;
  for (int g = 0; g < SCATTER_DIGITS; g++) digit[g + 1] += digit[g];
}

static void check_finish(uint32_t *d_arrived, const Keys &expected, bool suits) {
  BucketFinish finish = finish_create();
  for (size_t b = 0, i = 0; b <= FINISH_BUCKETS; b++) {
    while (i < expected.size() && expected[i] >> 16 < b) i++;
    finish.start[b] = (uint32_t)i;
  }
  assert_int_equal(finish_suits(&finish), suits);
  if (suits) {
    Keys sorted(expected.size());
    uint32_t *const d_sorted = to_device(sorted.data(), sorted.size());
    finish_sort(&finish, d_arrived, d_sorted, sorted.size());
    to_host(sorted.data(), d_sorted, sorted.size());
    expect_array("sorted", sorted.data(), expected.data(), sorted.size());
    CUDA_CHECK(cudaFree(d_sorted));
  }
  finish_destroy(&finish);
}

// Scatters shards whose keys `make_key` returns; rank r gets elements cut[r] .. cut[r + 1] - 1.
static void check_scatter(int ranks, uint32_t (*make_key)(void), bool suits) {
  std::vector<Keys> shards(ranks, Keys(SHARD));
  std::vector<Element> all;
  Keys sorted;
  for (int s = 0; s < ranks; s++)
    for (uint32_t i = 0; i < SHARD; i++) {
      shards[s][i] = make_key();
      all.push_back({shards[s][i], s, i});
    }
  std::sort(all.begin(), all.end());
  for (const Element &element : all) sorted.push_back(element.key);
  uint64_t cut[MOST + 1], digit[SCATTER_DIGITS + 1], size[SCATTER_MOST_BINS];
  for (int r = 0; r <= ranks; r++) cut[r] = all.size() * r / ranks;
  count_digits(sorted, digit);
  scatter_bin_sizes(digit, cut, ranks, size);
  uint32_t *arrived[MOST], *arrays[SCATTER_MOST_BINS];
  uint64_t first[SCATTER_MOST_BINS], next = 0;
  for (int r = 0; r < ranks; r++) arrived[r] = to_device(sorted.data(), cut[r + 1] - cut[r]);
  for (int b = 0, d = 0; b < scatter_bins(ranks); b++) {
    while (d < ranks - 1 && (int)(sorted[cut[d + 1]] >> 24) + d < b) d++, next = 0;
    arrays[b] = arrived[d];
    first[b] = next;
    next += size[b];
  }
  Scatter scatter = scatter_create(ranks);
  for (int s = 0; s < ranks; s++) {
    Splitter splitters[MOST];
    uint64_t own_cut[MOST + 1] = {0};
    for (int b = 0; b < ranks - 1; b++) {
      const Element border = all[cut[b + 1]];
      const uint32_t index = s < border.shard   ? (uint32_t)SHARD
                             : s > border.shard ? 0
                                                : border.index;
      splitters[b] = (Splitter)border.key << 32 | index;
      for (uint32_t i = 0; i < SHARD; i++)
        own_cut[b + 1] += ((Splitter)shards[s][i] << 32 | i) < splitters[b];
    }
    own_cut[ranks] = SHARD;
    count_digits(shards[s], digit);
    scatter_bin_sizes(digit, own_cut, ranks, size);
    uint32_t *const d_keys = to_device(shards[s].data(), SHARD);
    scatter_keys(&scatter, d_keys, SHARD, splitters, arrays, first);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFree(d_keys));
    for (int b = 0; b < scatter_bins(ranks); b++) first[b] += size[b];
  }
  scatter_destroy(&scatter);
  for (int r = 0; r < ranks; r++) {
    const Keys expected(sorted.begin() + cut[r], sorted.begin() + cut[r + 1]);
    Keys keys(expected.size());
    to_host(keys.data(), arrived[r], keys.size());
    for (size_t i = 1; i < keys.size(); i++) assert_true(keys[i - 1] >> 24 <= keys[i] >> 24);
    std::sort(keys.begin(), keys.end());
    expect_array("arrived", keys.data(), expected.data(), keys.size());
    check_finish(arrived[r], expected, suits);
    CUDA_CHECK(cudaFree(arrived[r]));
  }
  assert_int_equal(scratch_outstanding(), 0);
}

// Few prefixes, so that few blocks run.
static uint32_t few_prefixes(void) {
  return next_random() % 5 << 24 | next_random() % 3 << 16 | (next_random() & 0xffff);
}
static uint32_t few_keys(void) { return 3u << 24 | next_random() % 3; }
static uint32_t one_key(void) { return 0xffffffff; }
static uint32_t equal_keys(void) { return next_random() % 3 << 24 | next_random() % 7 << 16; }

static void test_scatter(void **) {
  check_scatter(2, few_prefixes, true);
  check_scatter(3, few_prefixes, true);
  check_scatter(MOST, few_prefixes, true);
  check_scatter(3, equal_keys, true);
  check_scatter(2, few_keys, false);  // a bucket of 40,003 keys suits no block
  check_scatter(3, one_key, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scatter)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
