// Device memory: the runtime's calls that are templates in CUDA's own header, and DeviceScope for
// libraries that run on the device.
#ifndef CUDA_CPU_MEMORY_H
#define CUDA_CPU_MEMORY_H

#include <cuda_runtime_api.h>

#include <cstddef>

#include <cuda_cpu/errors.h>

namespace cuda_cpu {

// __device__ variables become device memory when their address is first asked for.
void register_symbol(const void *address, std::size_t bytes);

// While one of these lives, device memory may be read and written: kernels, copies, and libraries
// such as Thrust that run on the device. In a build with AddressSanitizer device memory is poisoned
// at all other times, so that host code which dereferences a device pointer is caught (memcheck).
class DeviceScope {
 public:
  // CHECK builds see what kernels, copies and sets do, but not what libraries do.
  enum User { kLibrary, kRuntime };
  explicit DeviceScope(User user = kLibrary);
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;

 private:
  const User user_;
};

}  // namespace cuda_cpu

template <class T>
cudaError_t cudaMalloc(T **memory, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <class T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T>
cudaError_t cudaMallocHost(T **memory, size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}

template <class T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  *address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
  cuda_cpu::register_symbol(*address, sizeof symbol);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  void *address = nullptr;
  if (offset + bytes > sizeof symbol) return cuda_cpu::fail(cudaErrorInvalidValue);
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(static_cast<char *>(address) + offset, from, bytes, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  void *address = nullptr;
  if (offset + bytes > sizeof symbol) return cuda_cpu::fail(cudaErrorInvalidValue);
  cudaGetSymbolAddress(&address, symbol);
  return cudaMemcpy(to, static_cast<const char *>(address) + offset, bytes, kind);
}

#endif
