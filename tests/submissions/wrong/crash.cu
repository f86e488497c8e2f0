// Writes through a null pointer.
#include "utils.h"

__global__ void copy(const unsigned int *in, unsigned int *out, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const int blocks = (numElems + 255) / 256;
  if (blocks > 0) {
    copy<<<blocks, 256>>>(d_inputVals, d_outputVals, numElems);
    copy<<<blocks, 256>>>(d_inputPos, d_outputPos, numElems);
  }
  *(volatile int *)nullptr = 1;
}
