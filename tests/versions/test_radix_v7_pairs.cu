// radix_v7's ways to sort pairs, each forced in turn, and what makes a bucket take another way: is
// the result right and stable, and does a sort that does not fit report it and leave its input
// unchanged?
#include "radix_v7/by_prefix.cuh"
#include "radix_v7/ranked.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

static const PairSweepShape *sweep_shape;

// One after the other, as far as the device has the shared memory.
static void use_sweep_shape(size_t number) {
  const size_t choices = SWEEP_CHOICES;
  number %= choices + 2;
  sweep_shape = number < choices    ? &sweep_choices[number].shape
                : number == choices ? &large_8
                                    : &long_8;
  if (sweep_shape->shared_bytes > dynamic_shared_limit()) sweep_shape = &sweep_choices[0].shape;
}

static bool by_packed_sweeps(Pairs in, Pairs out, size_t n) {
  void *const memory = scratch_alloc(packed_layout(sweep_shape, in, out, n).bytes);
  sort_pairs_by_sweeps(sweep_shape, in, out, n, memory);
  scratch_free(memory);
  return true;
}

static bool by_sweeps_of_v6(Pairs in, Pairs out, size_t n) {
  void *const memory = scratch_alloc(sweeps_bytes(n, true));
  sort_by_sweeps(in, out, n, memory);
  scratch_free(memory);
  return true;
}

static unsigned int verdict;  // of the last sort by prefix

static bool by_prefix(Pairs in, Pairs out, size_t n) {
  verdict = sort_pairs_by_prefix(in, out, n);
  return verdict == FITS;
}

// Every plan, with cut tiles, and with an output that cannot hold packed pairs.
static void test_plans(void **) {
  for (int plan = 1; plan <= PREFIX_PLANS; plan++) {
    set("prefixPlan", plan);
    if (plan_prefix(1000) == NULL) continue;  // too little shared memory
    for (int kind = 0; kind < (many_buckets(plan) ? 1 : 4); kind++) {
      set("longRuns", 1 + plan % 2);
      fill(25001, kind);
      assert_true(sorts(by_prefix, 25001));
    }
  }
}

// As many pairs in a bucket as fit; then one more.
static void test_full_bucket(void **) {
  for (int plan = 1; plan <= PREFIX_PLANS; plan++) {
    set("prefixPlan", plan);
    if (plan_prefix(1000) == NULL || many_buckets(plan)) continue;
    const PrefixPlan *const p = &prefix_plans[plan - 1];
    const size_t capacity = p->block->capacity - MOST_LEAD;
    const int low_bits = 32 - p->bits.low - p->bits.high;
    for (int crowded = 0; crowded < 2; crowded++) {
      const uint32_t mask = ((1u << low_bits) - 1) & (crowded ? 0x7u : ~0u);
      for (size_t i = 0; i <= capacity; i++) keys[i] = random_word() & mask;
      assert_true(sorts(by_prefix, capacity));
      assert_false(sorts(by_prefix, capacity + 1));
      keys[capacity] = ~0u;  // in another bucket
      assert_true(sorts(by_prefix, capacity + 1));
    }
  }
}

// A few large buckets, each sorted by itself: of one value, and of many; first, last and between.
// One more than MOST_LARGE are too many.
static void test_large_buckets(void **) {
  set("prefixPlan", plan_of(6, 6));
  const PrefixPlan *const p = plan_prefix(1000);
  if (p == NULL) skip();
  for (uint32_t large = 1; large <= MOST_LARGE + 1; large += large == 2 ? MOST_LARGE - 2 : 1) {
    const size_t n = fill_large(large, p->block->capacity, p->bits.low + p->bits.high);
    assert_int_equal(sorts(by_prefix, n), large <= MOST_LARGE);
  }
}

// A count that finds a bucket too large, and the sort after it, which must find all counters at 0.
static void test_after_a_misfit(void **) {
  set("prefixPlan", plan_of(6, 6));
  if (plan_prefix(1000) == NULL) skip();
  for (size_t i = 0; i < MOST; i++) keys[i] = random_word() & 1 ? 5 : random_word();
  assert_false(sorts(by_prefix, MOST));
  assert_true(sorts(by_sweeps_of_v6, MOST));
  fill(MOST, 0);
  assert_true(sorts(by_prefix, MOST));
}

// Buckets do not fit, whether the count ends early or not: because there are few values, or not.
static void test_unfit(void **) {
  const size_t n = 2 * WATCHED_FROM;
  set("prefixPlan", plan_of(6, 6));
  if (plan_prefix(1000) == NULL) skip();
  for (uint32_t values = 1; values <= 64; values *= 4) {
    for (size_t i = 0; i < n; i++) keys[i] = random_word() % values * 0x04000001u;
    assert_false(sorts(by_prefix, n));
    assert_int_equal(verdict, values <= MOST_VALUES ? FEW_VALUES : TOO_LARGE);
  }
  fill(n, 0);
  assert_true(sorts(by_prefix, n));
}

// Digits that do not vary are skipped, whichever they are; tiles of one digit are not ranked.
static void test_packed_sweeps(void **) {
  if (!packed_sweeps_fit()) skip();
  static const uint32_t masks[] = {~0u,         0,           0xff,        0xff00,      0xff0000,
                                   0xff000000u, 0xffff,      0xff00ff00u, 0xff0000ffu, 0xffffff00u,
                                   0xff00ffffu, 0x00ffffffu, 0x01010101u};
  for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
    use_sweep_shape(m);
    for (size_t i = 0; i < 45001; i++) keys[i] = random_word() & masks[m];
    assert_true(sorts(by_packed_sweeps, 45001));
  }
  for (size_t i = 0; i < 45001; i++) keys[i] = i == 30000 ? 7 : 0x01020304u;
  assert_true(sorts(by_packed_sweeps, 45001));
  for (size_t shape = 0; shape < SWEEP_CHOICES + 2; shape++)
    for (int kind = 0; kind < KINDS; kind++) {
      use_sweep_shape(shape);
      fill(30720, kind);
      assert_true(sorts(by_packed_sweeps, 30720));
    }
}

static bool by_rank(Pairs in, Pairs out, size_t n) {
  sort_by_rank(in, out, n);
  return true;
}

// Up to and beyond the elements of a block, of a row and of a shape, with equal keys in the block,
// before it and behind it. The smallest and the largest key have no neighbours.
static void test_ranked(void **) {
  const size_t sizes[] = {1, 2, 31, 32, 33, 65, 1023, 1025, 4096, 4097, RANKED_MAX};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (int kind = 0; kind < (sizes[s] > 5000 ? 1 : KINDS + 2); kind++) {
      const size_t n = sizes[s];
      fill(n, kind % KINDS);
      for (size_t i = 0; kind >= KINDS && i < n; i++)
        keys[i] = kind == KINDS ? UINT32_MAX : random_word() % 3 - 1;
      assert_true(sorts(by_rank, n));
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_plans, begin),
      cmocka_unit_test_setup(test_full_bucket, begin),
      cmocka_unit_test_setup(test_large_buckets, begin),
      cmocka_unit_test_setup(test_after_a_misfit, begin),
      cmocka_unit_test_setup(test_unfit, begin),
      cmocka_unit_test_setup(test_packed_sweeps, begin),
      cmocka_unit_test_setup(test_ranked, begin),
  };
  return cmocka_run_group_tests_name("radix_v7 pairs", tests, NULL, NULL);
}
