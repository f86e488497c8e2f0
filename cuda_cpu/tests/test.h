// cmocka with the headers that it needs, in C and in C++, tests that register themselves, and
// programs that tests run.
#ifndef CUDA_CPU_TESTS_TEST_H
#define CUDA_CPU_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
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

// ---- a program as a child, whose output is collected: for programs that end with a diagnosis ----

enum { CHILD_SECONDS = 60, CHILD_TEXT = 16384 };

typedef struct Child {
  int exit_code;  // or minus the signal that ended it; SIGALRM after CHILD_SECONDS
  char output[CHILD_TEXT], errors[CHILD_TEXT];  // the beginning of stdout and stderr
} Child;

static inline void child_read(FILE *file, char text[CHILD_TEXT]) {
  rewind(file);
  text[fread(text, 1, CHILD_TEXT - 1, file)] = '\0';
  fclose(file);
}

// `program` with one argument; `variable` (may be null) is set to `value` in its environment.
static inline void child_run(Child *child, const char *program, const char *argument,
                             const char *variable, const char *value) {
  FILE *const output = tmpfile(), *const errors = tmpfile();
  assert_non_null(output);
  assert_non_null(errors);
  fflush(NULL);
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {  // only exec: the parent's OpenMP threads do not exist here
    dup2(fileno(output), STDOUT_FILENO);
    dup2(fileno(errors), STDERR_FILENO);
    if (variable != NULL) setenv(variable, value, 1);
    alarm(CHILD_SECONDS);
    execl(program, program, argument, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  child->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  child_read(output, child->output);
  child_read(errors, child->errors);
}

// On failure prints the whole text.
static inline void child_expect_text(const char *text, const char *part) {
  if (strstr(text, part) != NULL) return;
  print_error("does not say '%s' but:\n%s\n", part, text);
  assert_true(strstr(text, part) != NULL);
}

#endif
