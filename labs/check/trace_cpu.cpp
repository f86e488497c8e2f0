// Wraps the cpu backend's launches, for trace.c. The names are those that
// the compiler gives to cuda_cpu::launch() and cuda_cpu::check_pointer_argument(); the Makefile
// hands them to the linker's --wrap.
#include <cuda_cpu/launch.h>

#include <memory>

#include "labs/check/trace.h"

using cuda_cpu::KernelCall;
using cuda_cpu::Launch;

#define LAUNCH \
  "_ZN8cuda_cpu6launchERKNS_6LaunchESt10unique_ptrINS_10KernelCallESt14default_deleteIS4_EE"
#define ARGUMENT "_ZN8cuda_cpu22check_pointer_argumentEPKciPKv"

cudaError_t real_launch(const Launch &launch,
                        std::unique_ptr<KernelCall> call) __asm__("__real_" LAUNCH);
cudaError_t wrap_launch(const Launch &launch,
                        std::unique_ptr<KernelCall> call) __asm__("__wrap_" LAUNCH);
void real_argument(const char *kernel, int index, const void *pointer) __asm__("__real_" ARGUMENT);
void wrap_argument(const char *kernel, int index, const void *pointer) __asm__("__wrap_" ARGUMENT);

// Launches made by a kernel are part of that kernel's step.
static bool watching() { return cuda_cpu::current == nullptr && trace_watching(); }

void wrap_argument(const char *kernel, int index, const void *pointer) {
  real_argument(kernel, index, pointer);
  if (watching()) trace_argument(index, pointer);
}

cudaError_t wrap_launch(const Launch &launch, std::unique_ptr<KernelCall> call) {
  const cudaError_t error = real_launch(launch, std::move(call));
  if (!watching() || error != cudaSuccess) return error;
  const unsigned int grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const unsigned int block[] = {launch.block.x, launch.block.y, launch.block.z};
  // "(cudaLaunchKernelEx)" and similar texts are not names.
  trace_launched(launch.name[0] == '(' ? nullptr : launch.name, launch.kernel, grid, block,
                 launch.shared_bytes);
  return error;
}
