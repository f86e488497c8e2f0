// Fuzzes the rewriter of cuda_cpu: CUDA-like text is rewritten or refused with a line number of the
// text, without a crash; the text has as many lines as before, so that errors name the right ones.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The rewriter is a program: it ends with exit(), and leaves its memory to the system.
enum { MAX_BLOCKS = 256 };
static void *blocks[MAX_BLOCKS];
static jmp_buf ended;

static _Noreturn void finish(int code) { longjmp(ended, code + 1); }

static void *grow(void *old, size_t size) {
  int i = 0;
  while (i < MAX_BLOCKS - 1 && blocks[i] != old) i++;
  return blocks[i] = realloc(old, size);
}

static void release(void *memory) {
  for (int i = 0; i < MAX_BLOCKS; i++)
    if (blocks[i] == memory) blocks[i] = NULL;
  free(memory);
}

static void release_all(void) {
  for (int i = 0; i < MAX_BLOCKS; i++) {
    free(blocks[i]);
    blocks[i] = NULL;
  }
}

#define exit finish
#define realloc grow
#define free release
#define main rewrite_main
#include "cuda_cpu/rewrite/asm.c"
#include "cuda_cpu/rewrite/host_only.c"
#include "cuda_cpu/rewrite/kernels.c"
#include "cuda_cpu/rewrite/launch.c"
#include "cuda_cpu/rewrite/lexer.c"
#include "cuda_cpu/rewrite/lockstep.c"
#include "cuda_cpu/rewrite/main.c"
#include "cuda_cpu/rewrite/ptx.c"
#include "cuda_cpu/rewrite/ptx_table.c"
#include "cuda_cpu/rewrite/shared.c"
#include "cuda_cpu/rewrite/shift.c"
#include "cuda_cpu/rewrite/text.c"
#undef exit
#undef realloc
#undef free
#undef main

static size_t lines(const char *text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += text[i] == '\n';
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = malloc(size + 1);
  if (text == NULL) return 0;
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  const size_t length = strlen(text);
  const Source source = {"fuzz.cu", text};
  static Text out;
  out = (Text){NULL, 0, 0};
  if (setjmp(ended) == 0) {
    rewrite(&source, &out);
    if (lines(text, length) != lines(out.data, out.length)) abort();
  }
  release_all();
  free(text);
  return 0;
}
