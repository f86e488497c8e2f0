// radix_v7's sort of pairs by regions, with every plan: right and stable for even keys; for others
// it reports that they do not fit, and its input is as it was, whether a sample shows it, a region
// of either sweep turns out to be full, or a bucket does.
#include "radix_v7/by_pair_regions.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

static unsigned int verdict;  // of the last sort
static KeyRange range;

// Was a region or a bucket full, though the sample was even?
static bool overfull(void) { return verdict == TO_RANGE && range.crowd == A_LITTLE_UNEVEN.crowd; }

static bool by_regions(Pairs in, Pairs out, size_t n) {
  verdict = sort_pairs_by_regions(in, out, n, &range);
  return verdict == FITS;
}

// Every plan: cut tiles, regions that are empty, and an output that cannot hold packed pairs.
static void test_plans(void **) {
  for (int plan = 1; plan <= PREFIX_PLANS; plan++) {
    set("prefixPlan", plan);
    if (plan_prefix(1000) == NULL) continue;
    for (int kind = 0; kind < (many_buckets(plan) ? 1 : 4); kind++) {
      set("longRuns", 1 + plan % 2);
      fill(25001, kind % 3);
      const uint32_t mask = kind == 3 ? 0xffc001ffu : ~0u;  // few lower digits
      for (size_t i = 0; i < 25001; i++) keys[i] &= mask;
      assert_int_equal(sorts(by_regions, 25001), kind < 3);
    }
  }
}

// Sizes at and beside borders of tiles, and of the pieces between the sweeps.
static void test_sizes(void **) {
  set("prefixPlan", plan_of(6, 6));
  if (plan_prefix(1000) == NULL) skip();
  fill(ROOM, 0);
  for (size_t n = LOOK_FROM - 1; n <= 40961; n += 8192)
    for (size_t more = 0; more < 3; more++)
      assert_int_equal(sorts(by_regions, n + more), n + more >= LOOK_FROM);
  assert_true(sorts(by_regions, 102400));
  assert_true(sorts(by_regions, 140000));
}

// More and more keys have one digit, the lower or the upper one, first, last or between: as soon as
// a region has no room, the sort reports it.
static void test_full_region(void **) {
  int found_late = 0;
  for (int high = 6; high <= 7; high++) {
    const int plan = plan_of(6, high);
    set("prefixPlan", plan);
    if (plan_prefix(1000) == NULL) continue;
    const PrefixBits bits = prefix_plans[plan - 1].bits;
    for (int upper = 0; upper < 2; upper++)
      for (int which = 0; which < 3; which++) {
        const int wide = upper ? bits.high : bits.low,
                  shift = 32 - bits.high - (upper ? 0 : bits.low);
        const uint32_t mask = ((1u << wide) - 1) << shift;
        const uint32_t digit = which == 0 ? 0 : which == 1 ? mask / 3 & mask : mask;
        bool fitted = true;
        for (uint32_t more = 0; more < 100; more += 49) {
          size_t in_region = 0;
          for (size_t i = 0; i < MOST; i++) {
            keys[i] = random_word();
            if (i % 1000 < more / 5) keys[i] = (keys[i] & ~mask) | digit;
            in_region += (keys[i] & mask) == digit;
          }
          fitted = in_region <= region_room(MOST, wide);
          assert_int_equal(sorts(by_regions, MOST), fitted);
          // The sample may show it, or the region be full at last.
          assert_true(fitted ? verdict == FITS : verdict == TO_RANGE || verdict == TO_COUNT);
          found_late += overfull();
          if (more == 0) assert_true(fitted);
        }
        assert_false(fitted);
      }
  }
  assert_true(found_late > 0 || dynamic_shared_limit() < 200 * 1024);
}

// All regions have room, and the sample overlooks that a bucket has a few pairs more than fit into
// a block: it alone has pairs of its lower digit, and most of those of its upper one.
static void test_full_bucket(void **) {
  set("prefixPlan", plan_of(6, 6));
  const PrefixPlan *const plan = plan_prefix(1000);
  if (plan == NULL) skip();
  const size_t n = 140000, capacity = plan->block->capacity - MOST_LEAD;
  assert_true(region_room(n, 6) > capacity + 1);
  for (size_t more = 0; more < 2; more++) {
    size_t in_bucket = 0;
    for (size_t i = 0; i < n; i++) {
      const uint32_t low = 1 + random_word() % 63, rest = random_word() >> 12;
      uint32_t high = random_word() % 64;
      const bool overlooked = !is_sampled(i, n), full = in_bucket == capacity + more;
      if (high == 0 && overlooked && full) high = 1 + random_word() % 63;
      keys[i] = high << 26 | low << 20 | rest;
      // The share of the upper digit, and then what the bucket lacks.
      if (overlooked && !full && (high == 0 || i % 300 == 0)) {
        keys[i] = rest;
        in_bucket++;
      }
    }
    assert_true(in_bucket == capacity + more);
    assert_int_equal(sorts(by_regions, n), more == 0);
    assert_true(more == 0 ? verdict == FITS : overfull());
  }
}

// What a sample shows: one value, few values, half of all regions; or one value that many keys
// have, which is no obstacle to a count. After each, even keys fit.
static void test_uneven(void **) {
  for (int kind = 0; kind < 8; kind++) {
    set("prefixPlan", kind % 2 == 0 ? plan_of(6, 7) : plan_of(6, 6));
    if (plan_prefix(1000) == NULL) skip();
    for (size_t i = 0; i < MOST; i++) {
      const uint32_t word = random_word();
      keys[i] = kind == 0   ? 77
                : kind == 2 ? word % 16 * 0x10000001u
                : kind == 4 ? word >> 1
                : kind == 6 ? (word % 20 == 0 ? 77 : random_word())
                            : word;
    }
    sorts(by_regions, MOST);
    assert_int_equal(verdict, kind % 2 == 1 ? FITS
                              : kind < 4    ? FEW_VALUES
                              : kind == 4   ? TO_RANGE
                                            : TO_COUNT);
  }
}

// What a second look shows: a tenth of all numbers without keys, a few equal keys each, or many.
static void test_roomier(void **) {
  set("prefixPlan", plan_of(6, 6));
  if (plan_prefix(1000) == NULL) skip();
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < MOST; i++)
      keys[i] = kind == 0   ? (uint32_t)((uint64_t)random_word() * 9 / 10)
                : kind == 1 ? (uint32_t)(i / 4) * 0x9e3779b1u
                : kind == 2 ? (uint32_t)(i / 16) * 0x9e3779b1u
                            : random_word();
    assert_int_equal(sorts(by_regions, MOST), kind == 3);
    assert_int_equal(verdict, kind < 2 ? TO_RANGE : kind == 2 ? TOO_LARGE : FITS);
    if (kind == 0) assert_true(range.crowd > 1.08f && range.crowd < 1.5f);
    if (kind == 1) assert_true(range.alike > 3 && range.alike < 5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_plans, begin),
      cmocka_unit_test_setup(test_sizes, begin),
      cmocka_unit_test_setup(test_full_region, begin),
      cmocka_unit_test_setup(test_full_bucket, begin),
      cmocka_unit_test_setup(test_uneven, begin),
      cmocka_unit_test_setup(test_roomier, begin),
  };
  return cmocka_run_group_tests_name("radix_v7 pair regions", tests, NULL, NULL);
}
