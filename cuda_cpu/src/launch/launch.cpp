// Launches: refuses what a GPU would refuse, then runs the grid or, inside a kernel, queues it.
#include <cuda_cpu/launch.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch_calls.h>

#include "../diagnosis/check.h"
#include "block.h"
#include "../diagnosis/diagnose.h"
#include "grid.h"
#include "../diagnosis/limits.h"
#include "../diagnosis/refusal.h"
#include "../diagnosis/settings.h"
#include "../streams/streams.h"

namespace cuda_cpu {

// ---- limits -------------------------------------------------------------------------------------

namespace {

std::mutex limits_mutex;
std::map<const void *, std::size_t> shared_limits;  // of kernels whose limit was set
std::map<const void *, unsigned> thread_limits;     // by __launch_bounds__
std::set<const void *> large_clusters;              // kernels that may have them

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
  shared_limits[kernel] = static_cast<std::size_t>(bytes);  // also less than before
  return cudaSuccess;
}

unsigned thread_limit(const void *kernel) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  const auto found = thread_limits.find(kernel);
  return found == thread_limits.end() ? kMaxThreadsPerBlock : found->second;
}

void set_thread_limit(const void *kernel, unsigned threads) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  thread_limits[kernel] = threads;
}

void allow_large_clusters(const void *kernel, bool allowed) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  if (allowed)
    large_clusters.insert(kernel);
  else
    large_clusters.erase(kernel);
}

unsigned resident_blocks(unsigned threads, std::size_t shared_bytes) {
  if (threads == 0 || threads > kMaxThreadsPerBlock) return 0;
  const std::size_t by_shared = kSharedPerMultiprocessor / (shared_bytes + kSharedReservedPerBlock);
  const unsigned by_threads = kMaxThreadsPerMultiprocessor / ((threads + 31) / 32 * 32);
  return std::min({by_threads, static_cast<unsigned>(by_shared), kMaxBlocksPerMultiprocessor});
}

// ---- launching ----------------------------------------------------------------------------------

namespace {

// At most 8 blocks, or 16, a Hopper GPU's limit, with the attribute that allows more.
std::uint64_t most_blocks_of_cluster(const void *kernel) {
  const std::lock_guard<std::mutex> guard(limits_mutex);
  return large_clusters.count(kernel) > 0 ? 16 : 8;
}

cudaError_t find_cluster_problem(const Launch &launch) {
  const dim3 &g = launch.grid, &c = launch.cluster;
  const std::uint64_t blocks = static_cast<std::uint64_t>(c.x) * c.y * c.z;
  if (blocks == 0 || blocks > most_blocks_of_cluster(launch.kernel) || g.x % c.x != 0 ||
      g.y % c.y != 0 || g.z % c.z != 0)
    return cudaErrorInvalidClusterSize;
  return blocks > 1 && launch.cooperative ? cudaErrorNotSupported : cudaSuccess;  // no grid barrier
}

cudaError_t find_problem(const Launch &launch) {
  const dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = static_cast<std::uint64_t>(b.x) * b.y * b.z;
  if (threads == 0 || threads > kMaxThreadsPerBlock || b.z > kMaxBlockZ || g.x == 0 || g.y == 0 ||
      g.z == 0 || g.x > kMaxGridX || g.y > kMaxGridYZ || g.z > kMaxGridYZ)
    return current != nullptr ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  if (launch.most_threads != 0 && threads > launch.most_threads) {
    note("launch",
         "kernel %s is launched with %u threads in a block, its __launch_bounds__ allow %u: the "
         "launch fails",
         launch.name, static_cast<unsigned>(threads), launch.most_threads);
    return current != nullptr ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;
  }
  if (launch.shared_bytes > shared_limit(launch.kernel))
    return launch.cooperative && launch.shared_bytes <= UINT32_MAX
               ? cudaErrorCooperativeLaunchTooLarge
               : cudaErrorInvalidValue;
  if (const cudaError_t error = find_cluster_problem(launch)) return error;
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

cudaError_t check_launch(const Launch &launch) {
  settings();  // so that a bad one ends the program before there are threads
  const cudaError_t error = find_problem(launch);
  if (error != cudaSuccess) {
    if (captures > 0) invalidate_capture(launch.stream);
    const std::string text = refusal_text(launch);
    set_last_error(error, text.c_str());
    if (current == nullptr) note_refusal(text + " (" + cudaGetErrorString(error) + ")");
  }
  return error;
}

cudaError_t launch(const Launch &launch, std::unique_ptr<KernelCall> call) {
  const cudaError_t error = check_launch(launch);
  if (error != cudaSuccess) return error;
  if (current != nullptr) return launch_from_kernel(launch, std::move(call));
  if (captures > 0)
    return record_or_run(launch.stream, cudaGraphNodeTypeKernel,
                         kernel_work(launch, std::move(call)));
  if (delays()) return delay_or_run(launch.stream, kernel_work(launch, std::move(call)));
  return run_grid(launch, *call);
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
