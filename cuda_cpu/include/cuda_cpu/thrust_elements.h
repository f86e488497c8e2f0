// Single elements of Thrust's device_vector, which the host reads and writes: as device memory. See
// thrust/detail/execution_policy.h.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/swap.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cuda_cpu/memory.h>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <typename DerivedPolicy, typename To, typename From>
void assign_value(execution_policy<DerivedPolicy> &, To to, From from) {
  const ::cuda_cpu::DeviceScope device;
  *thrust::raw_pointer_cast(to) = *thrust::raw_pointer_cast(from);
}

template <typename DerivedPolicy, typename Pointer>
typename thrust::iterator_value<Pointer>::type get_value(execution_policy<DerivedPolicy> &,
                                                         Pointer pointer) {
  const ::cuda_cpu::DeviceScope device;
  return *thrust::raw_pointer_cast(pointer);
}

template <typename DerivedPolicy, typename A, typename B>
void iter_swap(execution_policy<DerivedPolicy> &, A a, B b) {
  const ::cuda_cpu::DeviceScope device;
  using thrust::swap;
  swap(*thrust::raw_pointer_cast(a), *thrust::raw_pointer_cast(b));
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
