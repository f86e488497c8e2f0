// In front of Thrust's own header of this name: device memory may be touched only inside a
// DeviceScope, and each of Thrust's algorithms becomes one. Not in CHECK builds, which know by the
// caller that it is Thrust.
#pragma once

#if defined(CUDA_CPU_CHECK)
#include_next <thrust/detail/execution_policy.h>
#else

#include <thrust/detail/config.h>

#include <cuda_cpu/memory.h>

// Every algorithm passes its policy on as derived_cast(strip_const(policy)). The object that
// strip_const() returns here lives until that call has returned.
#define strip_const strip_const_without_scope
#include_next <thrust/detail/execution_policy.h>
#undef strip_const

THRUST_NAMESPACE_BEGIN
namespace detail {

template <typename DerivedPolicy>
struct scoped_policy {
  ::cuda_cpu::DeviceScope scope;
  execution_policy_base<DerivedPolicy> &policy;
};

template <typename DerivedPolicy>
scoped_policy<DerivedPolicy> strip_const(const execution_policy_base<DerivedPolicy> &policy) {
  return {{}, strip_const_without_scope(policy)};
}

template <typename DerivedPolicy>
DerivedPolicy &derived_cast(const scoped_policy<DerivedPolicy> &scoped) {
  return derived_cast(scoped.policy);
}

}  // namespace detail
THRUST_NAMESPACE_END

#endif
