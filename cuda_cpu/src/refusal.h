// The last launch of host code that failed, as long as no cudaGetLastError() has asked: a crash in
// a later kernel is often its consequence.
#ifndef CUDA_CPU_REFUSAL_H
#define CUDA_CPU_REFUSAL_H

#include <cuda_cpu/launch.h>

namespace cuda_cpu {

void note_refusal(const Launch &launch, cudaError_t error);

// "kernel k with 1 x 1 x 1 blocks of 2000 x 1 x 1 threads (invalid argument)", or null. Takes no
// lock, because it is for a crash.
const char *pending_refusal();

}  // namespace cuda_cpu
#endif
