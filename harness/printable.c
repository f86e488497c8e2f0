#include "harness/printable.h"

#include <stdbool.h>
#include <string.h>

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
