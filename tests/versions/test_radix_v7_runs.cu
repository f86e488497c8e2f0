// radix_v7's sort of pairs by runs, with every plan: right and stable whatever the keys are, as
// long as the buckets fit; else it reports that they do not, and its input is as it was.
#define PAIRS_ROOM 2200000
#include "radix_v7/by_runs.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

static const RunPlan *plan;
static KeyRange range, found;
static unsigned int verdict;  // of the last sort

// Nothing that matters is known, but a sample is not asked for.
static const KeyRange NO_SAMPLE = {0, 0, 1, true, false, 1.01f};

static bool by_runs(Pairs in, Pairs out, size_t n) {
  verdict = sort_pairs_by_run_plan(plan, in, out, n, range, &found);
  return verdict == FITS;
}

static int begin_runs(void **state) {
  range = NO_SAMPLE;
  return begin(state);
}

// Whether this device has enough shared memory for plan `number`.
static bool use_plan(int number) {
  plan = &run_plans[number];
  const size_t limit = dynamic_shared_limit();
  return plan->tiles->shared_bytes <= limit && plan->runs->shared_bytes <= limit;
}

static int bits_of_plan(void) { return plan->tiles->bits; }
static uint32_t capacity_of_plan(void) { return plan->runs->capacity - MOST_LEAD; }

// Whether every bucket of keys[0..n), by the bits that follow the first range.skip ones, fits.
static bool buckets_fit_in_blocks(size_t n) {
  static uint32_t count[1 << 10];
  memset(count, 0, sizeof count);
  for (size_t i = 0; i < n; i++) count[keys[i] << range.skip >> (32 - bits_of_plan())]++;
  for (int b = 0; b < 1 << bits_of_plan(); b++)
    if (count[b] > capacity_of_plan()) return false;
  return true;
}

// Every plan, with cut tiles, unaligned arrays, crowded bins, and runs as long as a tile.
static void test_plans(void **) {
  set("largeFrom", 1 << 30);
  int misfits = 0;
  for (int number = 0; number < RUN_PLANS; number++) {
    if (!use_plan(number)) continue;
    for (int kind = 0; kind < KINDS; kind++)
      for (size_t n = 5001; n <= 45001; n += 20000) {
        fill(n, kind);
        const bool fit = buckets_fit_in_blocks(n);
        assert_int_equal(sorts(by_runs, n), fit);
        misfits += !fit;
      }
  }
  assert_true(misfits > 0);
}

// Sizes at and beside borders of tiles; the largest key stands beside the padding of the last tile.
static void test_sizes(void **) {
  for (int number = 0; number < RUN_PLANS; number += 3) {
    if (!use_plan(number)) continue;
    const size_t tile = plan->tiles->tile;
    for (int kind = 0; kind < 2; kind++) {
      fill(3 * tile, 0);
      for (size_t i = 0; kind == 1 && i < 3 * tile; i += 17) keys[i] = ~0u;
      for (size_t tiles = 1; tiles <= 2; tiles++)
        for (size_t more = 0; more <= 2; more++) {
          const size_t n = tiles * tile - 1 + more;
          assert_int_equal(sorts(by_runs, n), buckets_fit_in_blocks(n));
        }
      assert_true(sorts(by_runs, 1));
    }
  }
}

// As many pairs in a bucket as fit; then one more. With few low bits the bins are crowded.
static void test_full_bucket(void **) {
  set("largeFrom", 1 << 30);
  for (int number = 0; number < RUN_PLANS; number++) {
    if (!use_plan(number)) continue;
    const uint32_t capacity = capacity_of_plan();
    const int low_bits = 32 - bits_of_plan();
    for (int crowded = 0; crowded < 3; crowded++) {
      const uint32_t mask =
          ((1u << low_bits) - 1) & (crowded == 0   ? ~0u
                                    : crowded == 1 ? 0x7u
                                                   : 0xff000003u >> (32 - low_bits));
      for (size_t i = 0; i <= capacity; i++) keys[i] = random_word() & mask;
      assert_true(sorts(by_runs, capacity));
      assert_false(sorts(by_runs, capacity + 1));
      keys[capacity] = ~0u;  // in another bucket
      assert_true(sorts(by_runs, capacity + 1));
    }
  }
}

