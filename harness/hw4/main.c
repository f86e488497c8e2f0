// HW4 IMAGE TEMPLATE [OUTPUT]: removes red eyes from an image (Udacity CS344, Problem Set 4) with
// the sort of the version that it is linked with.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "harness/hw4/options.h"
#include "harness/hw4/run.h"
#include "harness/message.h"

int main(int argument_count, char **arguments) {
  const Options options = hw4_options(argument_count, arguments, &sort_version);
  const LoadedVersion version = {.version = &sort_version, .sort = your_sort};
  const bool right = hw4_run(&options, &version);
  if (fflush(stdout) != 0 || ferror(stdout))
    quit(EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
  return right ? EXIT_RIGHT : EXIT_WRONG_RESULT;
}
