#include "common/check.h"

#include <stdio.h>
#include <stdlib.h>

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  fflush(stdout);
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, expression, cudaGetErrorString(error));
  exit(EXIT_DEVICE);
}
