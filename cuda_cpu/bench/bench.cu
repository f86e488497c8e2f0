// make bench_cpu: what the cpu backend's threads cost.
//
//   barrier   nanoseconds per __syncthreads() and CUDA thread (aim: at most 30)
//   no barrier  a kernel without barriers over the same loop in plain C with OpenMP (aim: <= 2x)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "common/check.h"

static const unsigned kElements = 16u << 20;  // 64 MB an array: larger than the caches

static __global__ void only_barriers(int rounds) {
  for (int i = 0; i < rounds; i++) __syncthreads();
}

static __global__ void axpy(unsigned n, unsigned a, const unsigned *x, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

static void axpy_openmp(unsigned n, unsigned a, const unsigned *x, unsigned *y) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++) y[i] += a * x[i];
}

static __global__ void spread_digit(unsigned n, const unsigned *x, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned mixed = x[i];
  for (int round = 0; round < 8; round++) mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
  y[i] = mixed;
}

static void spread_digit_openmp(unsigned n, const unsigned *x, unsigned *y) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++) {
    unsigned mixed = x[i];
    for (int round = 0; round < 8; round++) mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6du;
    y[i] = mixed;
  }
}

template <class F>
static double median_ms(F run) {
  std::vector<double> times;
  for (int i = 0; i < 12; i++) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    if (i >= 1) times.push_back(took.count());  // the first is a warm-up
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int main() {
  cudaDeviceProp device;
  CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
  printf("cpu backend: %s, %d threads; median of 11\n", device.name, device.multiProcessorCount);

  const unsigned blocks = 64;
  const int rounds = 1000;
  for (const unsigned threads : {32u, 256u, 1024u}) {
    const double ms = median_ms([&] { only_barriers<<<blocks, threads>>>(rounds); });
    const double each = ms * 1e6 * device.multiProcessorCount / (double(blocks) * threads * rounds);
    printf("barrier, %4u threads a block: %5.1f ns per barrier and thread\n", threads, each);
  }

  unsigned *x = nullptr, *y = nullptr;
  CUDA_CHECK(cudaMalloc(&x, kElements * sizeof *x));
  CUDA_CHECK(cudaMalloc(&y, kElements * sizeof *y));
  const unsigned grid = (kElements + 255) / 256;
  const double axpy_kernel = median_ms([&] { axpy<<<grid, 256>>>(kElements, 3u, x, y); });
  const double axpy_loop = median_ms([&] { axpy_openmp(kElements, 3u, x, y); });
  printf("no barrier, axpy on %u elements: kernel %.2f ms, OpenMP loop %.2f ms: %.2fx\n", kElements,
         axpy_kernel, axpy_loop, axpy_kernel / axpy_loop);
  const double mix_kernel = median_ms([&] { spread_digit<<<grid, 256>>>(kElements, x, y); });
  const double mix_loop = median_ms([&] { spread_digit_openmp(kElements, x, y); });
  printf("no barrier, mixing %u elements: kernel %.2f ms, OpenMP loop %.2f ms: %.2fx\n", kElements,
         mix_kernel, mix_loop, mix_kernel / mix_loop);
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  return 0;
}
