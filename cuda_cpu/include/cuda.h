// CUDA's driver API header. Programs that call the runtime alone include it by habit; it brings
// them what they need.
#include <cuda_runtime_api.h>
