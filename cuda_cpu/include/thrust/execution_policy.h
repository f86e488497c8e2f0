// In front of Thrust's own header of this name, which declares thrust::cuda::par on a GPU.
#pragma once

#include_next <thrust/execution_policy.h>

#include <thrust/system/cuda/execution_policy.h>
