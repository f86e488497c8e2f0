// template <int N> __global__ void __launch_bounds__(N) kernel(int *a) {  ->
// template <int N> cuda_cpu::LaunchBound<cuda_cpu::launch_bound(N)> kernel_launch_bound(int *a);
// template <int N> __global__ void kernel(int *a) {
//
// The second function is only declared: a launch of kernel<8>(a) reads its bound from the return
// type of kernel_launch_bound<8>(a), so that the compiler evaluates the expression, deduces
// template arguments and chooses among overloads.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // strndup
#endif
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// ---- which kernels have a bound -----------------------------------------------------------------

static struct {
  char *name;
  bool unclear;  // a specialisation may have another bound
} * bounded;
static size_t bounded_count;

static void note_bound(const char *name, size_t length, bool unclear) {
  for (size_t i = 0; i < bounded_count; i++)
    if (strlen(bounded[i].name) == length && strncmp(bounded[i].name, name, length) == 0) {
      bounded[i].unclear |= unclear;
      return;
    }
  bounded = checked(realloc(bounded, (bounded_count + 1) * sizeof *bounded));
  bounded[bounded_count].name = checked(strndup(name, length));
  bounded[bounded_count++].unclear = unclear;
}

void begin_bounds(void) {
  bounded = NULL;
  bounded_count = 0;
}

void forget_bounds(void) {
  while (bounded_count > 0) free(bounded[--bounded_count].name);
  free(bounded);
  begin_bounds();
}

// ---- the kernel's declaration -------------------------------------------------------------------

// Behind the > of a template's <, or null.
static const char *skip_angles(const Source *source, const char *c) {
  int angles = 0, others = 0;
  while (*c != '\0' && strchr(";{}", *c) == NULL) {
    const char *const literal = skip_literal(source, c);
    if (literal != c) {
      c = literal;
      continue;
    }
    others += (strchr("([", *c) != NULL) - (strchr(")]", *c) != NULL);
    if (others == 0) angles += (*c == '<') - (*c == '>');
    c++;
    if (angles == 0) return c;
  }
  return NULL;
}

// Behind the header of a template that begins at `c`, or `c` if none does. Null for template <>,
// and for what is not understood.
static const char *skip_header(const Source *source, const char *c) {
  if (!is_word(c, "template")) return c;
  const char *const open = skip_spaces(c + word_length(c));
  if (*open != '<' || *skip_spaces(open + 1) == '>') return NULL;
  return skip_angles(source, open);
}

// The name of the function that is declared from `c` on: followed by its parameters, and not
// qualified. Null if there is none.
static const char *find_name(const Source *source, const char *c) {
  char before = ' ';
  while (*c != '\0' && strchr(";{}()=", *c) == NULL) {
    const char *const literal = skip_literal(source, c);
    if (literal != c || !is_name(*c)) {
      if (!isspace((unsigned char)*c) && literal == c) before = *c;
      c = literal != c ? literal : c + 1;
      continue;
    }
    const char *const behind = skip_spaces(c + word_length(c));
    if (*behind == '(' && !is_word(c, "__attribute__") && !is_word(c, "alignas") &&
        !is_word(c, "__launch_bounds__"))
      return before == ':' ? NULL : c;
    before = ' ';
    c = *behind == '(' ? find_closing(source, behind + 1, ")") + 1 : c + word_length(c);
  }
  return NULL;
}

void note_specialisation(const Source *source, const char *declaration, const char *c) {
  if (!is_word(declaration, "template") || skip_header(source, declaration) != NULL) return;
  for (; *c != '\0' && strchr("(;{}", *c) == NULL; c += is_name(*c) ? word_length(c) : 1)
    if (is_name(*c)) note_bound(c, word_length(c), true);
}

static bool has_word(const char *from, const char *to, const char *word) {
  for (const char *c = from; c < to; c += is_name(*c) ? word_length(c) : 1)
    if (is_word(c, word)) return true;
  return false;
}

bool repeats_const(const Text *out) {
  size_t i = out->length;
  while (i > 0) {
    const size_t end = i;
    while (i > 0 && is_name(out->data[i - 1])) i--;
    if (end - i == 5 && strncmp(out->data + i, "const", 5) == 0) return true;
    if (i > 1 && out->data[i - 1] == ':' && out->data[i - 2] == ':')
      i -= 2;
    else if (i > 0 && isspace((unsigned char)out->data[i - 1]))
      i--;
    else if (end == i)
      return false;
  }
  return false;
}

