// Text from elsewhere (file names, a version's own strings and output) on its way to a terminal.
#ifndef HARNESS_PRINTABLE_H
#define HARNESS_PRINTABLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Replaces control characters other than line feed and tab by '?', in place: the bytes below 0x20,
// 0x7f, and the control characters U+0080 to U+009F of UTF-8. Valid UTF-8 stays valid.
void printable_text(char *text, size_t length);

// The same for one line of text, which ends with '\0': line feeds and tabs become '?', too.
void printable_line(char *text);

// Copies a line into to[size], cut off where it does not fit: control characters become '?', and
// each byte that is not part of valid UTF-8 becomes \xNN, so that JSON can hold the line.
void printable_utf8(const char *from, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
