// Which pool an allocation is of.
#ifndef CUDA_CPU_POOLS_H
#define CUDA_CPU_POOLS_H

namespace cuda_cpu {

// cudaFree: the memory, if it is a pool's, counts as free from now on.
void pool_freed(const void *memory);

}  // namespace cuda_cpu
#endif
