// In place of Thrust's own header of this name.
#pragma once

#if defined(CUDA_CPU_CHECK)
#include_next <thrust/system/detail/sequential/assign_value.h>
#else
#include <cuda_cpu/thrust_elements.h>
#endif
