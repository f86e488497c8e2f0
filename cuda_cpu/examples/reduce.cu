// Sum of an array: each block adds up 256 elements as a tree in shared memory, with a barrier
// between the levels, and adds its sum to the total.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "reduce: %s\n", cudaGetErrorString(error));
  exit(3);
}

enum { kThreads = 256 };

static __global__ void reduce(unsigned n, const unsigned *values, unsigned *total) {
  __shared__ unsigned sums[kThreads];
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  sums[threadIdx.x] = i < n ? values[i] : 0;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(total, sums[0]);
}

int main() {
  const unsigned n = 100000;
  std::vector<unsigned> host_values(n);
  for (unsigned i = 0; i < n; i++) host_values[i] = i;
  unsigned *values = nullptr, *total = nullptr, sum = 0;
  check(cudaMalloc(&values, n * sizeof *values));
  check(cudaMalloc(&total, sizeof *total));
  check(cudaMemcpy(values, host_values.data(), n * sizeof *values, cudaMemcpyHostToDevice));
  check(cudaMemset(total, 0, sizeof *total));
  reduce<<<(n + kThreads - 1) / kThreads, kThreads>>>(n, values, total);
  check(cudaGetLastError());
  check(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
  const unsigned expected = unsigned(size_t(n) * (n - 1) / 2);  // modulo 2^32, as the kernel adds
  printf("0 + 1 + ... + %u = %u modulo 2^32, expected %u\n", n - 1, sum, expected);
  check(cudaFree(values));
  check(cudaFree(total));
  return sum == expected ? 0 : 1;
}
