// In place of Thrust's own header of this name: single elements of device_vector are reached
// through here. See thrust/detail/execution_policy.h.
#pragma once

#if defined(CUDA_CPU_CHECK)
#include_next <thrust/system/detail/sequential/iter_swap.h>
#else

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/swap.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cuda_cpu/memory.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <typename DerivedPolicy, typename A, typename B>
void iter_swap(execution_policy<DerivedPolicy> &, A a, B b) {
  const ::cuda_cpu::DeviceScope device;
  using thrust::swap;
  swap(*thrust::raw_pointer_cast(a), *thrust::raw_pointer_cast(b));
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END

#endif
