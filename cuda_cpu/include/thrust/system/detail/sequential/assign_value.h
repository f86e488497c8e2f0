// In place of Thrust's own header of this name: single elements of device_vector are reached
// through here. See thrust/detail/execution_policy.h.
#pragma once

#if defined(CUDA_CPU_CHECK)
#include_next <thrust/system/detail/sequential/assign_value.h>
#else

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cuda_cpu/memory.h>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace detail {
namespace sequential {

template <typename DerivedPolicy, typename To, typename From>
void assign_value(execution_policy<DerivedPolicy> &, To to, From from) {
  const ::cuda_cpu::DeviceScope device;
  *thrust::raw_pointer_cast(to) = *thrust::raw_pointer_cast(from);
}

}  // namespace sequential
}  // namespace detail
}  // namespace system
THRUST_NAMESPACE_END

#endif
