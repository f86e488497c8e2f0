// Apart from check.c, which programs without CUDA link too.
#include "common/check.h"

#include <string.h>

static const char *blamed;

void check_blame(const char *version) { blamed = version; }

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  if (blamed != NULL && strncmp(file, "harness/", 8) == 0 && error != cudaErrorMemoryAllocation)
    check_fail("%s left a CUDA error behind: %s", blamed, cudaGetErrorString(error));
  check_fail("%s:%d: %s: %s", file, line, expression, cudaGetErrorString(error));
}
