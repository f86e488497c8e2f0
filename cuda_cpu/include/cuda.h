// CUDA's driver API header. Programs that call the runtime alone include it by habit; it brings
// them what they need.
#ifndef CUDA_CPU_CUDA_H
#define CUDA_CPU_CUDA_H

#include <cuda_runtime_api.h>

#endif
