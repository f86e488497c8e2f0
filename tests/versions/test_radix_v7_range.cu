// Keys from a part of all 32-bit numbers: radix_v7's samples find the part, and buckets by its
// first bits sort them; keys outside it, which the samples overlook, are found by the count.
#include "radix_v7/by_buckets.cuh"
#include "radix_v7/by_prefix.cuh"
#include "radix_v7/by_regions.cuh"
#include "radix_v7/by_runs.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

enum { N = REGIONS_FROM + 7777 };
static_assert((int)N >= (int)WATCHED_FROM && (int)N <= (int)ROOM, "a sample is looked at");

static const SortKnob range_knobs[] = {{"shape", 0, 0, SHAPES, ""},
                                       {"largeFrom", 6000000, 1, 1 << 30, ""},
                                       {"longRuns", 1, 0, 2, ""},
                                       {"packedFrom", PACKED_FROM, 0, 1 << 30, ""},
                                       {"prefixPlan", 0, -1, PREFIX_PLANS, ""},
                                       {"runPlan", 0, -1, RUN_PLANS, ""},
                                       {"bucketBits", 0, 0, MAX_BUCKET_BITS, ""},
                                       {"bucketShape", 0, 0, BUCKET_SHAPES, ""},
                                       {}};
static const SortVersion range_version = {"", "", "", true, UINT32_MAX, 0, stages, range_knobs};

static int begin_range(void **) {
  knobs_begin(&range_version);
  stages_begin(&range_version, false);
  return 0;
}

static void set_knob(const char *name, int value) {
  knob_set(knob_find(&range_version, name, strlen(name)), value);
}

static unsigned int verdict;
static KeyRange range, found;

// Of pairs: what the count of all numbers finds; then a sort by `range`, by runs but for a plan of
// its own.
static bool by_whole_range(Pairs in, Pairs out, size_t n) {
  verdict = sort_pairs_by_prefix(in, out, n, WHOLE_RANGE, &found);
  return verdict == FITS;
}
static bool by_range(Pairs in, Pairs out, size_t n) {
  verdict = knob("prefixPlan") == 0 ? sort_pairs_by_runs(in, out, n, range, &found)
                                    : sort_pairs_by_prefix(in, out, n, range, &found);
  return verdict == FITS;
}

// The same of bare keys, in `in.keys` and `out.keys`; the positions are made such as to pass.
static unsigned int sort_bare(Pairs in, Pairs out, size_t n, bool whole) {
  unsigned int *const spare = (unsigned int *)scratch_alloc(n * sizeof *spare);
  const unsigned int bare = whole ? sort_by_regions(in.keys, out.keys, n, &found)
                                  : sort_by_buckets(in.keys, spare, out.keys, n, range, &found);
  scratch_free(spare);
  CUDA_CHECK(cudaMemcpy(out.positions, order, n * sizeof *order, cudaMemcpyHostToDevice));
  return bare;
}
static bool bare_by_whole_range(Pairs in, Pairs out, size_t n) {
  return (verdict = sort_bare(in, out, n, true)) == FITS;
}
static bool bare_by_range(Pairs in, Pairs out, size_t n) {
  return (verdict = sort_bare(in, out, n, false)) == FITS;
}

// Finds a range with keys[0..N), which do not fit as they are, and checks it.
static void find(Sort *sort, int skip, uint32_t common) {
  assert_false(sorts(sort, N));
  assert_int_equal(verdict, TO_RANGE);
  assert_int_equal(found.skip, skip);
  assert_int_equal(found.common, common);
  range = found;
}

// Even keys of a range with any first bits; of pairs by each plan that the range is wide enough
// for. (With two bits less, buckets of pairs still fit.)
static void test_narrow(void **) {
  for (int skip = 2; skip <= 12; skip += 5) {
    const uint32_t common = 0x5e6a7b8cu & ~(~0u >> skip);
    for (size_t i = 0; i < N; i++) keys[i] = common | random_word() >> skip;
    set_knob("prefixPlan", 0);
    if (skip > 2) {
      find(by_whole_range, skip, common);
      assert_true(found.even && found.crowd < 1.01f && found.crowd >= 1);
      assert_true(sorts(by_range, N));
    }
    for (int plan = 1; skip > 2 && plan <= PREFIX_PLANS; plan++) {
      if (many_buckets(plan)) continue;
      set_knob("prefixPlan", plan);
      assert_int_equal(sorts(by_range, N), wide_enough(range, &prefix_plans[plan - 1]));
    }
    find(bare_by_whole_range, skip, common);
    assert_true(!found.in_order);
    for (int bits = MIN_BUCKET_BITS; bits <= 12; bits++) {
      set_knob("bucketBits", bits);
      assert_int_equal(sorts(bare_by_range, N), bits + 10 <= 32 - skip);
    }
  }
}

