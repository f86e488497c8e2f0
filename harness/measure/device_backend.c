// Apart from device_info.c, which makes CUDA calls: the judge of HW4 does not link them.
#include "harness/measure/device_info.h"

#include "common/check.h"  // for CUDA_CPU

const char *device_backend(void) {
#ifdef CUDA_CPU
  return "cpu";
#else
  return "cuda";
#endif
}
