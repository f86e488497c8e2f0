#include "common/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, cudaGetErrorString(error));
  exit(EXIT_DEVICE);
}

void *check_memory(void *memory, const char *file, int line) {
  if (memory != NULL) return memory;
  fflush(stdout);
  fprintf(stderr, "%s:%d: out of host memory\n", file, line);
  exit(EXIT_DEVICE);
}
