// __shared__ int tile[N][2], sum;  ->  int (&tile)[N][2] = ..., &sum = ...;
// extern __shared__ int array[];   ->  int *array = ...;
//
// Static arrays become references to memory that cuda_cpu::static_shared() finds by the address of
// a static variable declared beside them. Outside functions, where there is no block yet, objects
// stand for both, which ask for the memory whenever they are used:
//
// __shared__ int tile[N], sum;  ->  static cuda_cpu::SharedVariable<int[N], ...> tile; ...
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// The statement [from, to) on one line and without comments.
static char *copy_statement(const Source *source, const char *from, const char *to) {
  char *const copy = checked(calloc((size_t)(to - from) + 1, 1));
  size_t length = 0;
  while (from < to) {
    const char *const behind = skip_literal(source, from);
    copy[length++] = behind != from || isspace((unsigned char)*from) ? ' ' : *from;
    from = behind != from ? behind : from + 1;
  }
  return copy;
}

// Removes a word from the statement, and with it `alignas(...)`'s argument, of which it returns a
// copy. Null if the word does not occur.
static char *cut_word(const Source *source, char *statement, const char *word) {
  for (char *c = statement; *c != '\0'; c += is_name(*c) ? word_length(c) : 1) {
    if (!is_word(c, word)) continue;
    char *end = c + word_length(c);
    char *argument = end;
    while (isspace((unsigned char)*argument)) argument++;
    if (*argument == '(') end = (char *)find_closing(source, argument + 1, ")") + 1;
    char *const copy = checked(strndup(argument, *argument == '(' ? (size_t)(end - argument) : 0));
    memmove(c, end, strlen(end) + 1);
    return copy;
  }
  return NULL;
}

typedef struct Shared {
  const Source *source;
  const char *at;         // where the statement begins
  const char *type;       // of the elements, without a declarator's stars
  const char *alignment;  // "(16)", or null
  bool dynamic;           // extern __shared__ int array[]
  bool in_function;
} Shared;

// Writes one declarator, "tile[N][2]".
static void declare_shared(const Shared *shared, const char *declarator, Text *out) {
  const int stars = (int)strspn(declarator, "* ");  // of `int *a, *b`
  Text pointer = {0};
  append_format(&pointer, "%s%.*s%c", shared->type, stars, declarator, '\0');
  declarator += stars;
  const int n = (int)word_length(declarator);
  const char *const dimensions = declarator + n;
  const char *first_end = NULL;  // behind the first dimension
  int depth = 0;
  bool understood = n > 0;
  for (const char *c = dimensions; *c != '\0'; c++) {
    understood = understood && (depth > 0 || *c == '[' || isspace((unsigned char)*c));
    depth += (*c == '[') - (*c == ']');
    if (depth == 0 && *c == ']' && first_end == NULL) first_end = c + 1;
  }
  if (!understood || (shared->dynamic && first_end == NULL))
    fail(shared->source, shared->at,
         "a __shared__ declaration that is more than TYPE NAME[SIZE]...");
  const char *const type = pointer.data, *const name = declarator;
  if (!shared->in_function) {
    append_format(out, "static constexpr char %.*s_shared_name[] = \"%.*s\"; ", n, name, n, name);
    append_format(out, "typedef %s %.*s_shared_type%s; static %s%s ", type, n, name,
                  shared->dynamic ? first_end : dimensions,
                  shared->alignment != NULL ? "alignas" : "",
                  shared->alignment != NULL ? shared->alignment : "");
    append_format(out, "cuda_cpu::%s<%.*s_shared_type, %.*s_shared_name> %.*s;",
                  shared->dynamic ? "DynamicShared" : "SharedVariable", n, name, n, name, n, name);
  } else if (shared->dynamic) {
    const bool of_arrays = strchr(first_end, '[') != NULL;
    append_format(out, of_arrays ? "%s (*%.*s)%s = " : "%s *%.*s%s = ", type, n, name, first_end);
    append_format(out, of_arrays ? "static_cast<%s (*)%s>" : "static_cast<%s *%s>", type,
                  first_end);
    append_format(out, "(cuda_cpu::dynamic_shared(\"%.*s\", sizeof(%s)));", n, name, type);
  } else {
    append_format(out, "typedef %s %.*s_shared_type%s; static char %.*s_shared_key; ", type, n,
                  name, dimensions, n, name);
    if (shared->alignment != NULL)
      append_format(out, "struct alignas%s %.*s_shared_place { %.*s_shared_type array; }; ",
                    shared->alignment, n, name, n, name);
    append_format(
        out,
        "%.*s_shared_type &%.*s = *static_cast<%.*s_shared_type *>(cuda_cpu::static_shared("
        "&%.*s_shared_key, sizeof(%.*s_shared_type), alignof(%.*s_shared_%s), \"%.*s\", "
        "sizeof(std::remove_all_extents_t<%.*s_shared_type>)));",
        n, name, n, name, n, name, n, name, n, name, n, name,
        shared->alignment != NULL ? "place" : "type", n, name, n, name);
  }
  free(pointer.data);
}

const char *rewrite_shared(const Source *source, const char *begin, size_t start, bool in_function,
                           Text *out) {
  const char *const end = find_closing(source, begin, ";");
  char *const statement = copy_statement(source, begin, end);
  const Source copy = {source->name, statement};
  free(cut_word(&copy, statement, "__shared__"));
  free(cut_word(&copy, statement, "static"));
  char *const is_extern = cut_word(&copy, statement, "extern");
  char *alignment = cut_word(&copy, statement, "__align__");
  if (alignment == NULL) alignment = cut_word(&copy, statement, "alignas");
  // The type ends before the last name in front of the first '[' or ',' (or '=', an error), where
  // names inside brackets do not count.
  int depth = 0;
  size_t name = 0;
  for (size_t i = 0; statement[i] != '\0'; i++) {
    const char c = statement[i];
    if (depth == 0 && strchr(",[=", c) != NULL) break;
    if (strchr("({<", c) != NULL) depth++;
    if (strchr(")}>", c) != NULL) depth--;
    if (depth == 0 && is_name(c) && (i == 0 || !is_name(statement[i - 1]))) name = i;
  }
  while (name > 0 && strchr("* ", statement[name - 1]) != NULL) name--;  // its stars
  char *const type = checked(strndup(statement, name));
  const Shared shared = {.source = source,
                         .at = begin,
                         .type = type,
                         .alignment = alignment,
                         .dynamic = is_extern != NULL,
                         .in_function = in_function};
  out->length = start;
  char *declarator = statement + name;
  for (char *c = declarator;; c++) {
    depth += (*c == '[' || *c == '(') - (*c == ']' || *c == ')');
    if (*c != '\0' && (*c != ',' || depth > 0)) continue;
    const bool last = *c == '\0';
    *c = '\0';
    declare_shared(&shared, declarator, out);
    if (last) break;
    declarator = c + 1;
  }
  append_line_ends(out, begin, end);
  free(type);
  free(alignment);
  free(is_extern);
  free(statement);
  return end + 1;
}
