// Names, comments, strings and brackets.
#include "lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

void report(const Source *source, const char *at, const char *problem) {
  const Position position = position_of(source, at);
  fprintf(stderr, "%.*s:%d: %s\n", (int)position.length, position.file, position.line, problem);
}

_Noreturn void fail(const Source *source, const char *at, const char *problem) {
  report(source, at, problem);
  exit(1);
}

// Line markers are lines such as: # 12 "file.cu" 2
Position position_of(const Source *source, const char *at) {
  Position position = {source->name, strlen(source->name), 1};
  for (const char *c = source->text; c < at; c++) {
    if (*c == '\n') position.line++;
    const bool line_starts = c == source->text || c[-1] == '\n';
    if (!line_starts || c[0] != '#' || c[1] != ' ' || !isdigit((unsigned char)c[2])) continue;
    const size_t length = strcspn(c, "\n");
    const char *const name = memchr(c, '"', length);
    const char *const name_end = name == NULL ? NULL : strchr(name + 1, '"');
    if (name_end == NULL || name_end >= c + length) continue;
    position.file = name + 1;
    position.length = (size_t)(name_end - position.file);
    position.line = atoi(c + 2) - 1;  // of the line that follows
  }
  return position;
}

const char *skip_spaces(const char *c) {
  while (isspace((unsigned char)*c)) c++;
  return c;
}

size_t word_length(const char *c) {
  size_t length = 0;
  while (is_name(c[length])) length++;
  return length;
}

bool is_word(const char *c, const char *w) {
  return *c == *w && strncmp(c, w, strlen(w)) == 0 && !is_name(c[strlen(w)]);
}

// Start of the name or number that ends at or contains `c`.
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

const char *skip_literal(const Source *source, const char *c) {
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

const char *find_closing(const Source *source, const char *c, const char *closing) {
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

char *on_one_line(const char *data, size_t length) {
  char *const copy = checked(calloc(length + 1, 1));
  size_t n = 0;
  for (size_t i = 0; i < length; i++) {
    if (data[i] == '#' && (i == 0 || data[i - 1] == '\n'))
      while (i + 1 < length && data[i + 1] != '\n') i++;
    else
      copy[n++] = isspace((unsigned char)data[i]) ? ' ' : data[i];
  }
  return copy;
}
