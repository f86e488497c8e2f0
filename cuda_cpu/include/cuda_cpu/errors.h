// The last error of the calling CUDA thread or, outside kernels, of the calling host thread.
#ifndef CUDA_CPU_ERRORS_H
#define CUDA_CPU_ERRORS_H

#include <cuda_runtime_api.h>

namespace cuda_cpu {

// `kernel` is the name of a kernel whose launch failed.
void set_last_error(cudaError_t error, const char *kernel = nullptr);
cudaError_t fail(cudaError_t error);  // sets it and returns it

}  // namespace cuda_cpu

// Where the calling host thread's last error came from: "kernel k, file:line" or "file:line",
// as far as it is known. For programs that find the error of an earlier call; a weak
// declaration of it is null with NVIDIA's runtime.
extern "C" void cuda_cpu_error_origin(char *text, size_t size);
#endif
