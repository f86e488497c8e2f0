// Sorts on the host, on which the keys come and go in pieces, between kernels that do nothing; or
// in one piece, host_whole (tests/labs/grade.bats).
#include <map>
#include <vector>

#include "utils.h"

__global__ void touch(unsigned int *keys, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) keys[i] |= 0u;
}

static void copy(unsigned int *to, const unsigned int *from, size_t n, cudaMemcpyKind kind) {
  for (size_t i = 0; i < n; i += 1000) {
    const size_t count = n - i < 1000 ? n - i : 1000;
    checkCudaErrors(cudaMemcpy(to + i, from + i, count * sizeof *to, kind));
  }
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  std::vector<unsigned int> keys(numElems), positions(numElems);
  touch<<<(numElems + 255) / 256, 256>>>(d_inputVals, numElems);
  copy(keys.data(), d_inputVals, numElems, cudaMemcpyDeviceToHost);
  copy(positions.data(), d_inputPos, numElems, cudaMemcpyDeviceToHost);
  std::multimap<unsigned int, unsigned int> pairs;  // in the order of the keys
  for (size_t i = 0; i < numElems; i++) pairs.insert({keys[i], positions[i]});
  size_t next = 0;
  for (const auto &pair : pairs) {
    keys[next] = pair.first;
    positions[next++] = pair.second;
  }
  copy(d_outputVals, keys.data(), numElems, cudaMemcpyHostToDevice);
  copy(d_outputPos, positions.data(), numElems, cudaMemcpyHostToDevice);
  touch<<<(numElems + 255) / 256, 256>>>(d_outputVals, numElems);
}
