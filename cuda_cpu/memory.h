// Which addresses are device memory, and when it may be touched.
#ifndef CUDA_CPU_MEMORY_H
#define CUDA_CPU_MEMORY_H

#include <cuda_runtime_api.h>

#include <cstddef>

namespace cuda_cpu {

enum class Place { kHost, kDevice, kPinned };  // pinned: both sides may use it

// Where a pointer points; one past the end of a device array still counts as that array.
Place place_of(const void *pointer);

// __device__ variables become device memory when their address is first asked for.
void register_symbol(const void *address, std::size_t bytes);

// While one of these lives, device memory may be read and written: kernels, copies, and libraries
// that run on the device. In a SANITIZE=1 build device memory is poisoned at all other times, so
// that host code which dereferences a device pointer is caught (memcheck).
class DeviceScope {
 public:
  DeviceScope();
  ~DeviceScope();
  DeviceScope(const DeviceScope &) = delete;
  DeviceScope &operator=(const DeviceScope &) = delete;
};

}  // namespace cuda_cpu
#endif
