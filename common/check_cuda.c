// Apart from check.c, which programs without CUDA link too.
#include "common/check.h"

#include <string.h>

// Of the cpu backend, which knows where an error came from; null with NVIDIA's runtime.
__attribute__((weak)) void cuda_cpu_error_origin(char *text, size_t size);

static const char *blamed;

void check_blame(const char *version) { blamed = version; }

void check_left_behind(const char *who, cudaError_t error) {
  char origin[512] = "";
  if (cuda_cpu_error_origin != NULL) cuda_cpu_error_origin(origin, sizeof origin);
  // A line of the harness, which passes cudaMalloc() on, says nothing of the version's.
  if (strstr(origin, "harness/") != NULL) origin[0] = '\0';
  check_fail("%s left a CUDA error behind: %s%s%s%s", who, cudaGetErrorString(error),
             origin[0] != '\0' ? " (" : "", origin, origin[0] != '\0' ? ")" : "");
}

void check_cuda(cudaError_t error, const char *expression, const char *file, int line) {
  if (error == cudaSuccess) return;
  if (blamed != NULL && strncmp(file, "harness/", 8) == 0 && error != cudaErrorMemoryAllocation)
    check_left_behind(blamed, error);
  check_fail("%s:%d: %s: %s", file, line, expression, cudaGetErrorString(error));
}
