// Leaves the work to the library.
#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include "utils.h"

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  checkCudaErrors(cudaMemcpy(d_outputVals, d_inputVals, 4 * numElems, cudaMemcpyDeviceToDevice));
  checkCudaErrors(cudaMemcpy(d_outputPos, d_inputPos, 4 * numElems, cudaMemcpyDeviceToDevice));
  thrust::device_ptr<unsigned int> keys(d_outputVals), positions(d_outputPos);
  thrust::sort_by_key(keys, keys + numElems, positions);
}
