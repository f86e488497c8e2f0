// Part of cuda_runtime.h on this backend; some programs include it by name.
#ifndef CUDA_CPU_VECTOR_FUNCTIONS_H
#define CUDA_CPU_VECTOR_FUNCTIONS_H

#include <cuda_runtime.h>

#endif
