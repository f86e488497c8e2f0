// radix_v7's sort of keys with few values, bare and with positions: right and stable whatever the
// values and the strays between them are; too many strays are reported, and the input is as it was.
#include "radix_v7/by_few_values.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

static bool found;  // few values in a sample, before the last sort
static KeyRange range;

static bool pairs_by_values(Pairs in, Pairs out, size_t n) {
  found = why_unfit(in.keys, n, &range) == FEW_VALUES;
  return found && sort_pairs_by_values(in, out, n);
}

// The same without positions.
static bool keys_by_values(size_t n) {
  const Pairs in = allocate(n), out = allocate(n);
  found = why_unfit(in.keys, n, &range) == FEW_VALUES;
  const bool sorted = found && sort_keys_by_values(in.keys, out.keys, n);
  compare("the input", in.keys, keys, n);
  if (sorted) {
    memcpy(expected, keys, n * sizeof *keys);
    reference_sort(expected, order, n);
    compare("key", out.keys, expected, n);
  }
  release(out);
  release(in);
  assert_int_equal(scratch_outstanding(), 0);
  return sorted;
}

static void sorts_both(size_t n, bool expect_found, bool expect_sorted) {
  assert_int_equal(sorts(pairs_by_values, n), expect_sorted);
  assert_int_equal(found, expect_found);
  assert_int_equal(keys_by_values(n), expect_sorted);
  assert_int_equal(found, expect_found);
}

// 1 to MOST_VALUES + 1 values, with the smallest and the largest key among them or not.
static void test_values(void **) {
  for (uint32_t values = 1; values <= MOST_VALUES + 2; values += values < 4 ? 1 : 7)
    for (int ends = 0; ends < 2; ends++) {
      for (size_t i = 0; i < MOST; i++) {
        const uint32_t which = random_word() % values;
        keys[i] = ends && which == 0 ? 0 : ends && which == 1 ? ~0u : which * 0x7654321u + 99;
      }
      // The largest key has an entry of its own beside the others.
      const bool fits = values <= MOST_VALUES || (ends && values == MOST_VALUES + 1);
      sorts_both(MOST, fits, fits);
    }
}

// Sizes beside those of a tile, in arrays that are not aligned to 8 bytes.
static void test_sizes(void **) {
  for (size_t n = 10239; n <= 10241; n++) {
    for (size_t i = 0; i < n; i++) keys[i] = random_word() % 5 * 0x33333333u;
    assert_true(sorts(pairs_by_values, n));
    assert_true(keys_by_values(n));
  }
}

// A stray, or a few that may be equal: below all values, between them, and above.
static void test_strays(void **) {
  static const uint32_t where[] = {0, 5, 1000, 0x80000000u, 0xfffffffeu};
  for (size_t w = 0; w < sizeof where / sizeof *where; w++)
    for (size_t strays = 1; strays <= 40; strays += 39) {
      for (size_t i = 0; i < MOST; i++) keys[i] = random_word() % 3 * 0x40000000u + 1;
      for (size_t s = 0; s < strays; s++)
        keys[random_word() % MOST] = where[w] - (w == 4 ? 1u : 0u) * (random_word() % 7);
      sorts_both(MOST, true, true);
    }
}

// Keys that no sample finds: as many as there may be, then one more.
static void test_too_many_strays(void **) {
  const size_t n = ROOM;
  for (size_t more = 0; more < 2; more++) {
    size_t strays = 0;
    for (size_t i = 0; i < n; i++) {
      keys[i] = i % 2 * 0x70000000u;
      if (!is_sampled(i, n) && i % 3 == 0 && strays < MOST_STRAYS + more) {
        keys[i] = 77 + random_word() % 1000;
        strays++;
      }
    }
    sorts_both(n, true, more == 0);
  }
  for (size_t i = 0; i < MOST; i++) keys[i] = i % 2;
  sorts_both(MOST, true, true);
}

// Inputs that are not even, but have many values.
static void test_many_values(void **) {
  for (int kind = 0; kind < 3; kind++) {
    for (size_t i = 0; i < MOST; i++)
      keys[i] = kind == 0   ? random_word()
                : kind == 1 ? random_word() >> 20
                            : random_word() % (MOST_VALUES + 9);
    sorts_both(MOST, false, false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_values, begin),
      cmocka_unit_test_setup(test_sizes, begin),
      cmocka_unit_test_setup(test_strays, begin),
      cmocka_unit_test_setup(test_too_many_strays, begin),
      cmocka_unit_test_setup(test_many_values, begin),
  };
  return cmocka_run_group_tests_name("radix_v7 few values", tests, NULL, NULL);
}
