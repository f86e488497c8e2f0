// Single instructions of inline PTX.
#ifndef CUDA_CPU_REWRITE_PTX_H
#define CUDA_CPU_REWRITE_PTX_H

#include "lexer.h"
#include "text.h"

enum { kRegisterBytes = 256 };

// Of an asm statement:
typedef struct Ptx {
  const Source *source;
  const char *at;
  const char *const *operands;  // for %0 to %9
  int count;
  char *registers;  // declared by .reg: " p t ", of kRegisterBytes; null where none may be
} Ptx;

// Writes one instruction as a C++ statement without its semicolon. Changes `instruction`. False if
// it has no translation.
bool translate_ptx(const Ptx *ptx, char *instruction, Text *out);

// Ends the program with a message that names the instruction.
_Noreturn void fail_ptx(const Ptx *ptx, const char *instruction);

#endif
