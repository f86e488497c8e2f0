// Runs a program as a child and collects its output: for tests of programs that end with a
// diagnosis. C and C++; include cmocka first.
#ifndef CUDA_CPU_TESTS_RUN_CHILD_H
#define CUDA_CPU_TESTS_RUN_CHILD_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
