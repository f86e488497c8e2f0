// In place of Thrust's own header of this name: see cuda_cpu/thrust_memory.h.
#pragma once

#include <thrust/system/omp/pointer.h>

#include <cuda_cpu/thrust_memory.h>

CUDA_CPU_THRUST_MEMORY(omp)
