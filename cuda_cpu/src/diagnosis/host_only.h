// Calls that CUDA forbids in kernels.
#ifndef CUDA_CPU_HOST_ONLY_H
#define CUDA_CPU_HOST_ONLY_H

#include <cuda_cpu/thread.h>

#include "diagnose.h"

namespace cuda_cpu {

inline void refuse_in_kernel(const char *call) {
  if (current != nullptr) diagnose("memcheck", "%s cannot be called from a kernel", call);
}

}  // namespace cuda_cpu
#endif
