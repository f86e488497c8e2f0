#include "harness/process/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/process/printable.h"

// clang-tidy 14 forgets va_start() when it reads several files, hence the NOLINTs.

// Replaces the middle of a long text.
static void fit(char *to, size_t size, const char *text) {
  const size_t length = strlen(text), tail = size / 2;
  if (length < size)
    memcpy(to, text, length + 1);
  else
    snprintf(to, size, "%.*s ... %s", (int)(size - tail - 6), text, text + length - tail);
}

void message_write(Message *message, const char *format, ...) {
  message->out_of_memory = false;
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);  // NOLINT
  va_end(arguments);
  fit(message->text, sizeof message->text, length < 0 ? "out of memory" : text);
  printable_line(message->text);
  if (length >= 0) free(text);
}

int message_code(const Message *message) {
  return message->out_of_memory ? EXIT_DEVICE : EXIT_USAGE;
}

void quit(int code, const char *format, ...) {
  fflush(stdout);
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);  // NOLINT
  va_end(arguments);
  if (length >= 0) printable_text(text, (size_t)length);
  fprintf(stderr, "%s: %s\n", program_invocation_short_name, length < 0 ? "out of memory" : text);
  if (length >= 0) free(text);
  exit(code);
}
