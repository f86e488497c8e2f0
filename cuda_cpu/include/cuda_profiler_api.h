// Part of cuda_runtime_api.h on this backend; some programs include it by name.
#include <cuda_runtime_api.h>
