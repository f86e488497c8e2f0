// Single PTX instructions as C++, by the patterns of ptx_table.c.
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxOperands = 6 };

void fail_ptx(const Ptx *ptx, const char *instruction) {
  char problem[200];
  snprintf(problem, sizeof problem,
           "inline PTX that has no translation: %.80s; see rewrite/ptx_table.c for those that have",
           instruction);
  fail(ptx->source, ptx->at, problem);
}

// ---- operands -----------------------------------------------------------------------------------

typedef struct Instruction {
  char *opcode;
  char *operands[kMaxOperands];
  int count;
} Instruction;

static char *trim(char *text) {
  while (*text == ' ') text++;
  for (size_t n = strlen(text); n > 0 && text[n - 1] == ' '; n--) text[n - 1] = '\0';
  return text;
}

// Splits "opcode a, b" in place. False if there are too many operands.
static bool split(char *text, Instruction *instruction) {
  instruction->opcode = text = trim(text);
  instruction->count = 0;
  char *rest = strchr(text, ' ');
  if (rest == NULL) return true;
  *rest++ = '\0';
  for (char *operand; (operand = strsep(&rest, ",")) != NULL;) {
    if (instruction->count == kMaxOperands) return false;
    instruction->operands[instruction->count++] = trim(operand);
  }
  return true;
}

static bool is_register(const Ptx *ptx, const char *name) {
  char padded[64];
  snprintf(padded, sizeof padded, " %s ", name);
  return ptx->registers != NULL && *name != '\0' && word_length(name) == strlen(name) &&
         strstr(ptx->registers, padded) != NULL;
}

// Writes an operand as an expression.
static bool append_operand(const Ptx *ptx, const char *operand, Text *out) {
  if (operand[0] == '[') {
    char address[64];
    snprintf(address, sizeof address, "%.*s", (int)strcspn(operand + 1, "]"), operand + 1);
    char *const plus = strchr(address, '+');
    if (plus != NULL) *plus = '\0';
    append_format(out, "cuda_cpu::ptx_address(");
    if (!append_operand(ptx, trim(address), out)) return false;
    append_format(out, ", %s)", plus == NULL ? "0" : trim(plus + 1));
    return true;
  }
  if (operand[0] == '%' && isdigit((unsigned char)operand[1])) {
    const int index = operand[1] - '0';
    if (operand[2] != '\0') return false;
    if (index >= ptx->count)
      fail(ptx->source, ptx->at, "inline PTX with fewer operands than it names");
    append_format(out, "%s", ptx->operands[index]);
    return true;
  }
  if (is_register(ptx, operand)) {
    append_format(out, "ptx_%s", operand);
    return true;
  }
  char *end;
  (void)strtoll(operand, &end, 0);
  if (end == operand || *end != '\0') return false;
  append_format(out, "%s", operand);
  return true;
}

// ---- matching -----------------------------------------------------------------------------------

// Whether an opcode is that of a pattern; `type` becomes that of its *, or -1.
static bool matches_opcode(const char *pattern, const char *opcode, int *type) {
  const size_t length = strlen(pattern);
  *type = -1;
  if (pattern[length - 1] != '*') return strcmp(pattern, opcode) == 0;
  if (strncmp(pattern, opcode, length - 1) != 0) return false;
  for (int i = 0; i < ptx_type_count; i++)
    if (strcmp(opcode + length - 1, ptx_types[i].ptx) == 0) *type = i;
  return *type >= 0;
}

static bool matches_operand(const char *pattern, const char *operand) {
  if (pattern[0] == '[') return operand[0] == '[';
  if (pattern[0] == '%' && isdigit((unsigned char)pattern[1])) return operand[0] != '[';
  return strcmp(pattern, operand) == 0;
}

static bool append_code(const Ptx *ptx, const char *code, const Instruction *pattern,
                        const Instruction *instruction, int type, Text *out) {
  for (; *code != '\0'; code++) {
    if (*code != '%') {
      append(out, code, 1);
      continue;
    }
    code++;
    if (*code == 'T' || *code == 'U') {
      append_format(out, "%s", *code == 'T' ? ptx_types[type].type : ptx_types[type].unsigned_type);
      continue;
    }
    for (int i = 0; i < pattern->count; i++) {
      const char *const name = pattern->operands[i] + (pattern->operands[i][0] == '[');
      if (name[0] == '%' && name[1] == *code && !append_operand(ptx, instruction->operands[i], out))
        return false;
    }
  }
  return true;
}

// .reg .u32 a, b
static bool declare(const Ptx *ptx, const Instruction *instruction, Text *out) {
  if (ptx->registers == NULL || instruction->count == 0) return false;
  char *const space = strchr(instruction->operands[0], ' ');
  if (space == NULL) return false;
  *space = '\0';
  for (int t = 0; t < ptx_type_count; t++) {
    if (strcmp(instruction->operands[0] + 1, ptx_types[t].ptx) != 0) continue;
    for (int i = 0; i < instruction->count; i++) {
      const char *const name = i == 0 ? trim(space + 1) : instruction->operands[i];
      const size_t used = strlen(ptx->registers), space_left = kRegisterBytes - used;
      if (word_length(name) != strlen(name) || strlen(name) + 2 > space_left) return false;
      snprintf(ptx->registers + used, space_left, "%s ", name);
      append_format(out, "%s%s ptx_%s{}", i == 0 ? "" : "; ", ptx_types[t].type, name);
    }
    return true;
  }
  return false;
}

bool translate_ptx(const Ptx *ptx, char *text, Text *out) {
  char *const copy = checked(strdup(text));
  char *rest = trim(copy);
  bool done = false;
  if (*rest == '@') {
    const bool inverted = rest[1] == '!';
    char *const name = rest + 1 + inverted;
    rest = strchr(name, ' ');
    if (rest == NULL) goto end;
    *rest++ = '\0';
    append_format(out, "if (%s", inverted ? "!" : "");
    if (!append_operand(ptx, name, out)) goto end;
    append_format(out, ") ");
  }
  Instruction instruction;
  if (!split(rest, &instruction)) goto end;
  if (strcmp(instruction.opcode, ".reg") == 0) done = declare(ptx, &instruction, out);
  for (int i = 0; !done && i < ptx_pattern_count; i++) {
    char pattern_text[100];
    snprintf(pattern_text, sizeof pattern_text, "%s", ptx_patterns[i].pattern);
    Instruction pattern;
    int type;
    if (!split(pattern_text, &pattern) || pattern.count != instruction.count ||
        !matches_opcode(pattern.opcode, instruction.opcode, &type))
      continue;
    bool same = true;
    for (int k = 0; k < pattern.count; k++)
      same = same && matches_operand(pattern.operands[k], instruction.operands[k]);
    if (!same) continue;
    done = append_code(ptx, ptx_patterns[i].code, &pattern, &instruction, type, out);
    break;
  }
end:
  free(copy);
  return done;
}
