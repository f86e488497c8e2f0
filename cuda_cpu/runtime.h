// Inside the cpu backend: the runtime's state that launches need.
#ifndef CUDA_CPU_RUNTIME_H
#define CUDA_CPU_RUNTIME_H

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cuda_cpu {

// The last error of the calling CUDA thread, or of the host.
void set_last_error(cudaError_t error);
cudaError_t fail(cudaError_t error);  // sets it and returns it

// Dynamic shared memory that a kernel may ask for: 48 KB, or what cudaFuncSetAttribute allowed.
std::size_t shared_limit(const void *kernel);
cudaError_t set_shared_limit(const void *kernel, int bytes);

// Launches from one grid's threads that may wait at the same time (2,048 unless raised).
std::size_t pending_launch_limit();

// Blocks of this size that one multiprocessor holds at once.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

}  // namespace cuda_cpu
#endif
