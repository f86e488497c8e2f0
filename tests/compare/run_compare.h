// Runs the program compare of a build folder, for tests/compare. HW4_DIR names the folder
// (build/cpu where it is not set).
#ifndef TESTS_RUN_COMPARE_H
#define TESTS_RUN_COMPARE_H

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/test.h"
#include "common/check.h"

typedef struct Outcome {
  int code;  // the exit code, or -1 after a signal
  char out[65536], err[8192];
} Outcome;

static Outcome outcome;  // of the last run

static inline const char *build_folder(void) {
  return getenv("HW4_DIR") != NULL ? getenv("HW4_DIR") : "build/cpu";
}

static inline void read_back(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

// Starts compare with arguments as a shell would split them; %s stands for crash_sort's path.
static inline pid_t start_compare(const char *arguments, FILE *out, FILE *err) {
  char crash_sort[512], command[2048], expanded[1024];
  snprintf(crash_sort, sizeof crash_sort, "%s/tests/sorts/crash_sort/version.so", build_folder());
  const char *const mark = strstr(arguments, "%s");
  snprintf(expanded, sizeof expanded, "%.*s%s%s",
           mark == NULL ? (int)strlen(arguments) : (int)(mark - arguments), arguments,
           mark == NULL ? "" : crash_sort, mark == NULL ? "" : mark + 2);
  snprintf(command, sizeof command, "exec %s/compare %s", build_folder(), expanded);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    setenv("ASAN_OPTIONS", "handle_segv=0", 1);  // a sanitizer would turn a signal into an exit
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(126);
  }
  return child;
}

static inline void finish_compare(pid_t child, FILE *out, FILE *err) {
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  read_back(out, outcome.out, sizeof outcome.out);
  read_back(err, outcome.err, sizeof outcome.err);
}

static inline void compare(const char *arguments) {
  FILE *const out = tmpfile(), *const err = tmpfile();
  assert_non_null(out);
  assert_non_null(err);
  finish_compare(start_compare(arguments, out, err), out, err);
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
  const char *const end = strchr(outcome.err, '\n');
  if (outcome.code != EXIT_USAGE || outcome.out[0] != '\0' || end == NULL || end[1] != '\0' ||
      strstr(outcome.err, part_of_err) == NULL)
    fail_msg("compare %s: exit code %d (expected 2), expected '%s' in: %s%s", arguments,
             outcome.code, part_of_err, outcome.out, outcome.err);
}

#endif
