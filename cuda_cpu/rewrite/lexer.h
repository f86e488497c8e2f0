// Finding one's way in CUDA C++ source: names, comments, strings, brackets.
#ifndef CUDA_CPU_REWRITE_LEXER_H
#define CUDA_CPU_REWRITE_LEXER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Source {
  const char *name;
  const char *text;  // ends with a zero
} Source;

// A place in the files that the source was preprocessed from.
typedef struct Position {
  const char *file;
  size_t length;  // of `file`
  int line;
} Position;
Position position_of(const Source *source, const char *at);

// Prints file, line and problem; fail() ends the program with exit code 1.
void report(const Source *source, const char *at, const char *problem);
_Noreturn void fail(const Source *source, const char *at, const char *problem);

// Whether it may be part of a name or number. Asked for each character, so not isalnum().
static inline bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
size_t word_length(const char *c);           // of the name that begins at `c`
bool is_word(const char *c, const char *w);  // whether that name is `w`

const char *skip_spaces(const char *c);

// If a comment, string or character literal begins at `c`, returns where it ends, else `c`.
const char *skip_literal(const Source *source, const char *c);

// From the character behind an opening bracket to the matching `closing` one (returned).
const char *find_closing(const Source *source, const char *c, const char *closing);

// A copy on one line and without line markers.
char *on_one_line(const char *data, size_t length);

#endif
