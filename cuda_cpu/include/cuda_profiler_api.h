// Part of cuda_runtime.h on this backend; some programs include it by name.
#ifndef CUDA_CPU_CUDA_PROFILER_API_H
#define CUDA_CPU_CUDA_PROFILER_API_H

#include <cuda_runtime_api.h>

#endif
