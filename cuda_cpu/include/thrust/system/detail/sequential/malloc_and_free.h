// In place of Thrust's own header of this name: memory of thrust::malloc, device_malloc and
// temporary arrays. See cuda_cpu/thrust_memory.h.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cuda_cpu/memory.h>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <typename DerivedPolicy>
void *malloc(execution_policy<DerivedPolicy> &, std::size_t bytes) {
  return ::cuda_cpu::library_allocate(bytes, false);
}

template <typename DerivedPolicy, typename Pointer>
void free(execution_policy<DerivedPolicy> &, Pointer pointer) {
  ::cuda_cpu::library_free(thrust::raw_pointer_cast(pointer));
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
