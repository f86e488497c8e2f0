// rewrite FILE.cu > FILE.cpp: makes CUDA C++ compile with an ordinary C++ compiler.
//
// Only two things in CUDA C++ are not C++ already (cuda_runtime.h provides the rest as macros,
// variables and functions):
//
//   kernel<T><<<grid, block>>>(a, b)   ->  cuda_cpu::launcher<kernel<T>>("kernel<T>", grid, block)(a, b)
//   __shared__ int tile[N][2], sum;    ->  int (&tile)[N][2] = ..., &sum = ...;
//   extern __shared__ int array[];     ->  int *array = ...;
//
// Comments, strings and line numbers stay as they are. A construct that cannot be translated is
// reported with its line, and the exit code is 1.
#define _GNU_SOURCE  // vasprintf
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- text that grows -----------------------------------------------------------------------------

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

// ---- the source -----------------------------------------------------------------------------------

typedef struct Source {
  const char *name;
  const char *text;  // ends with a zero
} Source;

static void fail(const Source *source, const char *at, const char *problem) {
  int line = 1;
  for (const char *c = source->text; c < at; c++) line += *c == '\n';
  fprintf(stderr, "%s:%d: %s\n", source->name, line, problem);
  exit(1);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

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
  if (c[0] == 'R' && c[1] == '"' && (c == source->text || !is_name(c[-1]))) {
    const char *const open = strchr(c, '(');
    if (open == NULL) fail(source, c, "a raw string that does not begin");
    char closing[32];
    snprintf(closing, sizeof closing, ")%.*s\"", (int)(open - c - 2), c + 2);
    const char *const end = strstr(open, closing);
    if (end == NULL) fail(source, c, "a raw string that does not end");
    return end + strlen(closing);
  }
  // In 1'000'000 the mark follows a digit and opens nothing.
  const bool opens = c[0] == '"' || (c[0] == '\'' && (c == source->text || !is_name(c[-1])));
  if (!opens) return c;
  const char quote = *c++;
  while (*c != quote) {
    if (*c == '\0' || *c == '\n') fail(source, c, "a literal that does not end on its line");
    c += *c == '\\' ? 2 : 1;
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
  return NULL;
}

// ---- kernel<<<...>>>(...) ---------------------------------------------------------------------------

static size_t skip_spaces_back(const Text *out, size_t end) {
  while (end > 0 && isspace((unsigned char)out->data[end - 1])) end--;
  return end;
}

// Where the kernel's name, with namespaces and template arguments, begins in what has been
// written so far.
static size_t kernel_name_start(const Text *out) {
  size_t i = skip_spaces_back(out, out->length);
  if (i > 0 && out->data[i - 1] == '>') {
    int depth = 0;
    do {
      i--;
      depth += (out->data[i] == '>') - (out->data[i] == '<');
    } while (i > 0 && depth > 0);
    i = skip_spaces_back(out, i);
  }
  while (i > 0 && (is_name(out->data[i - 1]) || out->data[i - 1] == ':')) i--;
  return i;
}

static const char *rewrite_launch(const Source *source, const char *c, Text *out) {
  const size_t start = kernel_name_start(out);
  const size_t end = skip_spaces_back(out, out->length);
  if (start == end) fail(source, c, "a launch without the name of a kernel");
  char *const kernel = checked(strndup(out->data + start, end - start));
  out->length = start;
  append_format(out, "cuda_cpu::launcher<%s>(\"%s\", ", kernel, kernel);
  free(kernel);
  const char *const closing = find_closing(source, c + 3, ">>>");
  append(out, c + 3, (size_t)(closing - (c + 3)));
  append(out, ")", 1);
  return closing + 3;
}

// ---- __shared__ -------------------------------------------------------------------------------------

// Copies [from, to) without the words that the translation drops.
static char *copy_without(const char *from, const char *to, const char *const *words) {
  char *const copy = checked(calloc((size_t)(to - from) + 1, 1));
  size_t length = 0;
  while (from < to) {
    size_t word = 0;
    while (from + word < to && is_name(from[word])) word++;
    bool drop = false;
    for (const char *const *w = words; *w != NULL; w++)
      drop = drop || (strlen(*w) == word && strncmp(*w, from, word) == 0);
    if (word == 0) word = 1;
    if (!drop) {
      memcpy(copy + length, from, word);
      if (copy[length] == '\n') copy[length] = ' ';
      length += word;
    }
    from += word;
  }
  return copy;
}

// Writes one declarator, "tile[N][2]", of elements of `type`.
static void declare_shared(const Source *source, const char *at, const char *type,
                           const char *declarator, bool is_extern, Text *out) {
  while (isspace((unsigned char)*declarator)) declarator++;
  size_t length = 0;
  while (is_name(declarator[length])) length++;
  const char *const dimensions = declarator + length;
  if (length == 0 || strpbrk(dimensions, "=({*&") != NULL)
    fail(source, at, "a __shared__ declaration that is more than TYPE NAME[SIZE]...");
  const int n = (int)length;
  if (is_extern) {
    append_format(out, "%s *%.*s = static_cast<%s *>(cuda_cpu::dynamic_shared());", type, n,
                  declarator, type);
  } else {
    append_format(out,
                  "typedef %s %.*s_type%s; static char %.*s_key; %.*s_type &%.*s = "
                  "*static_cast<%.*s_type *>(cuda_cpu::static_shared(&%.*s_key, "
                  "sizeof(%.*s_type), alignof(%.*s_type)));",
                  type, n, declarator, dimensions, n, declarator, n, declarator, n, declarator, n,
                  declarator, n, declarator, n, declarator, n, declarator);
  }
}

// The statement that holds `__shared__` begins at out->data[start] and, in the source, at `begin`.
static const char *rewrite_shared(const Source *source, const char *begin, size_t start,
                                  Text *out) {
  const char *const end = find_closing(source, begin, ";");
  const char *const is_extern = strstr(begin, "extern");
  const bool dynamic = is_extern != NULL && is_extern < end;
  const char *const dropped[] = {"__shared__", "static", "extern", NULL};
  char *const statement = copy_without(begin, end, dropped);
  // The type ends before the last name that is not inside brackets and before the first '[' or ','.
  int depth = 0;
  size_t name = 0, i = 0;
  for (; statement[i] != '\0'; i++) {
    const char c = statement[i];
    if (depth == 0 && (c == ',' || c == '[')) break;
    if (strchr("(<", c) != NULL) depth++;
    if (strchr(")>", c) != NULL) depth--;
    if (depth == 0 && is_name(c) && (i == 0 || !is_name(statement[i - 1]))) name = i;
  }
  char *const type = checked(strndup(statement, name));
  out->length = start;
  char *declarator = statement + name;
  for (char *c = declarator;; c++) {
    if (strchr("([{<", *c) != NULL && *c != '\0') depth++;
    if (strchr(")]}>", *c) != NULL && *c != '\0') depth--;
    if (*c != '\0' && (*c != ',' || depth > 0)) continue;
    const bool last = *c == '\0';
    *c = '\0';
    declare_shared(source, begin, type, declarator, dynamic, out);
    if (last) break;
    declarator = c + 1;
  }
  for (const char *c = begin; c < end; c++)
    if (*c == '\n') append(out, c, 1);  // so that the lines below keep their numbers
  free(type);
  free(statement);
  return end + 1;
}

// ---- the whole file -----------------------------------------------------------------------------------

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
    } else if (strncmp(c, "__shared__", 10) == 0 && !is_name(c[10]) && !is_name(c[-1])) {
      // What stands before the statement's first word (spaces, comments) has been written.
      while (isspace((unsigned char)*statement) || skip_literal(source, statement) != statement) {
        const char *const after = skip_literal(source, statement);
        const size_t skipped = after != statement ? (size_t)(after - statement) : 1;
        statement += skipped;
        statement_start += skipped;
      }
      c = rewrite_shared(source, statement, statement_start, out);
    } else {
      if (*c == '#') {  // a directive is copied whole, and begins no statement
        while (*c != '\0' && *c != '\n') {
          if (c[0] == '\\' && c[1] == '\n') append(out, c++, 1);
          append(out, c++, 1);
        }
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
