// Text that grows.
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *checked(void *memory) {
  if (memory == NULL) {
    fputs("rewrite: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

void append(Text *text, const char *data, size_t length) {
  if (text->length + length > text->capacity) {
    text->capacity = 2 * (text->length + length) + 64;
    text->data = checked(realloc(text->data, text->capacity));
  }
  memcpy(text->data + text->length, data, length);
  text->length += length;
}

void append_format(Text *text, const char *format, ...) {
  char *data = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&data, format, arguments);
  va_end(arguments);
  append(text, checked(length < 0 ? NULL : data), (size_t)length);
  free(data);
}

void append_line_ends(Text *text, const char *from, const char *to) {
  for (const char *c = from; c < to; c++)
    if (*c == '\n') append(text, c, 1);
}
