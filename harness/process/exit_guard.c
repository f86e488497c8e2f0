#include "harness/process/exit_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"

static bool version_runs;

// Read by AddressSanitizer: a failed allocation returns NULL, so that the program reports it; a
// finding ends a program like a failed CUDA call, not like a wrong result.
const char *__asan_default_options(void);  // NOLINT(bugprone-reserved-identifier)
__attribute__((visibility("default"))) const char *__asan_default_options(void) {
  return "allocator_may_return_null=1:exitcode=3";
}

static int checked(int status) {
  errno = 0;
  const bool written = fflush(stdout) == 0 && ferror(stdout) == 0;
  if (status != EXIT_RIGHT) return status;
  if (version_runs) {
    fprintf(stderr, "%s: the version ended the program\n", program_invocation_short_name);
    return EXIT_WRONG_RESULT;
  }
  if (written) return status;
  if (errno == 0) (void)!write(STDOUT_FILENO, "\n", 1);  // an earlier write's reason is gone
  fprintf(stderr, "%s: cannot write to standard output: %s\n", program_invocation_short_name,
          strerror(errno != 0 ? errno : EIO));
  return EXIT_USAGE;
}

static void check_output(int status, void *context) {
  (void)context;
  const int code = checked(status);
  if (code != status) _exit(code);
}

void exit_guard_descriptors(void) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
    if (fcntl(file, F_GETFD) < 0 && errno == EBADF)
      (void)!open("/dev/null", O_RDONLY);  // takes the lowest free number; cannot be written to
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // may be ignored by the program that started this one
}

void exit_guard_output(void) {
  exit_guard_descriptors();
  on_exit(check_output, NULL);
}

void exit_guard_version(bool runs) { version_runs = runs; }