// A few large buckets, each sorted by itself; one more than MOST_LARGE are too many.
static void test_large_buckets(void **) {
  for (int number = 0; number < 5; number += 4) {
    if (!use_plan(number)) continue;
    for (uint32_t large = 1; large <= MOST_LARGE + 1; large += large == 2 ? MOST_LARGE - 2 : 1) {
      const size_t n = fill_large(large, plan->runs->capacity, bits_of_plan());
      assert_int_equal(sorts(by_runs, n), large <= MOST_LARGE);
    }
  }
}

// More tiles than a block of the second step has threads.
static void test_many_tiles(void **) {
  if (!use_plan(3)) skip();
  const size_t n = (size_t)plan->tiles->tile * (plan->runs->threads + 1) + 77;
  assert_true(n <= ROOM);
  fill(n, 0);
  assert_true(sorts(by_runs, n));
}

// What a sample shows: even keys, few values, a part of all numbers, none of these, one frequent
// value, which is sorted by itself, or many equal keys of each value. Sweeps sort what is none of
// these, and the last. The sort after a misfit must find all counters at 0.
static void test_sample(void **) {
  range = WHOLE_RANGE;
  if (!use_plan(0)) skip();
  const size_t n = 200000;
  for (int kind = 0; kind < 7; kind++) {
    for (size_t i = 0; i < n; i++) {
      const uint32_t word = random_word();
      keys[i] = kind == 1   ? word % 5 * 0x04000001u
                : kind == 2 ? word >> 9
                : kind == 3 ? word >> random_word() % 32
                : kind == 4 ? (word % 20 == 0 ? 0x12345678u : random_word())
                : kind == 5 ? word % 2000 * 0x20c49bu
                            : word;
    }
    if (kind == 3) assert_false(buckets_fit_in_blocks(n));
    assert_int_equal(sorts(by_runs, n), kind == 0 || kind >= 3);
    if (kind == 1) assert_int_equal(verdict, FEW_VALUES);
    if (kind == 2) assert_int_equal(verdict, TO_RANGE);
    if (kind == 2) assert_int_equal(found.skip, 9);
  }
}

// Even as far as the sample shows, but one bucket is too large: then more room is asked for.
static void test_overfull(void **) {
  set("largeFrom", 1 << 30);
  range = WHOLE_RANGE;
  if (!use_plan(0)) skip();
  const size_t n = 200000;
  fill(n, 0);
  for (size_t i = 0, filled = 0; i < n && filled <= plan->runs->capacity; i++)
    if (!is_sampled(i, n)) {
      keys[i] &= 0x00ffffffu;
      filled++;
    }
  assert_false(sorts(by_runs, n));
  assert_int_equal(verdict, TO_RANGE);
  assert_true(found.crowd == A_LITTLE_UNEVEN.crowd);
}

// Keys of a part of all numbers; then one that is not: a wider range is asked for.
static void test_range(void **) {
  for (int number = 0; number < RUN_PLANS; number += 2) {
    if (!use_plan(number) || bits_of_plan() + plan->runs->bin_bits > 32 - 9) continue;
    range = {9, 0x12800000u, 1, true, false, 1};
    fill(MOST, 0);
    for (size_t i = 0; i < MOST; i++) keys[i] = keys[i] >> 9 | range.common;
    assert_int_equal(sorts(by_runs, MOST), buckets_fit_in_blocks(MOST));
    keys[MOST / 2] ^= 1u << 24;
    assert_false(sorts(by_runs, MOST));
    assert_int_equal(verdict, TO_RANGE);
    assert_int_equal(found.skip, 7);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_plans, begin_runs),
      cmocka_unit_test_setup(test_sizes, begin_runs),
      cmocka_unit_test_setup(test_full_bucket, begin_runs),
      cmocka_unit_test_setup(test_large_buckets, begin_runs),
      cmocka_unit_test_setup(test_many_tiles, begin_runs),
      cmocka_unit_test_setup(test_sample, begin_runs),
      cmocka_unit_test_setup(test_overfull, begin_runs),
      cmocka_unit_test_setup(test_range, begin_runs),
  };
  return cmocka_run_group_tests_name("radix_v7 runs", tests, NULL, NULL);
}
