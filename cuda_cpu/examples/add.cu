// Vector addition: one thread per element, no barrier. The threads of a block run as a plain loop.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "add: %s\n", cudaGetErrorString(error));
  exit(3);
}

static __global__ void add(unsigned n, const float *a, const float *b, float *sum) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main() {
  const unsigned n = 1000;
  const size_t bytes = n * sizeof(float);
  float host_a[n], host_b[n], host_sum[n];
  for (unsigned i = 0; i < n; i++) {
    host_a[i] = float(i);
    host_b[i] = float(2 * i);
  }
  float *a = nullptr, *b = nullptr, *sum = nullptr;
  check(cudaMalloc(&a, bytes));
  check(cudaMalloc(&b, bytes));
  check(cudaMalloc(&sum, bytes));
  check(cudaMemcpy(a, host_a, bytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(b, host_b, bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(n, a, b, sum);
  check(cudaGetLastError());
  check(cudaMemcpy(host_sum, sum, bytes, cudaMemcpyDeviceToHost));
  unsigned wrong = 0;
  for (unsigned i = 0; i < n; i++) wrong += host_sum[i] != float(3 * i);
  printf("%u sums, %u wrong; the last is %.0f\n", n, wrong, double(host_sum[n - 1]));
  check(cudaFree(a));
  check(cudaFree(b));
  check(cudaFree(sum));
  return wrong == 0 ? 0 : 1;
}
