// Apart from check.c, which programs without CUDA link too.
#include "common/check.h"

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  check_fail("%s:%d: %s: %s", file, line, expression, cudaGetErrorString(error));
}
