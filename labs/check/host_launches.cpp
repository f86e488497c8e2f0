// Counts the arguments of a submission's kernels for host_copies.c. Linked into labs/check/worker.
#include <cuda_runtime_api.h>

extern "C" void host_copies_launched(size_t argument_bytes);

#ifdef CUDA_CPU
#include <cuda_cpu/launch.h>
#include <malloc.h>

using cuda_cpu::KernelCall;
using cuda_cpu::Launch;

// cuda_cpu::run_grid(), through which all launches go; the Makefile hands the name to --wrap.
#define RUN_GRID "_ZN8cuda_cpu8run_gridERKNS_6LaunchERKNS_10KernelCallE"
cudaError_t real_run_grid(const Launch &launch, const KernelCall &call) __asm__("__real_" RUN_GRID);
cudaError_t wrap_run_grid(const Launch &launch, const KernelCall &call) __asm__("__wrap_" RUN_GRID);

cudaError_t wrap_run_grid(const Launch &launch, const KernelCall &call) {
  // The call is an object on the heap that holds the arguments, a lambda and a pointer.
  if (cuda_cpu::current == nullptr) {
    void *const object = const_cast<KernelCall *>(&call);
    host_copies_launched(malloc_usable_size(object) - sizeof(void *));
  }
  return real_run_grid(launch, call);
}
#else
#include <map>

namespace {

size_t argument_bytes(const void *kernel) {
  static std::map<const void *, size_t> known;
  const auto found = known.find(kernel);
  if (found != known.end()) return found->second;
  size_t bytes = 0;
#if CUDART_VERSION >= 13000
  // The last question fails. An error that the submission has left stays, and takes the count.
  if (cudaPeekAtLastError() != cudaSuccess) return 4096;
  for (size_t i = 0, offset = 0, size = 0;
       cudaFuncGetParamInfo(kernel, i, &offset, &size) == cudaSuccess; i++)
    bytes = offset + size;
  cudaGetLastError();
#endif
  return known[kernel] = bytes;
}

}  // namespace

// What nvcc makes of <<<>>>, and what a submission calls itself; --wrap leads both here.
#define WRAPPED(name, parameters, kernel, arguments) \
  extern "C" cudaError_t name parameters;            \
  extern "C" cudaError_t __wrap_##name parameters {  \
    host_copies_launched(argument_bytes(kernel));    \
    return name arguments;                           \
  }
#define PARAMETERS (void *k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t t)
#define CONST_PARAMETERS (const void *k, dim3 g, dim3 b, void **a, size_t s, cudaStream_t t)
WRAPPED(__cudaLaunchKernel, PARAMETERS, k, (k, g, b, a, s, t))
WRAPPED(__cudaLaunchKernel_ptsz, PARAMETERS, k, (k, g, b, a, s, t))
WRAPPED(cudaLaunchKernel, CONST_PARAMETERS, k, (k, g, b, a, s, t))
WRAPPED(cudaLaunchCooperativeKernel, CONST_PARAMETERS, k, (k, g, b, a, s, t))
WRAPPED(cudaLaunchKernelExC, (const cudaLaunchConfig_t *c, const void *k, void **a), k, (c, k, a))
#endif
