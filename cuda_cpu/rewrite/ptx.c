// PTX instructions as C++ (PTX ISA, "Instruction Set"): those that CUDA code uses most in inline
// assembly.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // strsep
#endif
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxOperands = 6 };

// %0, %1 ... in `code` are the instruction's operands, [%1] in the pattern an address. Other
// operands of the pattern must match literally. `*` stands for a type: in `code` %T is that
// type and %U the unsigned one of its size.
static const struct {
  const char *pattern, *code;
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
    {"mov.u32 %0, %tid.x", "%0 = threadIdx.x"},
    {"mov.u32 %0, %ntid.x", "%0 = blockDim.x"},
    {"mov.u32 %0, %ctaid.x", "%0 = blockIdx.x"},
    {"mov.u32 %0, %nctaid.x", "%0 = gridDim.x"},
    {"mov.u32 %0, %clock", "%0 = static_cast<unsigned>(clock64())"},
    {"mov.u64 %0, %clock64", "%0 = clock64()"},
    {"mov.u64 %0, %globaltimer", "%0 = clock64()"},

    {"mov.* %0, %1", "cuda_cpu::ptx_set(%0, cuda_cpu::ptx_bits<%T>(%1))"},
    {"add.* %0, %1, %2", "%0 = static_cast<%T>(static_cast<%U>(%1) + static_cast<%U>(%2))"},
    {"sub.* %0, %1, %2", "%0 = static_cast<%T>(static_cast<%U>(%1) - static_cast<%U>(%2))"},
    {"mul.lo.* %0, %1, %2", "%0 = static_cast<%T>(static_cast<%U>(%1) * static_cast<%U>(%2))"},
    {"mad.lo.* %0, %1, %2, %3",
     "%0 = static_cast<%T>(static_cast<%U>(%1) * static_cast<%U>(%2) + static_cast<%U>(%3))"},
    {"mul.hi.u32 %0, %1, %2", "%0 = __umulhi(%1, %2)"},
    {"mul.wide.u32 %0, %1, %2",
     "%0 = 1ULL * static_cast<unsigned>(%1) * static_cast<unsigned>(%2)"},
    {"mul.wide.s32 %0, %1, %2", "%0 = 1LL * static_cast<int>(%1) * static_cast<int>(%2)"},
    {"and.* %0, %1, %2", "%0 = static_cast<%T>((%1) & (%2))"},
    {"or.* %0, %1, %2", "%0 = static_cast<%T>((%1) | (%2))"},
    {"xor.* %0, %1, %2", "%0 = static_cast<%T>((%1) ^ (%2))"},
    {"not.pred %0, %1", "%0 = !(%1)"},
    {"not.* %0, %1", "%0 = static_cast<%T>(~(%1))"},
    {"shl.* %0, %1, %2",
     "%0 = static_cast<%U>(%1) << cuda_cpu::shift << static_cast<unsigned>(%2)"},
    {"shr.* %0, %1, %2",
     "%0 = static_cast<%T>(%1) >> cuda_cpu::shift >> static_cast<unsigned>(%2)"},
    {"min.* %0, %1, %2", "%0 = min(static_cast<%T>(%1), static_cast<%T>(%2))"},
    {"max.* %0, %1, %2", "%0 = max(static_cast<%T>(%1), static_cast<%T>(%2))"},
    {"setp.eq.* %0, %1, %2", "%0 = static_cast<%T>(%1) == static_cast<%T>(%2)"},
    {"setp.ne.* %0, %1, %2", "%0 = static_cast<%T>(%1) != static_cast<%T>(%2)"},
    {"setp.lt.* %0, %1, %2", "%0 = static_cast<%T>(%1) < static_cast<%T>(%2)"},
    {"setp.le.* %0, %1, %2", "%0 = static_cast<%T>(%1) <= static_cast<%T>(%2)"},
    {"setp.gt.* %0, %1, %2", "%0 = static_cast<%T>(%1) > static_cast<%T>(%2)"},
    {"setp.ge.* %0, %1, %2", "%0 = static_cast<%T>(%1) >= static_cast<%T>(%2)"},
    {"selp.* %0, %1, %2, %3", "%0 = (%3) ? static_cast<%T>(%1) : static_cast<%T>(%2)"},
    {"cvt.u32.* %0, %1", "%0 = static_cast<unsigned>(static_cast<%T>(%1))"},
    {"cvt.u64.* %0, %1", "%0 = static_cast<unsigned long long>(static_cast<%T>(%1))"},

    {"bfe.u32 %0, %1, %2, %3", "%0 = cuda_cpu::bit_field(%1, %2, %3)"},
    {"bfi.b32 %0, %1, %2, %3, %4", "%0 = cuda_cpu::replace_bit_field(%1, %2, %3, %4)"},
    {"bfind.u32 %0, %1", "%0 = 31 - __clz(static_cast<int>(%1))"},
    {"brev.b32 %0, %1", "%0 = __brev(%1)"},
    {"popc.b32 %0, %1", "%0 = __popc(%1)"},
    {"clz.b32 %0, %1", "%0 = __clz(static_cast<int>(%1))"},
    {"prmt.b32 %0, %1, %2, %3", "%0 = __byte_perm(%1, %2, %3)"},
    {"lop3.b32 %0, %1, %2, %3, %4", "%0 = cuda_cpu::ptx_lop3(%1, %2, %3, %4)"},

    {"activemask.b32 %0", "%0 = cuda_cpu::ptx_active_mask()"},
    {"vote.sync.ballot.b32 %0, %1, %2", "%0 = cuda_cpu::ptx_vote(cuda_cpu::kBallot, %2, %1)"},
    {"vote.ballot.sync.b32 %0, %1, %2", "%0 = cuda_cpu::ptx_vote(cuda_cpu::kBallot, %2, %1)"},
    {"vote.sync.any.pred %0, %1, %2", "%0 = cuda_cpu::ptx_vote(cuda_cpu::kAny, %2, %1) != 0"},
    {"vote.sync.all.pred %0, %1, %2", "%0 = cuda_cpu::ptx_vote(cuda_cpu::kAll, %2, %1) != 0"},
    {"match.any.sync.b32 %0, %1, %2", "%0 = cuda_cpu::ptx_match(%2, %1)"},
    {"shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3",
     "%0 = cuda_cpu::ptx_shuffle(cuda_cpu::kShuffle, %3, %1, %2)"},
    {"shfl.sync.bfly.b32 %0, %1, %2, 0x1f, %3",
     "%0 = cuda_cpu::ptx_shuffle(cuda_cpu::kShuffleXor, %3, %1, %2)"},
    {"shfl.sync.down.b32 %0, %1, %2, 0x1f, %3",
     "%0 = cuda_cpu::ptx_shuffle(cuda_cpu::kShuffleDown, %3, %1, %2)"},
    {"shfl.sync.up.b32 %0, %1, %2, 0x0, %3",
     "%0 = cuda_cpu::ptx_shuffle(cuda_cpu::kShuffleUp, %3, %1, %2)"},

    {"membar.cta", "__threadfence_block()"},
    {"membar.gl", "__threadfence()"},
    {"membar.sys", "__threadfence()"},
    {"fence.acq_rel.gpu", "__threadfence()"},
    {"bar.sync 0", "cuda_cpu::ptx_barrier()"},
    {"barrier.sync 0", "cuda_cpu::ptx_barrier()"},
    {"bar.sync %0, %1", "cuda_cpu::ptx_named_barrier(%0, %1, true)"},
    {"bar.arrive %0, %1", "cuda_cpu::ptx_named_barrier(%0, %1, false)"},
    {"nanosleep.u32 %0", "cuda_cpu::ptx_nanosleep()"},
    {"trap", "__builtin_trap()"},

    {"ld.global.* %0, [%1]", "%0 = *static_cast<const volatile %T *>(%1)"},
    {"ld.global.cg.* %0, [%1]", "%0 = *static_cast<const volatile %T *>(%1)"},
    {"ld.global.nc.* %0, [%1]", "%0 = *static_cast<const volatile %T *>(%1)"},
    {"ld.volatile.global.* %0, [%1]", "%0 = *static_cast<const volatile %T *>(%1)"},
    {"ld.global.acquire.gpu.* %0, [%1]",
     "%0 = __atomic_load_n(static_cast<const %T *>(%1), __ATOMIC_ACQUIRE)"},
    {"ld.acquire.gpu.* %0, [%1]",
     "%0 = __atomic_load_n(static_cast<const %T *>(%1), __ATOMIC_ACQUIRE)"},
    {"ld.acquire.gpu.global.* %0, [%1]",
     "%0 = __atomic_load_n(static_cast<const %T *>(%1), __ATOMIC_ACQUIRE)"},
    {"st.global.* [%0], %1", "*static_cast<volatile %T *>(%0) = static_cast<%T>(%1)"},
    {"st.global.cg.* [%0], %1", "*static_cast<volatile %T *>(%0) = static_cast<%T>(%1)"},
    {"st.volatile.global.* [%0], %1", "*static_cast<volatile %T *>(%0) = static_cast<%T>(%1)"},
    {"st.release.gpu.* [%0], %1",
     "__atomic_store_n(static_cast<%T *>(%0), static_cast<%T>(%1), __ATOMIC_RELEASE)"},
    {"st.release.gpu.global.* [%0], %1",
     "__atomic_store_n(static_cast<%T *>(%0), static_cast<%T>(%1), __ATOMIC_RELEASE)"},
    {"atom.global.add.* %0, [%1], %2",
     "%0 = atomicAdd(static_cast<%T *>(%1), static_cast<%T>(%2))"},
    {"red.global.add.* [%0], %1", "atomicAdd(static_cast<%T *>(%0), static_cast<%T>(%1))"},
};

