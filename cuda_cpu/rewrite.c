// rewrite FILE.cu > FILE.cpp: makes CUDA C++ compile with an ordinary C++ compiler.
//
// Only two things in CUDA C++ are not C++ already (cuda_runtime.h provides the rest as macros,
// variables and functions):
//
//   kernel<T><<<grid, block>>>(a, b)   ->  cuda_cpu::launcher<kernel<T>>("kernel<T>", grid,
//   block)(a, b)
//   __shared__ int tile[N][2], sum;    ->  int (&tile)[N][2] = ..., &sum = ...;
//   extern __shared__ int array[];     ->  int *array = ...;
//
// Comments, strings and line numbers stay as they are. A construct that cannot be translated is
// reported with its line, and the exit code is 1.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // vasprintf
#endif
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text that grows

typedef struct Text {
  char *data;  // not terminated by a zero
  size_t length, capacity;
} Text;

static void *checked(void *memory) {
  if (memory == NULL) {
    fputs("rewrite: out of memory\n", stderr);
    exit(1);
  }
  return memory;
}

static void append(Text *text, const char *data, size_t length) {
  if (text->length + length > text->capacity) {
    text->capacity = 2 * (text->length + length) + 64;
    text->data = checked(realloc(text->data, text->capacity));
  }
  memcpy(text->data + text->length, data, length);
  text->length += length;
}

__attribute__((format(printf, 2, 3))) static void append_format(Text *text, const char *format,
                                                                ...) {
  char *data = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&data, format, arguments);
  va_end(arguments);
  append(text, checked(length < 0 ? NULL : data), (size_t)length);
  free(data);
}

// ---- the source

typedef struct Source {
  const char *name;
  const char *text;  // ends with a zero
} Source;

