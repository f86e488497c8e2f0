#include "harness/process/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

// clang-tidy 14 forgets va_start() when it reads several files, hence the NOLINT.

// Replaces the middle of a long text.
static void fit(char *to, size_t size, const char *text) {
  const size_t length = strlen(text), tail = size / 2;
  if (length < size)
    memcpy(to, text, length + 1);
  else
    snprintf(to, size, "%.*s ... %s", (int)(size - tail - 6), text, text + length - tail);
}

void message_write_list(Message *message, const char *format, va_list arguments) {
  message->out_of_memory = false;
  char *text = NULL;
  const int length = vasprintf(&text, format, arguments);  // NOLINT
  fit(message->text, sizeof message->text, length < 0 ? "out of memory" : text);
  printable_line(message->text);
  if (length >= 0) free(text);
}

void message_write(Message *message, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  message_write_list(message, format, arguments);
  va_end(arguments);
}

bool message_out_of_memory(Message *message) {
  message_write(message, "does not fit into memory");
  message->out_of_memory = true;
  return false;
}

int message_code(const Message *message) {
  return message->out_of_memory ? EXIT_DEVICE : EXIT_USAGE;
}

void quit(int code, const char *format, ...) {
  fflush(stdout);
  Message message;
  va_list arguments;
  va_start(arguments, format);
  message_write_list(&message, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s: %s\n", program_invocation_short_name, message.text);
  exit(code);
}

// ---- printable text -----------------------------------------------------------------------------

static void replace(char *text, size_t length, const char *kept) {
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)text[i];
    const unsigned char before = i == 0 ? 0 : (unsigned char)text[i - 1];
    const bool is_control = (c < 0x20 && (c == '\0' || strchr(kept, c) == NULL)) || c == 0x7f;
    // U+0080 to U+009F: 0xc2 and one byte. 0xc2 and '?' would not be UTF-8, so both are replaced.
    const bool is_c1 = before == 0xc2 && c >= 0x80 && c < 0xa0;
    if (is_c1) text[i - 1] = '?';
    if (is_control || is_c1) text[i] = '?';
  }
}

void printable_text(char *text, size_t length) { replace(text, length, "\n\t"); }

void printable_line(char *text) { replace(text, strlen(text), ""); }

// Bytes of the character of UTF-8 at c; 0 if it is none (RFC 3629).
static size_t character_length(const unsigned char *c) {
  const size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
  if (c[0] > 0xf4) return 0;
  for (size_t i = 1; i < length; i++)
    if ((c[i] & 0xc0) != 0x80) return 0;
  const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
  const bool surrogate = c[0] == 0xed && c[1] >= 0xa0, beyond = c[0] == 0xf4 && c[1] >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

void printable_utf8(const char *from, char *to, size_t size) {
  size_t used = 0;
  for (const unsigned char *c = (const unsigned char *)from; *c != '\0';) {
    const size_t length = character_length(c), needed = length == 0 ? 4 : length;
    if (used + needed >= size) break;
    if (length == 0)
      snprintf(to + used, size - used, "\\x%02x", *c);
    else
      memcpy(to + used, c, length);
    used += needed;
    c += length == 0 ? 1 : length;
  }
  to[used] = '\0';
  printable_line(to);
}
