// The last error of the calling CUDA thread or, outside kernels, of the calling host thread.
#ifndef CUDA_CPU_ERRORS_H
#define CUDA_CPU_ERRORS_H

#include <cuda_runtime_api.h>

namespace cuda_cpu {

void set_last_error(cudaError_t error);
cudaError_t fail(cudaError_t error);  // sets it and returns it

}  // namespace cuda_cpu
#endif
