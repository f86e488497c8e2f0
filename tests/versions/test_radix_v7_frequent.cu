// radix_v7's sort of pairs some of whose values are frequent: right and stable whichever these are,
// and whatever the others are; without frequent values, too.
#include "radix_v7/by_frequent_values.cuh"
#include "tests/versions/radix_v7_pairs.cuh"

enum { TILE = 512 * 44 };

static bool may_leave, left;  // whether frequent values could leave the last sort, and did

static int begin_packed(void **state) {
  begin(state);
  set("packedFrom", 0);
  set("frequentFrom", 1);
  return 0;
}

static bool by_frequent_values(Pairs in, Pairs out, size_t n) {
  may_leave = may_be_frequent(n) && hold_packed_pairs(in);
  void *const memory = scratch_alloc(all_digits_bytes(out, n));
  left = sort_uneven_pairs(in, out, n, false, memory);
  scratch_free(memory);
  return true;
}

static void sorts_pairs(size_t n, bool expect_left) {
  assert_true(sorts(by_frequent_values, n));
  assert_int_equal(left, expect_left && may_leave);
}

// From 1 to more values than the table has, with the smallest and the largest key among them, and
// none to nine others of ten.
static void test_values(void **) {
  for (uint32_t values = 1; values <= 400; values = 3 * values + 1)
    for (uint32_t others = 0; others < 10; others += 3) {
      for (size_t i = 0; i < MOST; i++) {
        const uint32_t which = random_word() % values;
        const uint32_t value = which == 0 ? 0 : which == 1 ? ~0u : which * 0x7654321u;
        keys[i] = random_word() % 10 < others ? random_word() : value;
      }
      // Of many values, slots that they share decide how many are in the table.
      if (values > 40)
        assert_true(sorts(by_frequent_values, MOST));
      else
        sorts_pairs(MOST, others < 9);
    }
}

// The largest key alone; others that are equal; none at all.
static void test_one_value(void **) {
  for (int kind = 0; kind < 4; kind++) {
    for (size_t i = 0; i < MOST; i++)
      keys[i] = kind < 2 || random_word() % 2 ? (kind % 2 ? 99 : ~0u) : kind == 2 ? 0x01020304u : 3;
    sorts_pairs(MOST, true);
  }
  for (size_t i = 0; i < MOST; i++) keys[i] = random_word();
  sorts_pairs(MOST, false);
}

// Digits of the others that do not vary, in the sweeps between the first and the last one.
static void test_constant_digits(void **) {
  static const uint32_t masks[] = {0,           0xff,        0xff00,      0xff0000,  0xff000000u,
                                   0xff0000ffu, 0xff00ff00u, 0x00ffff00u, 0xffffffu, 0xffffff00u};
  for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
    for (size_t i = 0; i < 45001; i++)
      keys[i] = random_word() % 2 ? random_word() % 5 * 0x20304050u
                                  : (random_word() & masks[m]) | (0x0a0b0c0du & ~masks[m]);
    sorts_pairs(45001, true);
  }
}

// Sizes beside those of a tile, also of the others alone.
static void test_sizes(void **) {
  for (size_t n = TILE - 1; n <= TILE + 1; n++)
    for (size_t half = 1; half <= 2; half++) {
      for (size_t i = 0; i < half * n; i++)
        keys[i] = i % half == 0 ? random_word() % 3 * 0x33333333u : random_word();
      sorts_pairs(half * n, true);
    }
  for (size_t n = 8192; n <= 8194; n++) {
    for (size_t i = 0; i < n; i++) keys[i] = random_word() % 2 * ~0u;
    sorts_pairs(n, true);
  }
}

// Keys that no sample finds are others, as many as there may be.
static void test_unseen_others(void **) {
  const size_t n = ROOM;
  for (size_t i = 0; i < n; i++)
    keys[i] = is_sampled(i, n) || i % 4 == 0 ? (uint32_t)(i % 2) * 0x70000000u : random_word();
  sorts_pairs(n, true);
}

// The look for even keys looks for frequent values, too: the table is that of these keys.
static void test_after_a_look(void **) {
  for (size_t i = 0; i < MOST; i++) keys[i] = random_word() % 2 ? 17 : random_word() & 0xffffff;
  sorts_pairs(MOST, true);
  const auto again = [](Pairs in, Pairs out, size_t n) {
    may_leave = may_be_frequent(n) && hold_packed_pairs(in);
    void *const memory = scratch_alloc(all_digits_bytes(out, n));
    left = sort_uneven_pairs(in, out, n, true, memory);  // with the last sort's table
    scratch_free(memory);
    return true;
  };
  for (size_t i = 0; i < MOST; i++) keys[i] = random_word() % 3 ? 17 : 5;
  assert_true(sorts(again, MOST));
  assert_int_equal(left, may_leave);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_values, begin_packed),
      cmocka_unit_test_setup(test_one_value, begin_packed),
      cmocka_unit_test_setup(test_constant_digits, begin_packed),
      cmocka_unit_test_setup(test_sizes, begin_packed),
      cmocka_unit_test_setup(test_unseen_others, begin_packed),
      cmocka_unit_test_setup(test_after_a_look, begin_packed),
  };
  return cmocka_run_group_tests_name("radix_v7 frequent values", tests, NULL, NULL);
}
