// The instructions that have a translation.
#ifndef CUDA_CPU_REWRITE_PTX_TABLE_H
#define CUDA_CPU_REWRITE_PTX_TABLE_H

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
