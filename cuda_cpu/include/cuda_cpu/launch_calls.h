// The runtime calls that take a kernel: cudaLaunchKernel and its relatives, attributes, occupancy.
// They are templates, because the arguments behind `void **` can be unpacked only with the kernel's
// type: pass the kernel itself, not (void *)kernel.
#ifndef CUDA_CPU_LAUNCH_CALLS_H
#define CUDA_CPU_LAUNCH_CALLS_H

#include <cuda_cpu/launch.h>

#include <utility>

namespace cuda_cpu {

// Bytes of dynamic shared memory that a kernel may ask for: 48 KB, or more after
// set_shared_limit(), which fails with cudaErrorInvalidValue outside 0 to 227 KB.
std::size_t shared_limit(const void *kernel);
cudaError_t set_shared_limit(const void *kernel, int bytes);

// Blocks of this size that one multiprocessor holds at once; 0 if it cannot hold any.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

template <class... P>
cudaError_t launch_pointer(const char *name, const Configuration &configuration, bool cooperative,
                           void (*kernel)(P...), P... arguments) {
  check_arguments(name, arguments...);
  return launch({configuration, name, reinterpret_cast<const void *>(kernel), cooperative},
                std::make_unique<PointerKernelCall<P...>>(kernel, arguments...));
}
template <class... P, std::size_t... I>
cudaError_t launch_unpacked(const char *name, const Configuration &configuration, bool cooperative,
                            void (*kernel)(P...), void **arguments, std::index_sequence<I...>) {
  return launch_pointer<P...>(name, configuration, cooperative, kernel,
                              *static_cast<P *>(arguments[I])...);
}

}  // namespace cuda_cpu

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_unpacked("(cudaLaunchKernel)", {grid, block, shared_bytes, stream}, false,
                                   kernel, arguments, std::index_sequence_for<P...>());
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block,
                                        void **arguments, size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_unpacked("(cooperative)", {grid, block, shared_bytes, stream}, true,
                                   kernel, arguments, std::index_sequence_for<P...>());
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};
union cudaLaunchAttributeValue {
  int cooperative;
  int programmaticStreamSerializationAllowed;  // nothing overlaps here, so it has no effect
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A... a) {
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id == cudaLaunchAttributeCooperative)
      cooperative = config->attrs[i].val.cooperative != 0;
  const cuda_cpu::Configuration configuration = {config->gridDim, config->blockDim,
                                                 config->dynamicSmemBytes, config->stream};
  return cuda_cpu::launch_pointer<P...>("(cudaLaunchKernelEx)", configuration, cooperative, kernel,
                                        static_cast<P>(a)...);
}

template <class... P>
cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;  // a hint
  return cuda_cpu::set_shared_limit(reinterpret_cast<const void *>(kernel), value);
}
// Registers and static shared memory are not modelled: threads and dynamic shared memory decide.
template <class... P>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*)(P...), int threads,
                                                          size_t shared_bytes) {
  *blocks =
      static_cast<int>(cuda_cpu::resident_blocks(static_cast<unsigned>(threads), shared_bytes));
  return cudaSuccess;
}

#endif
