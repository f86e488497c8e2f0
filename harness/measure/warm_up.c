#include "harness/measure/warm_up.h"

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "common/check.h"
#include "harness/measure/clock.h"

static double busy_until = -1e9;  // seconds_now()

void device_used(void) { busy_until = seconds_now(); }

void device_warm_up(void) {
#ifndef CUDA_CPU
  const double most_idle = 0.2, duration = 0.2;
  enum { LAUNCHES = 64 };
  const size_t bytes = (size_t)1 << 22;  // stays in the cache
  const double start = seconds_now();
  if (start - busy_until < most_idle) return;
  char *buffer = NULL;
  CUDA_CHECK(cudaMalloc((void **)&buffer, 2 * bytes));
  CUDA_CHECK(cudaMemset(buffer, 0, 2 * bytes));
  while (seconds_now() - start < duration) {
    for (int i = 0; i < LAUNCHES; i++)
      CUDA_CHECK(cudaMemcpyAsync(buffer + bytes, buffer, bytes, cudaMemcpyDeviceToDevice, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaFree(buffer));
  device_used();
#endif
}
