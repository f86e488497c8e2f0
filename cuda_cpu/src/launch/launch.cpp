// Launches: refuses what a GPU would refuse, then runs the grid or, inside a kernel, queues it.
#include <cuda_cpu/launch.h>

#include <algorithm>
#include <map>
#include <mutex>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>

#include "../diagnosis/check.h"
#include "block.h"
#include "../diagnosis/diagnose.h"
#include "grid.h"
#include "../diagnosis/limits.h"
#include "../diagnosis/settings.h"
#include "../streams/streams.h"

namespace cuda_cpu {

// ---- limits -------------------------------------------------------------------------------------

namespace {

std::mutex limits_mutex;
std::map<const void *, KernelLimits> limits;  // of kernels for which one was set

}  // namespace

KernelLimits kernel_limits(const void *kernel) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  const auto found = limits.find(kernel);
  if (kernel != nullptr) return found == limits.end() ? KernelLimits() : found->second;
  KernelLimits most;  // an instance whose address is not known: the most that any may have
  for (const auto &known : limits)
    most.shared_bytes = std::max(most.shared_bytes, known.second.shared_bytes);
  return most;
}

void set_kernel_limits(const void *kernel, const KernelLimits &changed) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  limits[kernel] = changed;
}

void exceed_bound(unsigned threads) {
  if (current_block != nullptr) state_of(*current_block).grid->bound = threads;
  throw LaunchRefused{threads};
}

void find_bound(const void *kernel, const std::function<void()> &call) {
  KernelLimits found = kernel_limits(kernel);
  const dim3 before = blockDim;
  blockDim = dim3(UINT32_MAX);
  try {
    call();
  } catch (const LaunchRefused &refused) {
    found.threads = refused.bound;
  }
  blockDim = before;
  set_kernel_limits(kernel, found);
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMaxThreadsPerBlock) return 0;
  const std::size_t by_shared = kSharedPerMultiprocessor / (shared_bytes + kSharedReservedPerBlock);
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / ((threads + 31) / 32 * 32);
  return std::min({by_threads, static_cast<unsigned>(by_shared), kMaxBlocksPerMultiprocessor});
}

// ---- launching ----------------------------------------------------------------------------------

namespace {

cudaError_t find_problem(const Launch &launch) {
  const dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = static_cast<std::uint64_t>(b.x) * b.y * b.z;
  if (threads == 0 || threads > kMaxThreadsPerBlock || b.z > kMaxBlockZ || g.x == 0 || g.y == 0 ||
      g.z == 0 || g.x > kMaxGridX || g.y > kMaxGridYZ || g.z > kMaxGridYZ)
    return current != nullptr ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  if (launch.shared_bytes > kernel_limits(launch.kernel).shared_bytes)
    return launch.cooperative && launch.shared_bytes <= UINT32_MAX
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaErrorInvalidValue;
  if (launch.clusters != nullptr)
    if (const cudaError_t error = launch.clusters->find_problem(launch)) return error;
  if (launch.cooperative) {
    const std::uint64_t fit = static_cast<std::uint64_t>(multiprocessors()) *
                              resident_blocks(static_cast<unsigned>(threads), launch.shared_bytes);
    if (static_cast<std::uint64_t>(g.x) * g.y * g.z > fit)
      return cudaErrorCooperativeLaunchTooLarge;
  }
  return cudaSuccess;
}

cudaError_t launch_from_kernel(const Launch &launch, std::unique_ptr<KernelCall> call) {
  Grid &parent = *state_of(*current_block).grid;
  const std::lock_guard<std::mutex> guard(parent.children_mutex);
  if (parent.children.size() >= pending_launch_limit())
    return fail(cudaErrorLaunchPendingCountExceeded);
  parent.children.push_back({launch, std::move(call)});
  return cudaSuccess;
}

}  // namespace

Work grid_work(const Launch &launch, std::unique_ptr<KernelCall> call) {
  return [launch, call = std::shared_ptr<KernelCall>(std::move(call))] {
    run_grid(launch, *call);
    return cudaSuccess;
  };
}

cudaError_t check_launch(const Launch &launch) {
  settings();  // so that a bad one ends the program before there are threads
  const cudaError_t error = find_problem(launch);
  if (error == cudaSuccess) return error;
  if (Captures *const present = captures) present->invalidate(launch.stream);
  return refuse(launch, error);
}

cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call) {
  if (const cudaError_t error = check_launch(launch)) return error;
  if (current != nullptr) return launch_from_kernel(launch, std::move(call));
  if (captures == nullptr && !delays()) return run_grid(launch, *call);
  return in_stream(launch.stream, cudaGraphNodeTypeKernel, grid_work(launch, std::move(call)));
}

// ---- kernels by address -------------------------------------------------------------------------

namespace {

std::mutex kernels_mutex;
std::map<const void *, KnownKernel> kernels;

}  // namespace

void register_kernel(const void *kernel, const KnownKernel &known) {
  const std::lock_guard<std::mutex> guard(kernels_mutex);
  kernels.insert({kernel, known});
}

const KnownKernel *known_kernel(const void *kernel) {
  const std::lock_guard<std::mutex> guard(kernels_mutex);
  const auto found = kernels.find(kernel);
  if (found != kernels.end()) return &found->second;
  fail(kernel == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle);
  return nullptr;
}

cudaError_t launch_by_address(const Configuration &configuration, bool cooperative,
                              const void *kernel, void **arguments) {
  const KnownKernel *const known = known_kernel(kernel);
  if (known == nullptr) return cudaPeekAtLastError();
  if (arguments == nullptr && known->parameters > 0) return fail(cudaErrorInvalidValue);
  return launch({configuration, known->name, kernel, cooperative},
                known->make(known->name, kernel, arguments));
}

}  // namespace cuda_cpu
