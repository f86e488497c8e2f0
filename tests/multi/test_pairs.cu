// Pairs of several shards moved to their ranks in order of a digit, and the local sort after that.
#include "tests/unit.h"

#include "common/scratch.h"
#include "multi/device/pair_finish.h"
#include "multi/move/bins.h"
#include "tests/multi/shards.h"

enum { MOST = 4, SHARD = 40003, HALVES = 1 << 16 };

static std::vector<uint64_t> count_halves_of(const Keys &keys) {
  std::vector<uint64_t> counts(HALVES);
  for (uint32_t key : keys) counts[key >> 16]++;
  return counts;
}

static void to_packed(const std::vector<Element> &all, size_t begin, size_t end, Keys *keys,
                      Keys *positions) {
  for (size_t i = begin; i < end; i++) {
    keys->push_back(all[i].key);
    positions->push_back((uint32_t)all[i].shard * SHARD + all[i].index);
  }
}

// Sorts what rank r has got; the pairs must be all[begin .. end - 1]. fits: each bucket does.
static void check_finish(PairFinish *finish, const PairPlan *plan, const uint64_t *counts,
                         const std::vector<Element> &all, uint64_t begin, uint64_t end,
                         uint32_t *d_arrived, bool fits) {
  const size_t n = end - begin;
  Keys expected_keys, expected_positions, keys(n), positions(n), empty(2 * n);
  to_packed(all, begin, end, &expected_keys, &expected_positions);
  uint32_t *const d_spare = to_device(empty.data(), 2 * n),
                  *const d_keys = to_device(keys.data(), n),
                  *const d_positions = to_device(keys.data(), n);
  pair_finish_prepare(finish, plan, counts, all[begin].key, all[end - 1].key, begin, end);
  const bool sorted = pair_finish_sort(finish, plan, n, d_arrived, d_spare, d_keys, d_positions);
  assert_int_equal(sorted, fits);
  to_host(keys.data(), d_keys, n);
  to_host(positions.data(), d_positions, n);
  if (!sorted) {  // the pairs are in order of their prefixes, stably
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (size_t i = 0; i < n; i++) pairs.push_back({keys[i], positions[i]});
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
    for (size_t i = 0; i < n; i++) keys[i] = pairs[i].first, positions[i] = pairs[i].second;
  }
  expect_array("keys", keys.data(), expected_keys.data(), n);
  expect_array("positions", positions.data(), expected_positions.data(), n);
  free_device(d_spare, d_keys, d_positions);
}

// Rank r gets elements cut[r] .. cut[r + 1] - 1 of all shards' pairs in order.
static void check_pairs(int ranks, uint32_t (*make_key)(void), int prefix_bits, bool fits) {
  std::vector<Keys> shards(ranks, Keys(SHARD));
  Keys whole;
  for (Keys &shard : shards)
    for (uint32_t &key : shard) whole.push_back(key = make_key());
  const std::vector<Element> all = sorted_elements(shards);
  const std::vector<uint64_t> counts = count_halves_of(whole);
  uint64_t cut[MOST + 1], size[PAIR_MOVE_MOST_BINS] = {0}, first[PAIR_MOVE_MOST_BINS];
  uint32_t least[MOST], greatest[MOST], *arrived[MOST], *arrays[PAIR_MOVE_MOST_BINS];
  for (int r = 0; r <= ranks; r++) cut[r] = all.size() * (size_t)r / (size_t)ranks;
  for (int r = 0; r < ranks; r++) {
    least[r] = all[cut[r]].key;
    greatest[r] = all[cut[r + 1] - 1].key;
    const Keys empty(2 * (cut[r + 1] - cut[r]));
    arrived[r] = to_device(empty.data(), empty.size());
  }
  PairPlan plan;
  assert_true(pair_finish_choose(counts.data(), least, greatest, ranks, SHARD, &plan));
  assert_int_equal(plan.prefix_bits, prefix_bits);
  const PairDigitBits digit = plan.digit;
  const int bins = ranks << digit.bits;
  BinTables tables = bin_tables_create(ranks);
  PairFinish finish = pair_finish_create(SHARD + 1, SHARD);

  Splitter splitters[MOST][MOST];
  uint64_t own[MOST][PAIR_MOVE_MOST_BINS];
  for (int s = 0; s < ranks; s++) {
    uint64_t own_cut[MOST + 1], by_halves[PAIR_MOVE_MOST_BINS];
    find_splitters(all, shards[s], s, cut, ranks, splitters[s], own_cut);
    uint32_t *const d_keys = to_device(shards[s].data(), SHARD);
    count_pair_bins(&tables, d_keys, SHARD, splitters[s], digit, own[s]);
    free_device(d_keys);
    for (int b = 0; b < bins; b++) size[b] += own[s][b];
    if (prefix_bits > COUNTED_BITS) continue;
    const std::vector<uint64_t> wide = count_halves_of(shards[s]);
    const std::vector<uint32_t> own_counts(wide.begin(), wide.end());
    digit_bin_sizes(own_counts.data(), own_cut, ranks, digit.shift - 16, digit.bits, by_halves);
    for (int b = 0; b < bins; b++) assert_int_equal(by_halves[b], own[s][b]);
  }
  for (int b = 0; b < bins; b++) {
    const bool new_rank = b % (1 << digit.bits) == 0;
    arrays[b] = arrived[b >> digit.bits];
    first[b] = new_rank ? 0 : first[b - 1] + size[b - 1];
  }
  for (int s = 0; s < ranks; s++) {
    Keys positions(SHARD);
    for (uint32_t i = 0; i < SHARD; i++) positions[i] = (uint32_t)s * SHARD + i;
    uint32_t *const d_keys = to_device(shards[s].data(), SHARD), *const d_positions = to_device(
                                                                     positions.data(), SHARD);
    pair_finish_clear(&finish);
    move_pairs_to_bins(&tables, d_keys, d_positions, SHARD, splitters[s], digit, arrays, first,
                       finish.look_back);
    CUDA_CHECK(cudaDeviceSynchronize());
    free_device(d_keys, d_positions);
    for (int b = 0; b < bins; b++) first[b] += own[s][b];
  }
  for (int r = 0; r < ranks; r++) {
    pair_finish_clear(&finish);
    check_finish(&finish, &plan, counts.data(), all, cut[r], cut[r + 1], arrived[r], fits);
    free_device(arrived[r]);
  }
  pair_finish_destroy(&finish);
  bin_tables_destroy(&tables);
  assert_int_equal(scratch_outstanding(), 0);
}

static uint32_t many_keys(void) { return next_random() >> 4; }
// Borders inside equal keys, each of which is in another bucket.
static uint32_t equal_keys(void) { return next_random() % 29 << 16 | 5; }
// Buckets of 20,000 pairs and more, which must be cut in two.
static uint32_t large_buckets(void) { return next_random() % 4 << 20 | (next_random() & 0xffff); }
static uint32_t uneven_buckets(void) { return large_buckets() | 0x8000; }

TEST(test_pairs) {
  check_pairs(2, many_keys, 12, true);
  check_pairs(2, few_prefixes, 16, true);
  check_pairs(3, few_prefixes, 16, true);
  check_pairs(MOST, equal_keys, 16, true);
}

TEST(test_cut_buckets) {
  check_pairs(2, large_buckets, 17, true);
  check_pairs(3, large_buckets, 17, true);
  check_pairs(2, uneven_buckets, 17, false);
}

RUN_TESTS("pairs", NULL, NULL)
