// Device memory: the runtime's calls that are templates in CUDA's own header, and DeviceScope for
// libraries that run on the device.
#ifndef CUDA_CPU_MEMORY_H
#define CUDA_CPU_MEMORY_H

#include <cuda_runtime_api.h>

#include <cstddef>

#include <cuda_cpu/errors.h>

// For a program with an allocator over cudaMalloc. `array`, which cudaMalloc returned,
// is unused from now on: whoever touches it or gives it to a kernel or a copy makes a mistake
// (memcheck), which is reported as a use after `by`, a function's name. With `by` null the array is
// in use again, its contents as before.
extern "C" void cuda_cpu_mark_unused(void *array, const char *by);

namespace cuda_cpu {

// __device__ variables become device memory when their address is first asked for.
void register_symbol(const void *address, std::size_t bytes);

// Device memory or managed memory for libraries that run on the device, not filled with a pattern.
// Null if there is none.
void *library_allocate(std::size_t bytes, bool managed);
void library_free(void *memory);

// While one lives, device memory may be read and written: kernels, copies, and libraries
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
  return cudaMalloc((void **)memory, bytes);  // also to a pointer to const
}
template <class T>
cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <class T>
cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned int flags = cudaMemAttachGlobal) {
  return cudaMallocManaged(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned int /*flags*/ = 0) {
  return cudaMallocHost(reinterpret_cast<void **>(memory), bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **device_pointer, void *memory, unsigned int flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void **>(device_pointer), memory, flags);
}
template <class T>
cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void **>(memory), pitch, width, height);
}

template <class T>
cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
template <class T>
cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
  *address = const_cast<void *>(static_cast<const volatile void *>(&symbol));
  cuda_cpu::register_symbol(*address, sizeof symbol);
  return cudaSuccess;
}
template <class T, class P>
cudaError_t cudaGetSymbolAddress(P **address, const T &symbol) {
  return cudaGetSymbolAddress(reinterpret_cast<void **>(address), symbol);
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

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

#endif
