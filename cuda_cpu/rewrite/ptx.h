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

// ---- the instructions that have a translation (ptx_table.c) ------------------------------------

// %0, %1 ... in `code` are the instruction's operands, [%1] in the pattern an address. Operands
// that are no %N in the pattern have to be just that. `*` stands for a type: in `code` %T is that
// type and %U the unsigned one of its size.
typedef struct PtxPattern {
  const char *pattern, *code;
} PtxPattern;
extern const PtxPattern ptx_patterns[];
extern const int ptx_pattern_count;

// PTX's types as C++ types.
typedef struct PtxType {
  const char *ptx, *type, *unsigned_type;
} PtxType;
extern const PtxType ptx_types[];
extern const int ptx_type_count;

#endif