static _Noreturn void fail(const Source *source, const char *at, const char *problem) {
  int line = 1;
  for (const char *c = source->text; c < at; c++) line += *c == '\n';
  fprintf(stderr, "%s:%d: %s\n", source->name, line, problem);
  exit(1);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Where the word or number begins that `c` stands in or right behind.
static const char *word_start(const Source *source, const char *c) {
  while (c > source->text && (is_name(c[-1]) || c[-1] == '\'')) c--;
  return c;
}

// Whether the R" at `c` opens a raw string: alone or behind an encoding, not at a name's end.
static bool opens_raw_string(const Source *source, const char *c) {
  const char *const word = word_start(source, c);
  const size_t length = (size_t)(c - word);
  return length == 0 || (length == 1 && strchr("uUL", *word) != NULL) ||
         (length == 2 && strncmp(word, "u8", 2) == 0);
}

// If a comment, string or character literal begins at `c`, returns where it ends, else `c`.
static const char *skip_literal(const Source *source, const char *c) {
  if (c[0] == '/' && c[1] == '/') {
    while (*c != '\0' && *c != '\n') c += c[0] == '\\' && c[1] != '\0' ? 2 : 1;
    return c;
  }
  if (c[0] == '/' && c[1] == '*') {
    const char *const end = strstr(c + 2, "*/");
    if (end == NULL) fail(source, c, "a comment that does not end");
    return end + 2;
  }
  if (c[0] == 'R' && c[1] == '"' && opens_raw_string(source, c)) {
    const char *const open = strchr(c, '(');
    if (open == NULL || open - c > 2 + 16) fail(source, c, "a raw string that does not begin");
    char closing[32];
    snprintf(closing, sizeof closing, ")%.*s\"", (int)(open - c - 2), c + 2);
    const char *const end = strstr(open, closing);
    if (end == NULL) fail(source, c, "a raw string that does not end");
    return end + strlen(closing);
  }
  if (*c != '"' && *c != '\'') return c;
  // In 1'000'000 the mark stands in a number and opens nothing.
  if (*c == '\'' && isdigit((unsigned char)*word_start(source, c))) return c;
  const char quote = *c++;
  while (*c != quote) {
    if (c[0] == '\\' && c[1] != '\0')
      c++;  // what follows is part of the literal, even a line's end
    else if (*c == '\0' || *c == '\n')
      fail(source, c, "a literal that does not end on its line");
    c++;
  }
  return c + 1;
}

// From the character behind an opening bracket to the matching `closing` one (returned).
static const char *find_closing(const Source *source, const char *c, const char *closing) {
  const char *const begin = c;
  int depth = 0;
  while (*c != '\0') {
    if (depth == 0 && strncmp(c, closing, strlen(closing)) == 0) return c;
    const char *const behind = skip_literal(source, c);
    if (behind != c) {
      c = behind;
      continue;
    }
    if (strchr("([{", *c) != NULL) depth++;
    if (strchr(")]}", *c) != NULL) depth--;
    if (depth < 0) break;
    c++;
  }
  fail(source, begin, "a bracket that is not closed");
}

// ---- kernel<<<...>>>(...)

static size_t skip_spaces_back(const Text *out, size_t end) {
  while (end > 0 && isspace((unsigned char)out->data[end - 1])) end--;
  return end;
}

// Where the kernel's name, with namespaces and template arguments, begins in what has been
// written so far, which ends at `i`.
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

static const char *rewrite_launch(const Source *source, const char *c, Text *out) {
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

// ---- __shared__

static size_t word_length(const char *c) {
  size_t length = 0;
  while (is_name(c[length])) length++;
  return length;
}

static bool is_word(const char *c, const char *word) {
  return word_length(c) == strlen(word) && strncmp(c, word, strlen(word)) == 0;
}

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

// Takes a word out of the statement, and with it `alignas(...)`'s argument, whose copy it returns.
// Null if the word does not occur.
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
  const char *type;       // of the elements
  const char *alignment;  // "(16)", or null
  bool dynamic;           // extern __shared__ int array[]
} Shared;

// Writes one declarator, "tile[N][2]".
static void declare_shared(const Shared *shared, const char *declarator, Text *out) {
  while (isspace((unsigned char)*declarator)) declarator++;
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
  const char *const type = shared->type, *const name = declarator;
  if (shared->dynamic) {
    const bool of_arrays = strchr(first_end, '[') != NULL;
    append_format(out, of_arrays ? "%s (*%.*s)%s = " : "%s *%.*s%s = ", type, n, name, first_end);
    append_format(out, of_arrays ? "static_cast<%s (*)%s>" : "static_cast<%s *%s>", type,
                  first_end);
    append_format(out, "(cuda_cpu::dynamic_shared());");
    return;
  }
  append_format(out, "typedef %s %.*s_shared_type%s; static char %.*s_shared_key; ", type, n, name,
                dimensions, n, name);
  if (shared->alignment != NULL)
    append_format(out, "struct alignas%s %.*s_shared_place { %.*s_shared_type array; }; ",
                  shared->alignment, n, name, n, name);
  append_format(out,
                "%.*s_shared_type &%.*s = *static_cast<%.*s_shared_type *>(cuda_cpu::static_shared("
                "&%.*s_shared_key, sizeof(%.*s_shared_type), alignof(%.*s_shared_%s)));",
                n, name, n, name, n, name, n, name, n, name, n, name,
                shared->alignment != NULL ? "place" : "type");
}

// The statement that holds `__shared__` begins at out->data[start] and, in the source, at `begin`.
static const char *rewrite_shared(const Source *source, const char *begin, size_t start,
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
  char *const type = checked(strndup(statement, name));
  const Shared shared = {source, begin, type, alignment, is_extern != NULL};
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
  for (const char *c = begin; c < end; c++)
    if (*c == '\n') append(out, c, 1);  // so that the lines below keep their numbers
  free(type);
  free(alignment);
  free(is_extern);
  free(statement);
  return end + 1;
}

// ---- the whole file

// Copies a directive, which nothing is translated in, up to the end of its line.
static const char *copy_directive(const Source *source, const char *c, Text *out) {
  while (*c != '\0' && *c != '\n') {
    const char *behind = c + 1;
    if (c[0] == '/' && (c[1] == '/' || c[1] == '*')) behind = skip_literal(source, c);
    if (c[0] == '\\' && c[1] == '\n') behind = c + 2;
    append(out, c, (size_t)(behind - c));
    c = behind;
  }
  return c;
}

static void rewrite(const Source *source, Text *out) {
  const char *statement = source->text;  // where the present statement began, there and in `out`
  size_t statement_start = out->length;
  for (const char *c = source->text; *c != '\0';) {
    const char *const behind = skip_literal(source, c);
    if (behind != c) {
      append(out, c, (size_t)(behind - c));
      c = behind;
    } else if (strncmp(c, "<<<", 3) == 0) {
      c = rewrite_launch(source, c, out);
    } else if (is_word(c, "__shared__") && (c == source->text || !is_name(c[-1]))) {
      // What stands before the statement's first word (spaces, comments) has been written.
      while (isspace((unsigned char)*statement) || skip_literal(source, statement) != statement) {
        const char *const after = skip_literal(source, statement);
        const size_t skipped = after != statement ? (size_t)(after - statement) : 1;
        statement += skipped;
        statement_start += skipped;
      }
      c = rewrite_shared(source, statement, statement_start, out);
      statement = c;
      statement_start = out->length;
    } else {
      if (*c == '#') {  // it begins no statement
        c = copy_directive(source, c, out);
        statement = c;
        statement_start = out->length;
        continue;
      }
      append(out, c, 1);
      if (strchr(";{}", *c) != NULL) {
        statement = c + 1;
        statement_start = out->length;
      }
      c++;
    }
  }
}

static char *read_file(const char *name) {
  FILE *const file = fopen(name, "rb");
  if (file == NULL) {
    perror(name);
    exit(1);
  }
  Text text = {NULL, 0, 0};
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) append(&text, buffer, n);
  if (ferror(file)) {
    perror(name);
    exit(1);
  }
  fclose(file);
  append(&text, "", 1);
  return text.data;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: rewrite FILE.cu > FILE.cpp\n", stderr);
    return 1;
  }
  char *const text = read_file(argv[1]);
  const Source source = {argv[1], text};
  Text out = {NULL, 0, 0};
  append_format(&out, "#include <cuda_runtime.h>\n#line 1 \"%s\"\n", argv[1]);
  rewrite(&source, &out);
  fwrite(out.data, 1, out.length, stdout);
  free(out.data);
  free(text);
  return fflush(stdout) == 0 ? 0 : 1;
}
