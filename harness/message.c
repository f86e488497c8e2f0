#include "harness/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// clang-tidy 14 forgets va_start() when it reads several files, hence the NOLINTs.

bool message_fail(Message *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
  vsnprintf(message->text, sizeof message->text, format, arguments);
  va_end(arguments);
  return false;
}

void quit(int code, const char *format, ...) {
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: ", program_invocation_short_name);
  vfprintf(stderr, format, arguments);  // NOLINT(clang-analyzer-valist.Uninitialized)
  fputc('\n', stderr);
  va_end(arguments);
  exit(code);
}
