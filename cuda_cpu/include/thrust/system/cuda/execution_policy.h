// In place of Thrust's own header of this name: thrust::cuda::par is thrust::device here. A stream
// changes nothing, because every algorithm ends before it returns.
#pragma once

#include <thrust/execution_policy.h>

#include <driver_types.h>

#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace system {
namespace cuda {

struct par_t : std::decay_t<decltype(thrust::device)> {
  const par_t &on(cudaStream_t) const { return *this; }
};

static const par_t par = {}, par_nosync = {};

}  // namespace cuda
}  // namespace system
namespace cuda = system::cuda;
THRUST_NAMESPACE_END
