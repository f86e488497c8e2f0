// asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));  ->  lane = cuda_cpu::lane_id();
//
// A table of the PTX instructions that CUDA code uses most in inline assembly. Others, and
// statements of several instructions, are an error. An empty text (a barrier for the compiler)
// stays.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // strndup
#endif
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "translate.h"

// %0 to %9 in `code` are the operands, outputs first.
static const struct {
  const char *instruction, *code;
} known[] = {
    {"mov.u32 %0, %laneid", "%0 = cuda_cpu::lane_id()"},
    {"mov.u32 %0, %warpid", "%0 = cuda_cpu::warp_id()"},
    {"mov.u32 %0, %smid", "%0 = 0"},
    {"mov.u32 %0, %nsmid", "%0 = 1"},
    {"mov.u32 %0, %lanemask_eq", "%0 = cuda_cpu::lanemask_eq()"},
    {"mov.u32 %0, %lanemask_lt", "%0 = cuda_cpu::lanemask_lt()"},
    {"mov.u32 %0, %lanemask_le", "%0 = cuda_cpu::lanemask_le()"},
    {"mov.u32 %0, %lanemask_gt", "%0 = cuda_cpu::lanemask_gt()"},
    {"mov.u32 %0, %lanemask_ge", "%0 = cuda_cpu::lanemask_ge()"},
    {"mov.u32 %0, %clock", "%0 = static_cast<unsigned>(clock64())"},
    {"mov.u64 %0, %clock64", "%0 = clock64()"},
    {"mov.u64 %0, %globaltimer", "%0 = clock64()"},
    {"bfe.u32 %0, %1, %2, %3", "%0 = cuda_cpu::bit_field(%1, %2, %3)"},
    {"bfi.b32 %0, %1, %2, %3, %4", "%0 = cuda_cpu::replace_bit_field(%1, %2, %3, %4)"},
    {"bfind.u32 %0, %1", "%0 = 31 - __clz(static_cast<int>(%1))"},
    {"brev.b32 %0, %1", "%0 = __brev(%1)"},
    {"popc.b32 %0, %1", "%0 = __popc(%1)"},
    {"clz.b32 %0, %1", "%0 = __clz(static_cast<int>(%1))"},
    {"prmt.b32 %0, %1, %2, %3", "%0 = __byte_perm(%1, %2, %3)"},
    {"membar.cta", "__threadfence_block()"},
    {"membar.gl", "__threadfence()"},
    {"membar.sys", "__threadfence()"},
    {"fence.acq_rel.gpu", "__threadfence()"},
    {"bar.sync 0", "cuda_cpu::ptx_barrier()"},
    {"nanosleep.u32 %0", "cuda_cpu::ptx_nanosleep()"},
    {"trap", "__builtin_trap()"},
    {"ld.global.cg.u32 %0, [%1]", "%0 = *reinterpret_cast<const volatile unsigned *>(%1)"},
    {"ld.volatile.global.u32 %0, [%1]", "%0 = *reinterpret_cast<const volatile unsigned *>(%1)"},
    {"ld.global.acquire.gpu.u32 %0, [%1]",
     "%0 = __atomic_load_n(reinterpret_cast<const unsigned *>(%1), __ATOMIC_ACQUIRE)"},
    {"ld.acquire.gpu.u32 %0, [%1]",
     "%0 = __atomic_load_n(reinterpret_cast<const unsigned *>(%1), __ATOMIC_ACQUIRE)"},
    {"st.global.cg.u32 [%0], %1", "*reinterpret_cast<volatile unsigned *>(%0) = (%1)"},
    {"st.release.gpu.u32 [%0], %1",
     "__atomic_store_n(reinterpret_cast<unsigned *>(%0), %1, __ATOMIC_RELEASE)"},
};

// The text of adjacent string literals, %% as %, escapes and spaces as one space each, without the
// last semicolon and braces around it. Null if something else comes first.
static char *instruction_of(const Source *source, const char **c) {
  Text text = {NULL, 0, 0};
  bool any = false;
  while (isspace((unsigned char)**c) || **c == '"') {
    if (**c != '"') {
      (*c)++;
      continue;
    }
    any = true;
    const char *const end = skip_literal(source, *c) - 1;
    for ((*c)++; *c < end; (*c)++) {
      char letter = **c;
      if (letter == '\\') {
        (*c)++;
        letter = ' ';
      }
      if (letter == '%' && (*c)[1] == '%') (*c)++;
      const bool space = isspace((unsigned char)letter);
      const char last = text.length == 0 ? ' ' : text.data[text.length - 1];
      if (space && (last == ' ' || last == '{')) continue;
      if (last == ',' && !space) append(&text, " ", 1);
      append(&text, space ? " " : &letter, 1);
    }
    (*c)++;
  }
  if (!any) return NULL;
  append(&text, "", 1);
  size_t length = text.length - 1;
  const bool braces = text.data[0] == '{';
  while (length > 0 && strchr(braces ? " ;}" : " ;", text.data[length - 1]) != NULL) length--;
  text.data[length] = '\0';
  if (braces) memmove(text.data, text.data + 1, length);
  return text.data;
}

// Appends the expressions of ("constraint"(expression), ...) to `operands`, up to 10 in all.
static const char *read_operands(const Source *source, const char *c, char **operands, int *count) {
  while (*c != ':' && *c != ')') {
    if (*c == '"')
      c = skip_literal(source, c);
    else if (*c == '(') {
      const char *const end = find_closing(source, c + 1, ")");
      if (*count < 10) operands[(*count)++] = checked(strndup(c, (size_t)(end + 1 - c)));
      c = end + 1;
    } else if (*c == '[') {
      c = find_closing(source, c + 1, "]") + 1;
    } else {
      c++;
    }
  }
  return c;
}

const char *rewrite_asm(const Source *source, const char *const begin, Text *out) {
  const char *c = begin + word_length(begin);
  for (;;) {
    while (isspace((unsigned char)*c)) c++;
    if (!is_word(c, "volatile") && !is_word(c, "__volatile__")) break;
    c += word_length(c);
  }
  if (*c != '(') return begin;
  c++;
  const char *const closing = find_closing(source, c, ")");
  char *const instruction = instruction_of(source, &c);
  if (instruction == NULL || *instruction == '\0') {
    free(instruction);
    return begin;
  }
  char *operands[10];
  int count = 0;
  for (int part = 0; part < 2 && *c == ':'; part++)
    c = read_operands(source, c + 1, operands, &count);
  const char *code = NULL;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].instruction, instruction) == 0) code = known[i].code;
  if (code == NULL)
    fail(source, begin,
         "inline PTX that has no translation; see rewrite/asm.c for those that have");
  // cppcheck-suppress nullPointer // fail() does not return
  for (; *code != '\0'; code++) {
    const int operand = code[0] == '%' ? code[1] - '0' : -1;
    if (operand < 0) {
      append(out, code, 1);
    } else {
      if (operand >= count) fail(source, begin, "inline PTX with fewer operands than it names");
      append(out, operands[operand], strlen(operands[operand]));
      code++;
    }
  }
  for (const char *d = begin; d < closing; d++)
    if (*d == '\n') append(out, d, 1);
  free(instruction);
  while (count > 0) free(operands[--count]);
  return closing + 1;
}
