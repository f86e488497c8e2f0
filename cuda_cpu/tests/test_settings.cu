// CUDA_CPU_* variables: what they do, and that a bad one ends the program with a sentence.
#include "mistakes.h"

#include <string>

// Prints the size of device memory; with a launch first, which reads the settings too.
static void run_memory(void) {
  size_t available = 0, total = 0;
  cudaMemGetInfo(&available, &total);
  printf("%zu\n", total);
}
static __global__ void nothing() {}
static void run_launch(void) { nothing<<<100, 100>>>(); }

static void expect_refusal(const char *variable, const char *value, const std::string &sentence) {
  for (const char *first_call : {"memory", "launch"}) {
    const Child child = run_mistake(first_call, variable, value);
    assert_string_equal(child.errors, (sentence + "\n").c_str());
    assert_string_equal(child.output, "");
    assert_int_equal(child.exit_code, 2);
  }
}

static void test_good_values(void **) {
  assert_string_equal(run_mistake("memory", "CUDA_CPU_MEMORY", "1000000").output, "1000000\n");
  const std::string usual = run_mistake("memory").output;
  assert_string_equal(run_mistake("memory", "CUDA_CPU_MEMORY", "").output, usual.c_str());
  for (const char *seed : {"", "0", "18446744073709551615"})
    assert_int_equal(run_mistake("launch", "CUDA_CPU_RACECHECK", seed).exit_code, 0);
}

static void test_bad_values(void **) {
  const std::string numbers = " to 18446744073709551615, not ";
  for (const char *value : {"x", "7x", "-1", "+1", " 1", "1.5", "18446744073709551616"}) {
    const std::string quoted = "'" + std::string(value) + "'";
    expect_refusal("CUDA_CPU_RACECHECK", value,
                   "CUDA_CPU_RACECHECK takes a whole number from 0" + numbers + quoted);
    expect_refusal("CUDA_CPU_MEMORY", value,
                   "CUDA_CPU_MEMORY takes a whole number from 1" + numbers + quoted);
  }
  expect_refusal("CUDA_CPU_MEMORY", "0",
                 "CUDA_CPU_MEMORY takes a whole number from 1" + numbers + "'0'");
  for (const char *value : {"yes", "key", "1"})
    expect_refusal("CUDA_CPU_PROTECT", value,
                   "CUDA_CPU_PROTECT takes keys, pages or off, not '" + std::string(value) + "'");
}

static void test_unknown_names(void **) {
  expect_refusal("CUDA_CPU_RACECHEK", "1",
                 "CUDA_CPU_RACECHEK is not a setting; there are CUDA_CPU_RACECHECK, "
                 "CUDA_CPU_MEMORY and CUDA_CPU_PROTECT");
}

int main(int argc, char **argv) {
  make_mistake_if_child(argc, argv, {MISTAKE(memory), MISTAKE(launch)});
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_values),
      cmocka_unit_test(test_bad_values),
      cmocka_unit_test(test_unknown_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
