// Part of cuda_runtime.h on this backend; some programs include it by name.
#include <cuda_cpu/vectors.h>
