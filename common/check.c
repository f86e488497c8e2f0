#include "common/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_fail(const char *format, ...) {
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  // clang-tidy 14 forgets va_start() when it reads several files.
  vfprintf(stderr, format, arguments);  // NOLINT(clang-analyzer-valist.Uninitialized)
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_DEVICE);
}

static const char *blamed;

void check_blame(const char *version) { blamed = version; }

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  if (blamed != NULL && strncmp(file, "harness/", 8) == 0 && error != cudaErrorMemoryAllocation)
    check_fail("%s left a CUDA error behind: %s", blamed, cudaGetErrorString(error));
  check_fail("%s:%d: %s: %s", file, line, expression, cudaGetErrorString(error));
}

void *check_memory(void *memory, const char *file, int line) {
  if (memory != NULL) return memory;
  check_fail("%s:%d: out of host memory", file, line);
}