static void append_types(Text *out, const char *types) {
  for (const char *c = types; *c != '\0';) {
    const size_t length = is_name(*c) ? word_length(c) : 1;
    if (!is_word(c, "const") || !repeats_const(out)) append(out, c, length);
    c += length;
  }
}

// Behind `end`, with its line ends, so that the lines below keep their numbers.
static const char *drop(const char *from, const char *end, Text *out) {
  for (const char *c = from; c < end; c++)
    if (*c == '\n') append(out, c, 1);
  return end;
}

const char *rewrite_bounds(const Source *source, const char *declaration, size_t start,
                           const char *c, Text *out) {
  const char *const open = skip_spaces(c + word_length(c));
  if (*open != '(') return c + word_length(c);
  const char *const end = find_closing(source, open + 1, ")") + 1;
  if (declaration == NULL) return drop(c, end, out);
  const char *const header = skip_header(source, declaration);
  const char *const name = find_name(source, end);
  if (header == NULL || name == NULL || has_word(header, c, "friend") ||
      has_word(header, c, "template") || !has_word(header, name, "__global__"))
    return drop(c, end, out);
  const char *const parameters = skip_spaces(name + word_length(name));
  const char *const behind = find_closing(source, parameters + 1, ")") + 1;
  char *const template = on_one_line(declaration, (size_t)(header - declaration));
  char *const bound = on_one_line(open, (size_t)(end - open));
  char *const types = on_one_line(parameters, (size_t)(behind - parameters));
  const size_t head_length = out->length - start;
  char *const head = checked(calloc(head_length + 1, 1));
  if (head_length > 0) memcpy(head, out->data + start, head_length);
  out->length = start;
  append_format(out, "%s [[maybe_unused]] cuda_cpu::LaunchBound<cuda_cpu::launch_bound%s> ",
                template, bound);
  append_format(out, "%.*s" LAUNCH_BOUND, (int)word_length(name), name);
  append_types(out, types);
  append(out, "; ", 2);
  append(out, head, head_length);
  note_bound(name, word_length(name), false);
  free(template);
  free(bound);
  free(types);
  free(head);
  return drop(c, end, out);
}

// ---- the kernel's uses --------------------------------------------------------------------------

// The kernel's name in a::kernel<1>, or null for other expressions.
static const char *name_in(const char *kernel) {
  const char *name = kernel, *c = kernel;
  for (; is_name(*c) || *c == ':' || *c == ' '; c++)
    if (*c == ':' || *c == ' ') name = c + 1;
  return (*c == '\0' || *c == '<') && word_length(name) > 0 ? name : NULL;
}

bool append_bound(const char *before, const char *kernel, Text *out) {
  const char *const name = name_in(kernel);
  if (name == NULL) return false;
  const size_t length = word_length(name);
  for (size_t i = 0; i < bounded_count; i++) {
    if (bounded[i].unclear || strlen(bounded[i].name) != length ||
        strncmp(bounded[i].name, name, length) != 0)
      continue;
    append_format(out,
                  "%s[](auto... cuda_cpu_) -> decltype(%.*s" LAUNCH_BOUND
                  "%s(cuda_cpu_...)) { return {}; })",
                  before, (int)(name - kernel) + (int)length, kernel, name + length);
    return true;
  }
  return false;
}

const char *rewrite_using(const char *c, Text *out) {
  const char *name = NULL, *end = c + word_length(c);
  for (; is_name(*end) || *end == ':' || isspace((unsigned char)*end); end++)
    if (is_name(*end) && !is_name(end[-1])) name = end;
  if (*end != ';' || name == NULL || name[-1] != ':') return c;
  const size_t length = word_length(name);
  for (size_t i = 0; i < bounded_count; i++) {
    if (strlen(bounded[i].name) != length || strncmp(bounded[i].name, name, length) != 0) continue;
    append(out, c, (size_t)(end - c));
    char *const again = on_one_line(c, (size_t)(name - c) + length);
    append_format(out, "; %s" LAUNCH_BOUND, again);
    free(again);
    return end;
  }
  return c;
}
