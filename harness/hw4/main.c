// HW4 IMAGE TEMPLATE [OUTPUT]: removes red eyes from an image (Udacity CS344, Problem Set 4) with
// the sort of one version.
//
// This process judges, and contains no code of the version: see harness/judge/protocol.h.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/process/exit_guard.h"
#include "harness/hw4/options.h"
#include "harness/hw4/run.h"
#include "harness/hw4/version_view.h"
#include "harness/process/message.h"

static bool judged;

// Exit code 1 is that of a wrong result. OpenMP's runtime ends a program with it, too, where the
// system has no thread for it.
static void check_code(int code, void *context) {
  (void)context;
  if (code != EXIT_WRONG_RESULT || judged) return;
  fflush(NULL);
  _exit(EXIT_DEVICE);
}

int main(int argument_count, char **arguments) {
  exit_guard_descriptors();
  on_exit(check_code, NULL);
  Sorter sorter;
  Description description;
  const double limit = 30.0;
  if (!sorter_start(&sorter, &description, limit)) sorter_quit(&sorter);
  VersionView view;
  const SortVersion *const version = version_view(&view, &description);
  const Options options = hw4_options(argument_count, arguments, version);
  const bool right = hw4_run(&options, &sorter);
  if (fflush(stdout) != 0 || ferror(stdout))
    quit(EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
  judged = true;
  return right ? EXIT_RIGHT : EXIT_WRONG_RESULT;
}
