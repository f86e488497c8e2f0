// cmocka with the headers that it needs, in C and in C++, and tests that register themselves.
#ifndef CUDA_CPU_TESTS_TEST_H
#define CUDA_CPU_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

#ifdef __clang__
#define IN_ORDER used
#else
#define IN_ORDER used, no_reorder  // g++ emits variables backwards
#endif
// TEST(name) { ... } defines a test, TEST_WITH(name, set_up, tear_down) { ... } one with functions
// that run before and after it. The linker collects the tests in an array, in the order of the
// source.
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, set_up, tear_down)                                          \
  static void test_##name(void **);                                                 \
  static const struct CMUnitTest name##_test                                        \
      __attribute__((section("unit_tests"), IN_ORDER, aligned(sizeof(void *)))) = { \
          #name, test_##name, set_up, tear_down, NULL};                             \
  static void test_##name(void **state __attribute__((unused)))
extern const struct CMUnitTest __start_unit_tests[], __stop_unit_tests[];

// For the end of main().
static inline int run_all_tests(const char *group, CMFixtureFunction set_up,
                                CMFixtureFunction tear_down) {
  // cppcheck-suppress comparePointers ; both ends of one array
  const size_t tests = (size_t)(__stop_unit_tests - __start_unit_tests);
  return _cmocka_run_group_tests(group, __start_unit_tests, tests, set_up, tear_down);
}
// main() itself.
#define RUN_TESTS(group, set_up, tear_down) \
  int main(void) { return run_all_tests(group, set_up, tear_down); }

#endif