// The least and the greatest key that can be, and every bucket's first and last.
static void test_ends_of_range(void **) {
  for (int high = 0; high < 2; high++) {
    const uint32_t common = high ? 0xfff00000u : 0;
    for (size_t i = 0; i < N; i++) {
      const uint32_t word = random_word() >> 12, low = word & 0x3ff;
      keys[i] = common | (low < 16 ? word & ~0x3ffu : low > 1000 ? word | 0x3ff : word);
    }
    find(by_whole_range, 12, common);
    assert_true(sorts(by_range, N));
    find(bare_by_whole_range, 12, common);
    assert_true(sorts(bare_by_range, N));
  }
}

// Keys that no sample has, a little and far beyond the range, at either end of the input.
static void test_beyond(void **) {
  size_t not_sampled = N - 1;
  while (is_sampled(not_sampled, N)) not_sampled--;
  for (size_t i = 0; i < N; i++) keys[i] = 0x40000000u | random_word() >> 10;
  find(by_whole_range, 10, 0x40000000u);
  find(bare_by_whole_range, 10, 0x40000000u);
  const KeyRange narrow = range;
  for (int bare = 0; bare < 2; bare++)
    for (int far = 0; far < 3; far++) {
      keys[not_sampled] = far == 0 ? 0x40400000u : far == 1 ? 0x40800000u : 0x41000000u;
      range = narrow;
      assert_false(sorts(bare ? bare_by_range : by_range, N));
      assert_int_equal(verdict, far == 2 ? TOO_LARGE : TO_RANGE);
      if (far == 2) continue;
      assert_int_equal(found.skip, far == 0 ? 9 : 8);
      assert_int_equal(found.common, 0x40000000u);
      range = found;
      assert_true(sorts(bare ? bare_by_range : by_range, N));
    }
}

// Keys around a mean need more buckets; those of a few values, or with one frequent one, have no
// range.
static void test_uneven(void **) {
  for (size_t i = 0; i < N; i++) {
    uint64_t sum = 0;
    for (int w = 0; w < 4; w++) sum += random_word();
    keys[i] = (uint32_t)(sum / 4);
  }
  set_knob("prefixPlan", plan_of(6, 6));
  find(bare_by_whole_range, 0, 0);
  assert_true(!found.even && found.crowd > 2 && found.crowd < 4);
  assert_true(sorts(bare_by_range, N));
  assert_true(sorts(by_range, N));
  set_knob("prefixPlan", 1);
  for (int kind = 0; kind < 2; kind++) {
    for (size_t i = 0; i < N; i++) {
      const uint32_t word = random_word();
      keys[i] = kind == 0 ? 0x12300000u | word % 900 : word % 10 == 0 ? 0x123u : word >> 10;
    }
    assert_false(sorts(by_whole_range, N));
    assert_int_equal(verdict, TOO_LARGE);
    assert_true(sorts(bare_by_whole_range, N));  // by sweeps
  }
}

// Keys in order, up or down: buckets in one step sort them, those in two steps do not.
static void test_in_order(void **) {
  for (int down = 0; down < 2; down++) {
    for (uint32_t i = 0; i < N; i++) keys[i] = 0x70000000u + 37 * (down ? N - i : i);
    find(bare_by_whole_range, 10, 0x70000000u);
    assert_true(found.in_order);
    set_knob("bucketBits", 0);
    assert_true(sorts(bare_by_range, N));
    set_knob("bucketBits", 11);
    assert_false(sorts(bare_by_range, N));
    find(by_whole_range, 10, 0x70000000u);
    assert_true(sorts(by_range, N));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_narrow, begin_range),
      cmocka_unit_test_setup(test_ends_of_range, begin_range),
      cmocka_unit_test_setup(test_beyond, begin_range),
      cmocka_unit_test_setup(test_uneven, begin_range),
      cmocka_unit_test_setup(test_in_order, begin_range),
  };
  return cmocka_run_group_tests_name("radix_v7 range", tests, NULL, NULL);
}
