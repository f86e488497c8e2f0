// Numbers as people type them.
#include "tests/unit.h"

#include "harness/process/parse.h"

TEST(test_sizes) {
  static const struct {
    const char *text;
    uint64_t value;
  } good[] = {{"0", 0},
              {"1000", 1000},
              {"1e6", 1000000},
              {"64K", 64000},
              {"1M", 1000000},
              {"1.5M", 1500000},
              {"2G", 2000000000},
              {"2^28", 1u << 28},
              {"2^0", 1},
              {"10^9", 1000000000},
              {"4Ki", 4096},
              {"1Mi", 1048576},
              {"1Gi", 1u << 30},
              {"2.5e3", 2500},
              {"1e15", 1000000000000000}};
  static const char *const bad[] = {"",     "x",   "-1",   "1.5",  "1KB",  "2^", "2^x",
                                    "1e16", "nan", "inf",  "0x10", " 1",   "1 ", "1,2",
                                    "+1",   "K",   "2^99", "1MM",  "1e-3", "^3"};
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    if (!parse_size(good[i].text, &value)) fail_msg("'%s' is refused", good[i].text);
    assert_int_equal(value, good[i].value);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parse_size(bad[i], &value)) fail_msg("'%s' is taken", bad[i]);
}

static void expect_values(const char *text, const uint64_t *expected, int count) {
  uint64_t values[16];
  int actual = 0;
  const char *const problem = parse_sizes(text, values, &actual, 16);
  if (problem != NULL) fail_msg("'%s': %s", text, problem);
  assert_int_equal(actual, count);
  assert_memory_equal(values, expected, (size_t)count * sizeof *values);
}

TEST(test_lists) {
  expect_values("1000", (uint64_t[]){1000}, 1);
  expect_values("1K,1M..8M", (uint64_t[]){1000, 1000000, 2000000, 4000000, 8000000}, 5);
  expect_values("1M..7M", (uint64_t[]){1000000, 2000000, 4000000}, 3);
  expect_values("1K..1Mx10", (uint64_t[]){1000, 10000, 100000, 1000000}, 4);
  expect_values("100..500+200", (uint64_t[]){100, 300, 500}, 3);
  expect_values("5..5", (uint64_t[]){5}, 1);
  expect_values("0..2+1,9", (uint64_t[]){0, 1, 2, 9}, 4);
  static const char *const bad[] = {"",        ",",         "1,",     "1..",  "..2",
                                    "8..1",    "1..8x1",    "1..8+0", "0..8", "1...8",
                                    "1..2..3", "1..1000+1", "1..8*2", "a..b", "1..8x"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    uint64_t values[16];
    int count = 0;
    if (parse_sizes(bad[i], values, &count, 16) == NULL) fail_msg("'%s' is taken", bad[i]);
  }
}

TEST(test_numbers) {
  uint64_t value = 0;
  assert_true(parse_number("18446744073709551615", 0, UINT64_MAX, &value));
  assert_true(value == UINT64_MAX);
  assert_true(parse_number("7", 7, 7, &value));
  static const char *const bad[] = {"", "-1", "+1", "1.0", "1e3", "18446744073709551616", "8"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parse_number(bad[i], 0, 7, &value)) fail_msg("'%s' is taken", bad[i]);
}

TEST(test_percent) {
  double fraction = -1.0;
  assert_true(parse_percent("1", &fraction) && fraction == 0.01);
  assert_true(parse_percent("0.5%", &fraction) && fraction == 0.005);
  assert_true(parse_percent("0", &fraction) && fraction == 0.0);
  assert_true(parse_percent("100", &fraction) && fraction == 1.0);
  static const char *const bad[] = {"", "%", "-1", "100.1", "1%%", "1m", "nan", "0x1", "inf"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parse_percent(bad[i], &fraction)) fail_msg("'%s' is taken", bad[i]);
}

TEST(test_seconds) {
  double seconds = 0.0;
  assert_true(parse_seconds("0.5", &seconds) && seconds == 0.5);
  assert_true(parse_seconds("30s", &seconds) && seconds == 30.0);
  assert_true(parse_seconds("2m", &seconds) && seconds == 120.0);
  static const char *const bad[] = {"", "0", "-1", "1h", "1ss", "nan", "1e9", "m"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (parse_seconds(bad[i], &seconds)) fail_msg("'%s' is taken", bad[i]);
}

RUN_TESTS("parse", NULL, NULL)
