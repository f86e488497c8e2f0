// Sorts on the device, and takes the result of a pass to the other buffer by way of the host: slow,
// but no sort on the host.
#include <vector>

#include "utils.h"

// Odd-even transposition would take too long: one bit per pass, with one thread that counts.
__global__ void split(const unsigned int *keys, const unsigned int *positions,
                      unsigned int *to_keys, unsigned int *to_positions, size_t n, int bit) {
  size_t zeros = 0, place[2] = {0, 0};
  for (size_t i = 0; i < n; i++) zeros += (keys[i] >> bit & 1u) == 0;
  place[1] = zeros;
  for (size_t i = 0; i < n; i++) {
    const size_t to = place[keys[i] >> bit & 1u]++;
    to_keys[to] = keys[i];
    to_positions[to] = positions[i];
  }
}

static void by_way_of_the_host(unsigned int *to, const unsigned int *from, size_t n) {
  std::vector<unsigned int> host(n);
  checkCudaErrors(cudaMemcpy(host.data(), from, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaMemcpy(to, host.data(), n * sizeof(unsigned int), cudaMemcpyHostToDevice));
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  for (int bit = 0; bit < 32; bit++) {
    split<<<1, 1>>>(d_inputVals, d_inputPos, d_outputVals, d_outputPos, numElems, bit);
    checkCudaErrors(cudaGetLastError());
    by_way_of_the_host(d_inputVals, d_outputVals, numElems);
    by_way_of_the_host(d_inputPos, d_outputPos, numElems);
  }
}
