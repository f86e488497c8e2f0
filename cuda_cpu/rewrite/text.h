// Text that grows.
#ifndef CUDA_CPU_REWRITE_TEXT_H
#define CUDA_CPU_REWRITE_TEXT_H

#include <stddef.h>

typedef struct Text {
  char *data;  // not terminated by a zero
  size_t length, capacity;
} Text;

// Ends the program if `memory` is null, which means that there is none.
void *checked(void *memory);

void append(Text *text, const char *data, size_t length);
__attribute__((format(printf, 2, 3))) void append_format(Text *text, const char *format, ...);
// Those in [from, to), which has been rewritten: so the lines below keep their numbers.
void append_line_ends(Text *text, const char *from, const char *to);

#endif
