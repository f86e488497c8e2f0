// Part of cuda_runtime.h on this backend; some programs include it by name.
#ifndef CUDA_CPU_CUDA_DEVICE_RUNTIME_API_H
#define CUDA_CPU_CUDA_DEVICE_RUNTIME_API_H

#include <cuda_runtime.h>

#endif