static const struct {
  const char *ptx, *type, *unsigned_type;
} types[] = {
    {"u32", "unsigned", "unsigned"},
    {"b32", "unsigned", "unsigned"},
    {"s32", "int", "unsigned"},
    {"u64", "unsigned long long", "unsigned long long"},
    {"b64", "unsigned long long", "unsigned long long"},
    {"s64", "long long", "unsigned long long"},
    {"f32", "float", "float"},
    {"f64", "double", "double"},
    {"pred", "bool", "bool"},
};
enum { kTypes = sizeof types / sizeof *types };

void fail_ptx(const Ptx *ptx, const char *instruction) {
  char problem[200];
  snprintf(problem, sizeof problem,
           "inline PTX that has no translation: %.80s; see rewrite/ptx.c for those that have",
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
  for (int i = 0; i < kTypes; i++)
    if (strcmp(opcode + length - 1, types[i].ptx) == 0) *type = i;
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
      append_format(out, "%s", *code == 'T' ? types[type].type : types[type].unsigned_type);
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
  for (int t = 0; t < kTypes; t++) {
    if (strcmp(instruction->operands[0] + 1, types[t].ptx) != 0) continue;
    for (int i = 0; i < instruction->count; i++) {
      const char *const name = i == 0 ? trim(space + 1) : instruction->operands[i];
      const size_t used = strlen(ptx->registers), space_left = kRegisterBytes - used;
      if (word_length(name) != strlen(name) || strlen(name) + 2 > space_left) return false;
      snprintf(ptx->registers + used, space_left, "%s ", name);
      append_format(out, "%s%s ptx_%s{}", i == 0 ? "" : "; ", types[t].type, name);
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
  for (size_t i = 0; !done && i < sizeof known / sizeof *known; i++) {
    char pattern_text[100];
    snprintf(pattern_text, sizeof pattern_text, "%s", known[i].pattern);
    Instruction pattern;
    int type;
    if (!split(pattern_text, &pattern) || pattern.count != instruction.count ||
        !matches_opcode(pattern.opcode, instruction.opcode, &type))
      continue;
    bool same = true;
    for (int k = 0; k < pattern.count; k++)
      same = same && matches_operand(pattern.operands[k], instruction.operands[k]);
    if (!same) continue;
    done = append_code(ptx, known[i].code, &pattern, &instruction, type, out);
    break;
  }
end:
  free(copy);
  return done;
}
