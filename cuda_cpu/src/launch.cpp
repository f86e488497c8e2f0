// Launches: refuses what a GPU would refuse, then runs the grid or, inside a kernel, queues it.
#include <cuda_cpu/launch.h>

#include <algorithm>
#include <map>
#include <mutex>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>

#include "block.h"
#include "grid.h"
#include "limits.h"
#include "settings.h"

namespace cuda_cpu {

// ---- limits -------------------------------------------------------------------------------------

namespace {

std::mutex limits_mutex;
std::map<const void *, std::size_t> shared_limits;  // of kernels that asked for more than 48 KB

}  // namespace

std::size_t shared_limit(const void *kernel) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  if (kernel == nullptr) {  // an instance whose address is not known: the most that any may have
    std::size_t most = kSharedDefault;
    for (const auto &limit : shared_limits) most = std::max(most, limit.second);
    return most;
  }
  const auto found = shared_limits.find(kernel);
  return found == shared_limits.end() ? kSharedDefault : found->second;
}

cudaError_t set_shared_limit(const void *kernel, int bytes) {
  if (bytes < 0 || static_cast<std::size_t>(bytes) > kSharedOptIn)
    return fail(cudaErrorInvalidValue);
  const std::lock_guard<std::mutex> guard(limits_mutex);
  const std::size_t asked = static_cast<std::size_t>(bytes);
  shared_limits[kernel] = asked > kSharedDefault ? asked : kSharedDefault;
  return cudaSuccess;
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMaxThreadsPerBlock) return 0;
  const std::size_t by_shared = kSharedPerMultiprocessor / (shared_bytes + kSharedReservedPerBlock);
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / ((threads + 31) / 32 * 32);
  return std::min({by_threads, static_cast<unsigned>(by_shared), kMaxBlocksPerMultiprocessor});
}

// ---- launching ----------------------------------------------------------------------------------

namespace {

cudaError_t check_configuration(const Launch &launch) {
  const dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = static_cast<std::uint64_t>(b.x) * b.y * b.z;
  if (threads == 0 || threads > kMaxThreadsPerBlock || b.z > kMaxBlockZ)
    return cudaErrorInvalidConfiguration;
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > kMaxGridX || g.y > kMaxGridYZ || g.z > kMaxGridYZ)
    return cudaErrorInvalidConfiguration;
  if (launch.shared_bytes > shared_limit(launch.kernel)) return cudaErrorInvalidValue;
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
  if (parent.children.size() >= pending_launch_limit()) return cudaErrorLaunchPendingCountExceeded;
  parent.children.push_back({launch, std::move(call)});
  return cudaSuccess;
}

}  // namespace

cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call) {
  settings();  // so that a bad one ends the program before there are threads
  cudaError_t error = check_configuration(launch);
  if (error == cudaSuccess) {
    if (current != nullptr)
      error = launch_from_kernel(launch, std::move(call));
    else
      run_grid(launch, *call);
  }
  if (error != cudaSuccess) set_last_error(error, launch.name);
  return error;
}

}  // namespace cuda_cpu
