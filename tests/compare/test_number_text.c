// Numbers as the table prints them.
#include "tests/unit.h"

#include "harness/compare/number_text.h"

static void expect_short(double value, int digits, int decimals, const char *expected) {
  char text[32];
  assert_string_equal(number_short(value, digits, decimals, text), expected);
}

static void test_grouped(void **state) {
  (void)state;
  char text[32];
  assert_string_equal(number_grouped(0, text), "0");
  assert_string_equal(number_grouped(999, text), "999");
  assert_string_equal(number_grouped(1000, text), "1,000");
  assert_string_equal(number_grouped(220480, text), "220,480");
  assert_string_equal(number_grouped(SIZE_MAX, text), "18,446,744,073,709,551,615");
}

static void test_short(void **state) {
  (void)state;
  expect_short(0.0, 3, 5, "0.00");
  expect_short(0.012345, 3, 5, "0.0123");
  expect_short(0.000012345, 3, 5, "0.00001");  // the decimals end the digits
  expect_short(1.2345, 3, 5, "1.23");
  expect_short(99.96, 3, 5, "100");  // rounded up, it has a digit more before its point
  expect_short(9.996, 3, 5, "10.0");
  expect_short(0.9999, 3, 5, "1.00");
  expect_short(1e300 * 1e300, 3, 5, "inf");
  expect_short(123456.0, 3, 5, "123456");
}

static void test_percent(void **state) {
  (void)state;
  char text[32];
  assert_string_equal(number_percent(0.432, text), "0.43%");
  assert_string_equal(number_percent(12.34, text), "12.3%");
  assert_string_equal(number_percent(9.996, text), "10.0%");
  assert_string_equal(number_percent(104.2, text), "104%");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grouped),
      cmocka_unit_test(test_short),
      cmocka_unit_test(test_percent),
  };
  return cmocka_run_group_tests_name("number_text", tests, NULL, NULL);
}
