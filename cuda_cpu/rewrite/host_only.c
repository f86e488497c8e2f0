// Sorts and containers of the standard library, which nvcc refuses in device code. g++ would take
// them. Only where their names stand behind std::; nvcc refuses every host function.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "translate.h"

// Behind the < ... > that begins at `c`, or `c` if there is none.
static const char *skip_template_arguments(const char *c) {
  if (*c != '<') return c;
  int depth = 0;
  do {
    if (*c == '\0' || strchr(";{}", *c) != NULL) return c;
    depth += (*c == '<') - (*c == '>');
    c++;
  } while (depth > 0);
  return skip_spaces(c);
}

static bool is_one_of(const char *c, const char *const *names) {
  while (*names != NULL && !is_word(c, *names)) names++;
  return *names != NULL;
}

void refuse_host_only(const Source *source, const char *c) {
  static const char *const sorts[] = {"sort",        "stable_sort", "partial_sort",
                                      "nth_element", "make_heap",   "push_heap",
                                      "pop_heap",    "sort_heap",   NULL};
  static const char *const containers[] = {"vector",
                                           "deque",
                                           "list",
                                           "map",
                                           "multimap",
                                           "set",
                                           "multiset",
                                           "unordered_map",
                                           "unordered_multimap",
                                           "unordered_set",
                                           "unordered_multiset",
                                           "priority_queue",
                                           "string",
                                           NULL};
  if (!is_word(c, "std")) return;
  const char *before = c;
  while (before > source->text && (isspace((unsigned char)before[-1]) || before[-1] == ':'))
    before--;
  if (before > source->text && is_name(before[-1]) &&
      memchr(before, ':', (size_t)(c - before)) != NULL)
    return;  // cuda::std
  const char *const colons = skip_spaces(c + 3);
  if (strncmp(colons, "::", 2) != 0) return;
  const char *const name = skip_spaces(colons + 2);
  const char *const next = skip_template_arguments(skip_spaces(name + word_length(name)));
  // Of a container, an object: a type or a pointer to one does no harm.
  if (!(is_one_of(name, sorts) && *next == '(') &&
      !(is_one_of(name, containers) && (is_name(*next) || *next == '(' || *next == '{')))
    return;
  char problem[128];
  snprintf(problem, sizeof problem, "std::%.*s is a host function: a kernel cannot call it",
           (int)word_length(name), name);
  fail(source, c, problem);
}
