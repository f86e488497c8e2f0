// Runs the program compare of a build folder, for tests/compare. HW4_DIR names the folder
// (build/cpu where it is not set).
#ifndef TESTS_RUN_COMPARE_H
#define TESTS_RUN_COMPARE_H

#include "tests/unit.h"

static Outcome outcome;  // of the last run

// Starts compare with arguments as a shell would split them; $CRASH is crash_sort's path.
static inline pid_t start_compare(const char *arguments, FILE *out, FILE *err) {
  setenv("CRASH", text_of("%s/tests/sorts/crash_sort/version.so", build_folder()), 1);
  setenv("ASAN_OPTIONS", "handle_segv=0", 1);  // a sanitizer would turn a signal into an exit
  const char *const command = text_of("exec %s/compare %s", build_folder(), arguments);
  return start_program((const char *const[]){"/bin/sh", "-c", command, NULL}, out, err);
}

static inline void compare(const char *arguments) {
  FILE *const out = new_file(), *const err = new_file();
  finish(start_compare(arguments, out, err), out, err, &outcome);
}

// Runs compare and expects an exit code, and text on stdout.
static inline void expect(const char *arguments, int code, const char *part_of_out) {
  compare(arguments);
  if (outcome.code != code || strstr(outcome.out, part_of_out) == NULL)
    fail_msg("compare %s: exit code %d (expected %d), expected '%s' in: %s%s", arguments,
             outcome.code, code, part_of_out, outcome.out, outcome.err);
}

// Expects exit code 2, nothing on stdout and one sentence on stderr with that part.
static inline void expect_usage(const char *arguments, const char *part_of_err) {
  compare(arguments);
  expect_failure(text_of("compare %s", arguments), &outcome, EXIT_USAGE, part_of_err);
  assert_string_equal(outcome.out, "");
}

#endif
