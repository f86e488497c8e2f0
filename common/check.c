#include "common/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void check_fail(const char *format, ...) {
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  // clang-tidy 14 forgets va_start() when it reads several files.
  vfprintf(stderr, format, arguments);  // NOLINT(clang-analyzer-valist.Uninitialized)
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_DEVICE);
}

void *check_memory(void *memory, const char *file, int line) {
  if (memory != NULL) return memory;
  check_fail("%s:%d: out of host memory", file, line);
}
