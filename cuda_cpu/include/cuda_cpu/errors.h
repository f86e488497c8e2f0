// The last error of the calling CUDA thread or, outside kernels, of the calling host thread.
#ifndef CUDA_CPU_ERRORS_H
#define CUDA_CPU_ERRORS_H

#include <cuda_runtime_api.h>

namespace cuda_cpu {

// `launch`: "kernel k<<<1, 2000>>>" where the launch of a kernel failed.
void set_last_error(cudaError_t error, const char *launch = "");
cudaError_t fail(cudaError_t error);  // sets it and returns it

}  // namespace cuda_cpu

// Where the calling host thread's last error came from: "kernel k<<<1, 2000>>>, more than 1024
// threads in a block, file:line" or "file:line", as far as it is known. For programs that find the
// error of an earlier call; a weak declaration of it is null with NVIDIA's runtime.
extern "C" void cuda_cpu_error_origin(char *text, size_t size);
#endif
