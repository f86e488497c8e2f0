#include "multi/host_copy.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>

#include "common/check.h"
#include "harness/measure/clock.h"

enum { REPETITIONS = 9 };

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double host_copy_rate(const World *world, uint64_t device_memory) {
#ifdef CUDA_CPU
  size_t bytes = (size_t)1 << 22;
#else
  size_t bytes = (size_t)1 << 30;
#endif
  while (device_memory > 0 && bytes > 4096 && 2 * bytes > device_memory) bytes /= 2;
  void *host[2] = {NULL, NULL}, *device[2] = {NULL, NULL};
  cudaStream_t stream[2];
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&host[i], bytes));
    CUDA_CHECK(cudaMalloc(&device[i], bytes));
    CUDA_CHECK(cudaMemset(device[i], 1, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
  }
  double times[REPETITIONS] = {0.0};
  for (int run = -1; run < REPETITIONS; run++) {
    CUDA_CHECK(cudaDeviceSynchronize());
    world_barrier(world);
    const double start = seconds_now();
    CUDA_CHECK(cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, stream[0]));
    CUDA_CHECK(cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, stream[1]));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double slowest = world_max_real(world, seconds_now() - start);
    if (run >= 0) times[run] = slowest;
  }
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaStreamDestroy(stream[i]));
    CUDA_CHECK(cudaFree(device[i]));
    CUDA_CHECK(cudaFreeHost(host[i]));
  }
  qsort(times, REPETITIONS, sizeof *times, ascending);
  return 2.0 * (double)bytes * world->ranks / times[REPETITIONS / 2];
}
