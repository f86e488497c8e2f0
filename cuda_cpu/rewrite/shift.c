// In the bodies of functions marked __device__ or __global__:
// a << b   ->  a << cuda_cpu::shift << b
// a <<= b  ->  a <<= cuda_cpu::shift = b
// unless b is a number below 32. include/cuda_cpu/shift.h says why.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// Whether the >> at the end of `out` closes two template argument lists.
static bool closes_templates(const Text *out) {
  const char *const data = out->data;
  int brackets = 0, closed = 0, open = 0;
  for (size_t i = out->length; i-- > 0;) {
    const char c = data[i], before = i > 0 ? data[i - 1] : ' ';
    brackets += (strchr(")]", c) != NULL) - (strchr("([", c) != NULL);
    if (brackets < 0 || strchr(";{}?", c) != NULL) break;
    if (brackets > 0) continue;
    if ((c == '&' || c == '|') && before == c) break;
    if ((c == '<' || c == '>') && before == c) {
      i--;  // a shift
    } else if (c == '>' && before != '-') {
      closed++;
    } else if (c == '<') {
      if (closed > 0)
        closed--;
      else
        open++;
    }
  }
  return open >= 2;
}

// Whether a number below 32 begins at `c` and is the whole count.
static bool small_number(const char *c) {
  if (!isdigit((unsigned char)*c)) return false;
  char *end;
  const long value = strtol(c, &end, 10);
  while (*end != '\0' && strchr("uUlL", *end) != NULL) end++;
  return value < 32 && strchr(");,]}&|^?:<>=!", *skip_spaces(end)) != NULL;
}

const char *rewrite_shift(const char *c, Text *out) {
  const bool assignment = c[2] == '=';
  const char *const end = c + (assignment ? 3 : 2);
  size_t left = out->length;
  while (left > 0 && isspace((unsigned char)out->data[left - 1])) left--;
  const bool is_name_of_operator = left >= 8 && strncmp(out->data + left - 8, "operator", 8) == 0;
  const bool closes = *c == '>' && !assignment && closes_templates(out);
  append(out, c, (size_t)(end - c));
  if (is_name_of_operator || closes || small_number(skip_spaces(end))) return end;
  append_format(out, " cuda_cpu::shift %.*s", assignment ? 1 : 2, assignment ? "=" : c);
  return end;
}
