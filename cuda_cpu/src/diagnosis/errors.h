// Launches of host code that failed: what was asked for, and why a GPU does not take it.
#ifndef CUDA_CPU_SRC_ERRORS_H
#define CUDA_CPU_SRC_ERRORS_H

#include <cuda_cpu/launch.h>

namespace cuda_cpu {

// Sets and returns the error. Keeps "kernel k<<<1, 2000>>>, more than 1024 threads in a block
// (invalid argument)" for a crash that follows, until a cudaGetLastError() of host code asks.
cudaError_t refuse(const Launch &launch, cudaError_t error);

// That text, or null. Takes no lock, because it is for a crash.
const char *pending_refusal();

}  // namespace cuda_cpu
#endif
