// radix_v7's sort by splitters, with every plan: right and stable whatever the keys are, as long as
// the buckets fit; else it reports that they do not, and its input is as it was.
#define PAIRS_ROOM 500000
#include "radix_v7/by_splitters.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

static const SplitPlan *plan;

static bool by_splitters(Pairs in, Pairs out, size_t n) {
  return sort_pairs_by_splitters(plan, in, out, n);
}

// Bare keys, as the version sorts them; positions are what they should be all the same.
static bool by_splitters_bare(Pairs in, Pairs out, size_t n) {
  CUDA_CHECK(cudaMemcpy(out.positions, order, n * sizeof *order, cudaMemcpyHostToDevice));
  return sort_pairs_by_splitters(plan, {in.keys, in.keys}, {out.keys, NULL}, n);
}

// Whether this device has enough shared memory for plan `number`.
static bool use_plan(int number) {
  plan = &split_plans[number];
  const size_t limit = dynamic_shared_limit();
  return plan->tile_bytes <= limit && plan->block_bytes <= limit;
}

// A number of pairs that plan `number` may get, though smaller than it is made for.
static size_t size_for(int number) { return number < 2 ? MOST : 3 * MOST; }

// Keys of any distribution, pairs and bare, with cut tiles and unaligned arrays.
static void test_plans(void **) {
  for (int number = 0; number < SPLIT_PLANS; number++) {
    if (!use_plan(number)) continue;
    for (int kind = 0; kind < KINDS; kind++) {
      fill(size_for(number), kind);
      assert_true(sorts(by_splitters, size_for(number)));
      assert_true(sorts(by_splitters_bare, MOST - 7 * kind));
    }
    assert_true(sorts(by_splitters, 1));
    assert_true(sorts(by_splitters, plan->tile + 1));
  }
}

// Buckets as full as they get; sorted keys, of which the last bucket has no more than the others.
static void test_full_plans(void **) {
  for (int number = 0; number < SPLIT_PLANS; number++) {
    if (!use_plan(number)) continue;
    const size_t n = plan->up_to;
    assert_true(n <= ROOM);
    fill(n, 0);
    assert_true(sorts(by_splitters, n));
    for (size_t i = 0; i < n; i++) keys[i] = (uint32_t)i;
    assert_true(sorts(by_splitters, n));
  }
}

// Few values, among them the least and the greatest: buckets of equal keys, which many blocks copy.
static void test_equal_keys(void **) {
  static const uint32_t values[] = {0, 1, 0x7fffffffu, 0xfffffffeu, ~0u};
  for (int number = 0; number < SPLIT_PLANS; number++) {
    if (!use_plan(number)) continue;
    const size_t n = size_for(number);
    for (uint32_t used = 1; used <= 5; used += 2)
      for (int from_last = 0; from_last < 2; from_last++) {
        for (size_t i = 0; i < n; i++) {
          const uint32_t value = random_word() % used;
          keys[i] = values[from_last ? 4 - value : value];
        }
        assert_true(sorts(by_splitters, n));
        assert_true(sorts(by_splitters_bare, MOST));
      }
    // In order, so that a bucket has all of some tiles; and more values than splitters, nearly.
    for (size_t i = 0; i < n; i++) keys[i] = (uint32_t)(i * 5 / n) * 3;
    assert_true(sorts(by_splitters, n));
    for (uint32_t count = 50; count <= 5000; count *= 10) {
      for (size_t i = 0; i < n; i++) keys[i] = random_word() % count * 0x00010003u;
      assert_true(sorts(by_splitters, n));
    }
    // One value among others that are spread.
    for (size_t i = 0; i < n; i++) keys[i] = random_word() % 3 == 0 ? 0x12345678u : random_word();
    assert_true(sorts(by_splitters, n));
  }
}

// A few keys far below and above all others, which the sample may not know.
static void test_far_keys(void **) {
  for (int number = 0; number < SPLIT_PLANS; number++) {
    if (!use_plan(number)) continue;
    for (size_t i = 0; i < MOST; i++) keys[i] = 0x40000000u + (random_word() & 0xffff);
    for (size_t i = 0; i < 60; i++)
      keys[i * 999] = i % 2 == 0 ? random_word() >> 4 : ~random_word() >> 1 | 1u << 31;
    assert_true(sorts(by_splitters, MOST));
  }
}

// Every fifth key in one of `crowds` crowds, of which the sample knows nothing: keys at places that
// it draws from are spread, as are all others.
static void fill_crowds(uint32_t crowds, size_t n) {
  const uint32_t samples = SAMPLES_EACH << plan->bits, apart = 0xffffffffu / crowds;
  for (size_t i = 0; i < n; i++)
    keys[i] = i % 5 > 0
                  ? random_word()
                  : (uint32_t)(i / 5 % crowds) * apart + 1000000u + (uint32_t)(i / 5) / crowds;
  for (uint32_t j = 0; j < samples; j++) {
    keys[(uint64_t)j * n / samples + ((uint64_t)scrambled(j) * (n / samples) >> 32)] =
        j * (0xffffffffu / samples);
  }
}

// Up to MOST_LARGE large buckets of pairs are sorted by themselves, but none of bare keys.
static void test_large_buckets(void **) {
  for (int number = 0; number < SPLIT_PLANS; number++) {
    if (!use_plan(number)) continue;
    const size_t n = number < 2 ? MOST : ROOM;
    for (uint32_t crowds = 1; crowds <= MOST_LARGE + 1;
         crowds += crowds == 2 ? MOST_LARGE - 2 : 1) {
      fill_crowds(crowds, n);
      const size_t in_crowd = n / 5 / crowds;
      const bool large = in_crowd > plan->capacity;
      assert_int_equal(sorts(by_splitters, n), !large || crowds <= MOST_LARGE);
      if (large) assert_false(sorts(by_splitters_bare, n));
    }
    fill(MOST, 0);
    assert_true(sorts(by_splitters, MOST));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_plans, begin),
      cmocka_unit_test_setup(test_full_plans, begin),
      cmocka_unit_test_setup(test_equal_keys, begin),
      cmocka_unit_test_setup(test_far_keys, begin),
      cmocka_unit_test_setup(test_large_buckets, begin),
  };
  return cmocka_run_group_tests_name("radix_v7 splitters", tests, NULL, NULL);
}
