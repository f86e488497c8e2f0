// The runtime calls that take a kernel: cudaLaunchKernel and its relatives, attributes, occupancy.
// The arguments behind `void **` can be unpacked only with the kernel's type, hence the templates,
// and a table of addresses for kernels that were cast to void *.
#ifndef CUDA_CPU_LAUNCH_CALLS_H
#define CUDA_CPU_LAUNCH_CALLS_H

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch.h>

#include <functional>
#include <utility>

namespace cuda_cpu {

// What a kernel may ask for, as far as calls and __launch_bounds__ have changed it.
struct KernelLimits {
  std::size_t shared_bytes = 48 * 1024;  // dynamic, of a block
  unsigned threads = 1024;               // of a block
  unsigned cluster_blocks = 8;
};
KernelLimits kernel_limits(const void *kernel);
void set_kernel_limits(const void *kernel, const KernelLimits &limits);

// A kernel with __launch_bounds__ as an argument, which the rewriter wraps in this: remembers the
// bound. Called as if for a block of too many threads, the kernel only tells it.
void find_bound(const void *kernel, const std::function<void()> &call);
template <class P>
const P &zeros() {
  alignas(P) static const unsigned char bytes[sizeof(P)] = {};
  return *reinterpret_cast<const P *>(bytes);
}
template <class... P>
auto bounded(void (*kernel)(P...)) -> void (*)(P...) {
  find_bound(reinterpret_cast<const void *>(kernel), [kernel] { kernel(zeros<P>()...); });
  return kernel;
}

// Blocks of this size that one multiprocessor holds at once; 0 if it cannot hold any.
unsigned resident_blocks(unsigned threads, std::size_t shared_bytes);

// cudaSuccess if a GPU would accept the launch; else sets the last error.
cudaError_t check_launch(const Launch &launch);

// ---- kernels whose type is not known where they are launched

using MakeCall = std::unique_ptr<KernelCall> (*)(const char *name, const void *kernel,
                                                 void **arguments);
struct KnownKernel {
  const char *name;
  MakeCall make;
  std::size_t parameters;
};
void register_kernel(const void *kernel, const KnownKernel &known);
// Null for an address that register_kernel() has not seen, and cudaErrorInvalidResourceHandle, or
// cudaErrorInvalidDeviceFunction for a null pointer.
const KnownKernel *known_kernel(const void *kernel);
cudaError_t launch_by_address(const Configuration &configuration, bool cooperative,
                              const void *kernel, void **arguments);

template <class... P, std::size_t... I>
std::unique_ptr<KernelCall> make_call(const char *name, const void *kernel,
                                      [[maybe_unused]] void **arguments,
                                      std::index_sequence<I...>) {
  check_arguments(name, *static_cast<P *>(arguments[I])...);
  return std::make_unique<PointerKernelCall<P...>>(reinterpret_cast<void (*)(P...)>(kernel),
                                                   *static_cast<P *>(arguments[I])...);
}
// (void *)kernel, as the rewriter writes it: remembers the types of the parameters.
template <class... P>
void *kernel_address(const char *called, void (*kernel)(P...)) {
  void *const address = reinterpret_cast<void *>(kernel);
  const MakeCall make = [](const char *name, const void *function, void **arguments) {
    return make_call<P...>(name, function, arguments, std::index_sequence_for<P...>());
  };
  register_kernel(address, {called, make, sizeof...(P)});
  return address;
}

// ---- kernels whose type is known

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
  if (kernel == nullptr) return fail(cudaErrorInvalidDeviceFunction);
  if (arguments == nullptr && sizeof...(P) > 0) return fail(cudaErrorInvalidValue);
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

// The kernel's address in a variable: its type is known if the variable was set by (void *)kernel
// in a .cu file, otherwise the launch fails with cudaErrorInvalidResourceHandle.
inline cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_by_address({grid, block, shared_bytes, stream}, false, kernel, arguments);
}
inline cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block,
                                               void **arguments, size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr) {
  return cuda_cpu::launch_by_address({grid, block, shared_bytes, stream}, true, kernel, arguments);
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};
union cudaLaunchAttributeValue {
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  struct {
    unsigned int x, y, z;
  } clusterDim;                                // blocks; the grid is a multiple of it
  int programmaticStreamSerializationAllowed;  // nothing overlaps here, so it has no effect
};
using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
// A hint about caches: accepted, without effect.
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID attribute,
                                          const cudaStreamAttrValue *) {
  return attribute == cudaLaunchAttributeAccessPolicyWindow ? cudaSuccess
                                                            : cuda_cpu::fail(cudaErrorInvalidValue);
}
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
  cuda_cpu::Configuration configuration = {config->gridDim, config->blockDim,
                                           config->dynamicSmemBytes, config->stream};
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttributeValue &value = config->attrs[i].val;
    if (config->attrs[i].id == cudaLaunchAttributeCooperative) cooperative = value.cooperative != 0;
    if (config->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    configuration.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    configuration.clusters = &cuda_cpu::clusters;
  }
  return cuda_cpu::launch_pointer<P...>("(cudaLaunchKernelEx)", configuration, cooperative, kernel,
                                        static_cast<P>(a)...);
}

