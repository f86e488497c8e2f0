// asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  ->  lane = cuda_cpu::lane_id();
//
// Several instructions become a block of statements in which the operands are variables: inputs are
// read before, and outputs written behind all of them. ptx.c translates single instructions. An
// empty text (a compiler barrier) is kept.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx.h"
#include "translate.h"

// The text of adjacent string literals: %% as %, escapes, spaces and braces as one space each. Null
// if something else comes first.
static char *text_of(const Source *source, const char **c) {
  Text text = {NULL, 0, 0};
  bool any = false;
  for (; isspace((unsigned char)**c) || **c == '"'; (*c)++) {
    if (**c != '"') continue;
    any = true;
    const char *const end = skip_literal(source, *c) - 1;
    for ((*c)++; *c < end; (*c)++) {
      char letter = **c;
      if (letter == '\\') (*c)++;
      if (letter == '%' && (*c)[1] == '%') (*c)++;
      const bool space = isspace((unsigned char)letter) || strchr("\\{}", letter) != NULL;
      if (space && (text.length == 0 || text.data[text.length - 1] == ' ')) continue;
      append(&text, space ? " " : &letter, 1);
    }
  }
  if (!any) return NULL;
  append(&text, "", 1);
  return text.data;
}

typedef struct Operands {
  char *expressions[10];
  bool written[10], read[10];
  int count;
} Operands;

// ("constraint"(expression), ...); outputs are "=r" or "+r".
static const char *read_operands(const Source *source, const char *c, Operands *operands) {
  const char *constraint = "";
  while (*c != ':' && *c != ')') {
    if (*c == '"') {
      constraint = c + 1;
      c = skip_literal(source, c);
    } else if (*c == '(') {
      const char *const end = find_closing(source, c + 1, ")");
      if (operands->count < 10) {
        operands->written[operands->count] = strchr("=+", *constraint) != NULL;
        operands->read[operands->count] = *constraint != '=';
        operands->expressions[operands->count++] = checked(strndup(c, (size_t)(end + 1 - c)));
      }
      c = end + 1;
    } else if (*c == '[') {
      c = find_closing(source, c + 1, "]") + 1;
    } else {
      c++;
    }
  }
  return c;
}

// One instruction by itself: the expressions stand in its translation.
static void translate_one(const Source *source, const char *at, char *instruction,
                          const Operands *operands, Text *out) {
  const Ptx ptx = {source, at, (const char *const *)operands->expressions, operands->count, NULL};
  instruction[strcspn(instruction, ";")] = '\0';
  if (!translate_ptx(&ptx, instruction, out)) fail_ptx(&ptx, instruction);
}

static void translate_several(const Source *source, const char *at, char *text,
                              const Operands *operands, Text *out) {
  char names[10][8], registers[kRegisterBytes] = " ";
  const char *variables[10];
  append_format(out, "do { ");
  for (int i = 0; i < operands->count; i++) {
    snprintf(names[i], sizeof names[i], "ptx_%d", i);
    variables[i] = names[i];
    const char *const expression = operands->expressions[i];
    if (operands->read[i])
      append_format(out, "auto %s = %s; ", names[i], expression);
    else
      append_format(out, "std::decay_t<decltype(%s)> %s{}; ", expression, names[i]);
  }
  const Ptx ptx = {source, at, variables, operands->count, registers};
  char *rest = NULL;
  for (char *instruction = strtok_r(text, ";", &rest); instruction != NULL;
       instruction = strtok_r(NULL, ";", &rest)) {
    while (*instruction == ' ') instruction++;
    if (*instruction == '\0') continue;
    if (!translate_ptx(&ptx, instruction, out)) fail_ptx(&ptx, instruction);
    append(out, "; ", 2);
  }
  for (int i = 0; i < operands->count; i++)
    if (operands->written[i]) append_format(out, "%s = %s; ", operands->expressions[i], names[i]);
  append_format(out, "} while (0)");
}

const char *rewrite_asm(const Source *source, const char *const begin, Text *out) {
  const char *c = begin + word_length(begin);
  for (;;) {
    c = skip_spaces(c);
    if (!is_word(c, "volatile") && !is_word(c, "__volatile__")) break;
    c += word_length(c);
  }
  if (*c != '(') return begin;
  c++;
  const char *const closing = find_closing(source, c, ")");
  char *const text = text_of(source, &c);
  if (text == NULL || text[strspn(text, " ;")] == '\0') {
    free(text);
    return begin;
  }
  Operands operands = {.count = 0};
  for (int part = 0; part < 2 && *c == ':'; part++) c = read_operands(source, c + 1, &operands);
  const char *const semicolon = strchr(text, ';');
  if (semicolon == NULL || semicolon[strspn(semicolon, " ;")] == '\0')
    translate_one(source, begin, text + strspn(text, " "), &operands, out);
  else
    translate_several(source, begin, text, &operands, out);
  append_line_ends(out, begin, closing);
  free(text);
  while (operands.count > 0) free(operands.expressions[--operands.count]);
  return closing + 1;
}
