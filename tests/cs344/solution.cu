// In the form of CS344's Problem Set 4: no sort_version, C++ linkage, the homework's headers. One
// bit a pass; the scan is on the host. Not a model, a test of the environment in common/cs344.
#include "reference_calc.cpp"
#include "utils.h"
#include "timer.h"
#include "compare.h"
#include "loadSaveImage.h"
#include <thrust/host_vector.h>

__global__ void predicate(const unsigned int *const d_in, unsigned int *const d_zero, int bit,
                          const size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  d_zero[i] = ((d_in[i] >> bit) & 1) == 0;
}

__global__ void move(const unsigned int *const d_inVals, const unsigned int *const d_inPos,
                     unsigned int *const d_outVals, unsigned int *const d_outPos,
                     const unsigned int *const d_places, const size_t n) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  d_outVals[d_places[i]] = d_inVals[i];
  d_outPos[d_places[i]] = d_inPos[i];
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  int not_used;  // a warning, which is no error here
  const size_t bytes = numElems * sizeof(unsigned int);
  const dim3 block(256), grid((numElems + 255) / 256);
  unsigned int *d_places;
  checkCudaErrors(cudaMalloc(&d_places, bytes));
  thrust::host_vector<unsigned int> h_places(numElems);
  GpuTimer timer;
  timer.Start();
  for (int bit = 0; bit < 32; bit++) {
    predicate<<<grid, block>>>(d_inputVals, d_places, bit, numElems);
    checkCudaErrors(cudaMemcpy(&h_places[0], d_places, bytes, cudaMemcpyDeviceToHost));
    unsigned int zeros = 0;
    for (size_t i = 0; i < numElems; i++) zeros += h_places[i];
    unsigned int zero = 0, one = zeros;
    for (size_t i = 0; i < numElems; i++) h_places[i] = h_places[i] ? zero++ : one++;
    checkCudaErrors(cudaMemcpy(d_places, &h_places[0], bytes, cudaMemcpyHostToDevice));
    move<<<grid, block>>>(d_inputVals, d_inputPos, d_outputVals, d_outputPos, d_places, numElems);
    cudaDeviceSynchronize();
    checkCudaErrors(cudaGetLastError());
    checkCudaErrors(cudaMemcpy(d_inputVals, d_outputVals, bytes, cudaMemcpyDeviceToDevice));
    checkCudaErrors(cudaMemcpy(d_inputPos, d_outputPos, bytes, cudaMemcpyDeviceToDevice));
  }
  timer.Stop();
  checkCudaErrors(cudaFree(d_places));
}
