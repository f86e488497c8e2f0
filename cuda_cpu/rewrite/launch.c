// kernel<T><<<grid, block>>>(a, b)  ->  cuda_cpu::launcher<kernel<T>>("kernel<T>", grid, block)(a,
// b)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // strndup
#endif
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

static size_t skip_spaces_back(const Text *out, size_t end) {
  while (end > 0 && isspace((unsigned char)out->data[end - 1])) end--;
  return end;
}

// Start of the kernel's name, with namespaces and template arguments, in the output, which ends at
// `i`.
static size_t kernel_name_start(const Text *out, size_t i) {
  const char *const data = out->data;
  if (i > 0 && data[i - 1] == '>') {
    int angles = 0, parentheses = 0;  // inside parentheses < and > only compare
    do {
      i--;
      parentheses += (data[i] == ')') - (data[i] == '(');
      if (parentheses > 0) continue;
      if (i > 0 && data[i] == '<' && data[i - 1] == '<')
        i--;  // a shift
      else
        angles += (data[i] == '>') - (data[i] == '<');
    } while (i > 0 && (angles > 0 || parentheses > 0));
    i = skip_spaces_back(out, i);
  }
  for (;;) {
    if (i > 0 && is_name(data[i - 1]))
      i--;
    else if (i > 1 && data[i - 1] == ':' && data[i - 2] == ':')
      i -= 2;
    else
      return i;
  }
}

// Appends `text` as a string literal that stays on one line.
static void append_literal(Text *out, const char *text) {
  append(out, "\"", 1);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"' || *c == '\\') append(out, "\\", 1);
    append(out, *c == '\n' ? " " : c, 1);
  }
  append(out, "\"", 1);
}

const char *rewrite_launch(const Source *source, const char *c, Text *out) {
  const size_t end = skip_spaces_back(out, out->length);
  const size_t start = kernel_name_start(out, end);
  if (start == end || isdigit((unsigned char)out->data[start]) || out->data[start] == '<')
    fail(source, c, "a launch without the name of a kernel");
  // With the spaces in front of <<<, so that the lines below keep their numbers.
  char *const kernel = checked(strndup(out->data + start, out->length - start));
  out->length = start;
  append_format(out, "cuda_cpu::launcher<%s>(", kernel);
  kernel[end - start] = '\0';
  append_literal(out, kernel);
  append(out, ", ", 2);
  free(kernel);
  const char *const closing = find_closing(source, c + 3, ">>>");
  append(out, c + 3, (size_t)(closing - (c + 3)));
  append(out, ")", 1);
  return closing + 3;
}