// ---- attributes and occupancy -------------------------------------------------------------------

// A kernel is a pointer to the function, or its address as a pointer to void.
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel function, cudaFuncAttribute attribute, int value) {
  const void *const kernel = (const void *)function;
  if (kernel == nullptr) return cuda_cpu::fail(cudaErrorInvalidDeviceFunction);
  cuda_cpu::KernelLimits limits = cuda_cpu::kernel_limits(kernel);
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > 227 * 1024) return cuda_cpu::fail(cudaErrorInvalidValue);
      limits.shared_bytes = static_cast<size_t>(value);  // also less than before
      break;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      limits.cluster_blocks = value != 0 ? 16 : 8;  // a Hopper GPU's
      break;
    case cudaFuncAttributePreferredSharedMemoryCarveout:  // a hint: percent, or -1
      return value >= -1 && value <= 100 ? cudaSuccess : cuda_cpu::fail(cudaErrorInvalidValue);
    default: return cuda_cpu::fail(cudaErrorInvalidValue);
  }
  cuda_cpu::set_kernel_limits(kernel, limits);
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel kernel, cudaFuncCache preference) {
  if (kernel == nullptr) return cuda_cpu::fail(cudaErrorInvalidDeviceFunction);
  return preference >= cudaFuncCachePreferNone && preference <= cudaFuncCachePreferEqual
             ? cudaSuccess
             : cuda_cpu::fail(cudaErrorInvalidValue);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
inline cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) {
  return cudaSuccess;
}
// Registers and static shared memory are not modelled: threads and dynamic shared memory decide.
// 32 registers are as many as all threads of a full multiprocessor can have.
template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel function) {
  const void *const kernel = (const void *)function;
  if (kernel == nullptr) return cuda_cpu::fail(cudaErrorInvalidDeviceFunction);
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = static_cast<int>(cuda_cpu::kernel_limits(kernel).threads);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->numRegs = 32;
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  attributes->maxDynamicSharedSizeBytes =
      static_cast<int>(cuda_cpu::kernel_limits(kernel).shared_bytes);
  return cudaSuccess;
}
// Nor do launch bounds count, as on a GPU (CUDA 13.0, H100).
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel kernel, int threads,
                                                          size_t shared_bytes) {
  if (kernel == nullptr) return cuda_cpu::fail(cudaErrorInvalidDeviceFunction);
  if (threads <= 0) return cuda_cpu::fail(cudaErrorInvalidValue);
  *blocks = 0;
  if (shared_bytes <= cuda_cpu::kernel_limits((const void *)kernel).shared_bytes)
    *blocks =
        static_cast<int>(cuda_cpu::resident_blocks(static_cast<unsigned>(threads), shared_bytes));
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Kernel kernel,
                                                                   int threads, size_t shared_bytes,
                                                                   unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, shared_bytes);
}
// The block size with the most threads on a multiprocessor, the largest if several have.
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, Kernel kernel,
                                                           SharedBytes shared_bytes,
                                                           int limit = 0) {
  const int most = static_cast<int>(cuda_cpu::kernel_limits((const void *)kernel).threads);
  unsigned best = 0;
  *block = *grid = 0;
  for (int threads = limit > 0 && limit < most ? limit : most; threads > 0;
       threads -= threads % 32 == 0 ? 32 : threads % 32) {
    const unsigned blocks =
        cuda_cpu::resident_blocks(static_cast<unsigned>(threads), shared_bytes(threads));
    if (blocks * static_cast<unsigned>(threads) <= best) continue;
    best = blocks * static_cast<unsigned>(threads);
    *block = threads;
    *grid = static_cast<int>(blocks);
  }
  int multiprocessors = 0;
  (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  *grid *= multiprocessors;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, Kernel kernel,
                                               size_t shared_bytes = 0, int limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(
      grid, block, kernel, [shared_bytes](int) { return shared_bytes; }, limit);
}
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid, int *block,
                                                                    Kernel kernel,
                                                                    SharedBytes shared_bytes,
                                                                    int limit = 0,
                                                                    unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, shared_bytes, limit);
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, Kernel kernel,
                                                        size_t shared_bytes = 0, int limit = 0,
                                                        unsigned int = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, kernel, shared_bytes, limit);
}

#endif
