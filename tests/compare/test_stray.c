// Versions that leave their place: compare goes on behind them, and no row that was not judged
// looks as if it had been.
#include "tests/compare/run_compare.h"

#include "harness/measure/clock.h"
#include "tests/compile_version.h"

// In the order of enum Way in tests/sorts/crash_sort.
enum {
  EXIT_0 = 10,
  LEAVE_0,
  FORK,
  BACKGROUND,
  COLOURS,
  BAD_LAUNCH,
  BAD_COPY,
  FREE_OUTPUT,
  OWN_NAMES,
};

// Runs crash_sort in one of its ways, and seq behind it.
static void run_way(int way) {
  compare(
      text_of("$CRASH seq --set crash_sort.way=%d --n 50 --keys --dist sorted --reps 2 "
              "--time-limit 0.2 --baseline none",
              way));
}

static void expect_row(int way, int code, const char *part) {
  run_way(way);
  const char *const row = strstr(outcome.out, "\ncrash_sort ");
  if (outcome.code != code || row == NULL || strstr(outcome.out, "\nseq ") == NULL ||
      strstr(row, part) == NULL || strstr(row, part) > strchr(row + 1, '\n'))
    fail_msg("way %d: exit code %d (expected %d), expected '%s' in: %s%s", way, outcome.code, code,
             part, outcome.out, outcome.err);
}

// Its own functions are called, although the harness has others of the same names.
TEST(test_own_names) { expect_row(OWN_NAMES, EXIT_RIGHT, "PASS"); }

TEST(test_exits) {
  for (int way = EXIT_0; way <= LEAVE_0; way++)
    expect_row(way, EXIT_WRONG_RESULT, "ended without a result, exit code 0");
}

// In compare's process, too.
TEST(test_in_process) {
  compare("$CRASH --no-fork --set way=10 --n 50 --keys --dist sorted --reps 2 --baseline none");
  assert_int_equal(outcome.code, EXIT_WRONG_RESULT);
  assert_string_equal(outcome.err, "compare: the version ended the program\n");
}

TEST(test_forks) {
  // PASS or not, its child may confuse it; but compare lives, and each row is there once.
  run_way(FORK);
  assert_in_range(outcome.code, EXIT_RIGHT, EXIT_DEVICE);
  const char *const row = strstr(outcome.out, "\ncrash_sort ");
  if (row == NULL || strstr(row + 1, "\ncrash_sort ") != NULL ||
      strstr(outcome.out, "\nseq (CPU)  ") == NULL)
    fail_msg("%s%s", outcome.out, outcome.err);
}

// A process that holds the worker's pipes open for half a minute does not hold up compare, and does
// not outlive it.
TEST(test_left_processes) {
  const double start = seconds_now();
  setenv("TEST_STRAY", text_of("%d", (int)getpid()), 1);
  expect_row(BACKGROUND, EXIT_RIGHT, "PASS");
  if (seconds_now() - start > 15.0) fail_msg("took %g s", seconds_now() - start);
  unsetenv("TEST_STRAY");
  expect_no_process(text_of("TEST_STRAY=%d", (int)getpid()));
}

TEST(test_control_characters) {
  expect_row(COLOURS, EXIT_RIGHT, "PASS");
  assert_non_null(strstr(outcome.err, "?[2J?]0;title?a line\n"));
}

TEST(test_errors_left_behind) {
  expect_row(BAD_LAUNCH, EXIT_DEVICE, "failed: crash_sort left a CUDA error behind: invalid");
  expect_row(BAD_COPY, EXIT_DEVICE, "failed: crash_sort left a CUDA error behind: invalid");
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  // There are no guards around the arrays there: it is freed, and the next copy into it fails.
  expect_row(FREE_OUTPUT, EXIT_DEVICE,
             "numElems * sizeof *d_outputVals, cudaMemcpyDeviceToDevice): invalid argument");
#else
  // The arrays have guards, so that this is not the address that was allocated.
  expect_row(FREE_OUTPUT, EXIT_DEVICE,
             "failed: crash_sort left a CUDA error behind: invalid argument");
#endif
#if defined(CUDA_CPU) && !defined(__SANITIZE_ADDRESS__) && !defined(CUDA_CPU_CHECK)
  assert_non_null(strstr(outcome.err, "memcheck: cudaFree is given byte 16384 of an array of "));
#endif
}

// Runs a version with these fields, from a folder that no other compare looks into.
static void expect_incomplete(const char *fields, const char *part) {
  const char *const folder = text_of("%s/tests/incomplete", build_folder());
  assert_int_equal(system(text_of("rm -rf %s", folder)), 0);
  compile_version(folder, fields);
  expect_usage(text_of("%s/version.so --n 50", folder), part);
}

TEST(test_incomplete_versions) {
  expect_incomplete(".title = \"t\"", "incomplete/version.so has no printable name");
  expect_incomplete(".name = \"incomplete\"", "incomplete has no printable title and source");
  expect_incomplete(".name = \"incomplete\", .title = \"t\", .source = \"s\", .knobs = knob",
                    "incomplete: sort_version.stages is NULL");
  expect_incomplete(".name = \"incomplete\", .title = \"t\", .source = \"s\", .stages = none",
                    "incomplete: sort_version.knobs is NULL");
  expect_incomplete(
      ".name = \"incomplete\", .title = \"t\", .source = \"s\", .stages = none, "
      ".knobs = bad, .max_n = 100",
      "the default of knob k is 9, outside 1 to 5");
}

RUN_TESTS("compare_stray", NULL, NULL)
