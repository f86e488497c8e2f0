// Cost of barriers, warp collectives and launches, and of kernels without barriers beside the same
// loop in plain C with OpenMP. Aims: at most 30 ns per barrier and CUDA thread, at most 2x the
// loop.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "bench: %s\n", cudaGetErrorString(error));
  exit(3);
}

static const unsigned kElements = 16u << 20;  // 64 MB an array: larger than the caches

static __global__ void only_barriers(int rounds) {
  for (int i = 0; i < rounds; i++) __syncthreads();
}

static __global__ void only_shuffles(int rounds, unsigned *out) {
  unsigned value = threadIdx.x;
  for (int i = 0; i < rounds; i++) value += __shfl_xor_sync(0xffffffffu, value, 1);
  if (value == 12345) *out = value;  // so that the loop is not dropped
}

static __global__ void empty() {}

static __global__ void axpy(unsigned n, unsigned a, const unsigned *x, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

static void axpy_openmp(unsigned n, unsigned a, const unsigned *x, unsigned *y) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++) y[i] += a * x[i];
}

static __host__ __device__ unsigned mixed(unsigned x) {
  for (int round = 0; round < 8; round++) x = (x ^ x >> 15) * 0x2c1b3c6du;
  return x;
}

static __global__ void spread_digit(unsigned n, const unsigned *x, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = mixed(x[i]);
}

static void spread_digit_openmp(unsigned n, const unsigned *x, unsigned *y) {
#pragma omp parallel for
  for (unsigned i = 0; i < n; i++) y[i] = mixed(x[i]);
}

// Milliseconds by CLOCK_MONOTONIC or, over all threads, by CLOCK_PROCESS_CPUTIME_ID; median of 11.
template <class F>
static double median_ms(clockid_t clock, F run) {
  std::vector<double> times;
  for (int i = 0; i < 12; i++) {
    timespec start, end;
    clock_gettime(clock, &start);
    run();
    clock_gettime(clock, &end);
    if (i == 0) continue;  // a warm-up
    times.push_back(double(end.tv_sec - start.tv_sec) * 1e3 +
                    double(end.tv_nsec - start.tv_nsec) / 1e6);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// CPU time, because it hardly depends on the other programs on the machine.
static void measure_switches() {
  const unsigned blocks = 64;
  const int rounds = 100;
  for (const unsigned threads : {32u, 256u, 1024u}) {
    const double ms =
        median_ms(CLOCK_PROCESS_CPUTIME_ID, [&] { only_barriers<<<blocks, threads>>>(rounds); });
    printf("barrier, %4u threads a block: %5.1f ns of CPU time per barrier and thread\n", threads,
           ms * 1e6 / (double(blocks) * threads * rounds));
  }
  const double ms =
      median_ms(CLOCK_PROCESS_CPUTIME_ID, [&] { only_shuffles<<<blocks, 256>>>(rounds, nullptr); });
  printf("__shfl_xor_sync, 256 threads a block: %5.1f ns of CPU time per call and thread\n",
         ms * 1e6 / (double(blocks) * 256 * rounds));
}

static void measure_launches() {
  const int launches = 100;
  for (const unsigned blocks : {1u, 64u, 1024u}) {
    const double ms = median_ms(CLOCK_MONOTONIC, [&] {
      for (int i = 0; i < launches; i++) empty<<<blocks, 256>>>();
    });
    printf("launch of an empty kernel, %4u blocks of 256 threads: %6.2f us\n", blocks,
           ms * 1e3 / launches);
  }
}

static void measure_plain_loops() {
  unsigned *x = nullptr, *y = nullptr;
  // Managed, as the loops of the host use them too.
  check(cudaMallocManaged(&x, kElements * sizeof *x));
  check(cudaMallocManaged(&y, kElements * sizeof *y));
  const unsigned grid = (kElements + 255) / 256;
  const auto report = [](const char *name, double kernel, double loop) {
    printf("no barrier, %s of %u elements: kernel %.2f ms, OpenMP loop %.2f ms: %.2fx\n", name,
           kElements, kernel, loop, kernel / loop);
  };
  const auto time = [](auto run) { return median_ms(CLOCK_MONOTONIC, run); };
  const double axpy_kernel = time([&] { axpy<<<grid, 256>>>(kElements, 3u, x, y); });
  report("axpy", axpy_kernel, time([&] { axpy_openmp(kElements, 3u, x, y); }));
  const double mix_kernel = time([&] { spread_digit<<<grid, 256>>>(kElements, x, y); });
  report("mixing", mix_kernel, time([&] { spread_digit_openmp(kElements, x, y); }));
  check(cudaFree(x));
  check(cudaFree(y));
}

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  printf("cpu backend: %s, %d threads; median of 11\n", device.name, device.multiProcessorCount);
  measure_switches();
  measure_launches();
  measure_plain_loops();
  check(cudaGetLastError());
  return 0;
}
