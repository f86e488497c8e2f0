// Splitters from counts: exact borders on inputs with and without large prefixes.
#include "tests/unit.h"

#include "multi/split/splitters.h"

enum { MOST = 4096, RANKS = 7 };

static uint64_t upper[HALF_VALUES], lower[HALF_VALUES];

// The borders of n keys by the library's functions; their places must be where sorting puts them.
static void check_borders(uint32_t *keys, size_t n, int ranks) {
  Border border[RANKS];
  memset(upper, 0, sizeof upper);
  for (size_t i = 0; i < n; i++) upper[keys[i] >> 16]++;
  borders_by_prefix(upper, n, ranks, border);
  qsort(keys, n, sizeof *keys, compare_words);
  for (int b = 0; b < ranks - 1; b++) {
    assert_int_equal(border[b].wanted, n * (size_t)(b + 1) / (size_t)ranks);
    if (border[b].refined) {
      memset(lower, 0, sizeof lower);
      for (size_t i = 0; i < n; i++)
        if (keys[i] >> 16 == border[b].prefix) lower[keys[i] & 0xffff]++;
      border_refine(&border[b], lower);
      assert_int_equal(border[b].place, border[b].wanted);
    }
    size_t less = 0, equal = 0;
    for (size_t i = 0; i < n; i++) {
      less += keys[i] < border[b].key;
      equal += keys[i] == border[b].key;
    }
    assert_int_equal(border[b].place, less + border[b].equal_before);
    assert_true(border[b].equal_before <= equal);
    const uint64_t slack = border_slack(n, ranks);
    assert_true(border[b].place + slack >= border[b].wanted &&
                border[b].place <= border[b].wanted + slack);
  }
}

TEST(test_borders) {
  static uint32_t keys[MOST];
  static const uint32_t masks[] = {0xffffffff, 0xffff0000, 0x0000ffff, 0x00010001, 0, 0xf0000000};
  for (size_t m = 0; m < COUNT_OF(masks); m++)
    for (int ranks = 2; ranks <= RANKS; ranks++)
      for (size_t n = 0; n <= MOST; n = n < 8 ? n + 1 : 3 * n) {
        for (size_t i = 0; i < n; i++) keys[i] = (next_random() & masks[m]) | (m == 4 ? ~0u : 0);
        check_borders(keys, n, ranks);
      }
}

// A border near the beginning of prefixes moves to the roundest one and needs no second count.
TEST(test_slack) {
  memset(upper, 0, sizeof upper);
  Border border[1];
  upper[3] = upper[5] = 10000;  // a share is 10,000 elements, the slack 19
  borders_by_prefix(upper, 20000, 2, border);
  assert_false(border[0].refined);
  assert_int_equal(border[0].key, 4u << 16);
  upper[3] -= 15;
  upper[5] += 15;
  borders_by_prefix(upper, 20000, 2, border);
  assert_false(border[0].refined);
  assert_int_equal(border[0].place, 9985);
  upper[3] -= 15;
  upper[5] += 15;
  borders_by_prefix(upper, 20000, 2, border);
  assert_true(border[0].refined);
  assert_int_equal(border[0].prefix, 5);
  upper[3] += 45;
  upper[5] -= 45;
  borders_by_prefix(upper, 20000, 2, border);
  assert_false(border[0].refined);
  assert_int_equal(border[0].key, 4u << 16);
  assert_int_equal(border[0].place, 10015);
  for (int v = 0; v < HALF_VALUES; v++) upper[v] = 100;
  upper[32767] = 600;  // 2^15 is the roundest prefix by far
  borders_by_prefix(upper, 65536 * 100 + 500, 2, border);
  assert_int_equal(border[0].key, 1u << 31);
  assert_int_equal(border[0].place, 3277300);
}

TEST(test_equal_left) {
  const Border border = {.equal_before = 10};
  assert_int_equal(equal_left(&border, 0, 4), 4);
  assert_int_equal(equal_left(&border, 4, 4), 4);
  assert_int_equal(equal_left(&border, 8, 4), 2);
  assert_int_equal(equal_left(&border, 12, 4), 0);
}

TEST(test_shares) {
  assert_int_equal(share_begin(10, 1, 3), 3);
  assert_int_equal(share_begin(10, 2, 3), 6);
  assert_int_equal(share_begin(10, 3, 3), 10);
  assert_int_equal(share_begin((uint64_t)1 << 40, 1023, 1024), ((uint64_t)1 << 40) / 1024 * 1023);
}

RUN_TESTS("splitters", NULL, NULL)
