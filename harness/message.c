#include "harness/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// clang-tidy 14 forgets va_start() when it reads several files, hence the NOLINTs; cppcheck
// mistakes a text that is about to be written for one that is read.

void message_write(Message *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  // cppcheck-suppress ctuuninitvar
  vsnprintf(message->text, sizeof message->text, format, arguments);  // NOLINT
  va_end(arguments);
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
