// Thrust's device memory is the device's: what device_vector, device_malloc and temporary arrays
// allocate. The headers under include/thrust/ stand in front of Thrust's own and use these.
#ifndef CUDA_CPU_THRUST_MEMORY_H
#define CUDA_CPU_THRUST_MEMORY_H

#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>

#include <cuda_cpu/memory.h>

#include <new>

namespace cuda_cpu {

template <bool Managed>
class ThrustMemory final : public THRUST_NS_QUALIFIER::mr::memory_resource<> {
 public:
  void *do_allocate(std::size_t bytes, std::size_t) override {
    void *const memory = library_allocate(bytes, Managed);  // aligned to 256 bytes
    if (memory == nullptr && bytes > 0) throw std::bad_alloc();
    return memory;
  }
  void do_deallocate(void *memory, std::size_t, std::size_t) override { library_free(memory); }
};

}  // namespace cuda_cpu

// The memory resources of Thrust's backend `system`, which Thrust's header makes of new and delete.
#define CUDA_CPU_THRUST_MEMORY(system_name)                                                       \
  THRUST_NAMESPACE_BEGIN                                                                          \
  namespace system {                                                                              \
  namespace system_name {                                                                         \
  namespace detail {                                                                              \
  using native_resource = thrust::mr::fancy_pointer_resource<::cuda_cpu::ThrustMemory<false>,     \
                                                             thrust::system_name::pointer<void>>; \
  using universal_native_resource =                                                               \
      thrust::mr::fancy_pointer_resource<::cuda_cpu::ThrustMemory<true>,                          \
                                         thrust::system_name::universal_pointer<void>>;           \
  }                                                                                               \
  using memory_resource = detail::native_resource;                                                \
  using universal_memory_resource = detail::universal_native_resource;                            \
  using universal_host_pinned_memory_resource = detail::universal_native_resource;                \
  }                                                                                               \
  }                                                                                               \
  THRUST_NAMESPACE_END

#endif
