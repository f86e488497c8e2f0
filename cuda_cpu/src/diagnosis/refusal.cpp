#include "refusal.h"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "limits.h"

namespace cuda_cpu {

namespace {

// Of any host thread: the kernel that crashes may run on another one.
std::mutex mutex;
std::atomic<bool> pending{false};
char kept[256];

std::string extent(const dim3 &d) {
  if (d.y == 1 && d.z == 1) return std::to_string(d.x);
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

// Why a GPU does not take it; "" where the error alone is clear.
std::string reason(const Launch &launch) {
  const dim3 &g = launch.grid, &b = launch.block;
  const std::uint64_t threads = static_cast<std::uint64_t>(b.x) * b.y * b.z;
  if (g.x == 0 || g.y == 0 || g.z == 0) return ", no blocks";
  if (threads == 0) return ", no threads";
  if (threads > kMaxThreadsPerBlock)
    return ", more than " + std::to_string(kMaxThreadsPerBlock) + " threads in a block";
  if (launch.shared_bytes > kSharedDefault)
    return ", " + std::to_string(launch.shared_bytes) + " bytes of shared memory";
  return "";
}

}  // namespace

std::string refusal_text(const Launch &launch) {
  return std::string("kernel ") + launch.name + "<<<" + extent(launch.grid) + ", " +
         extent(launch.block) + ">>>" + reason(launch);
}

void note_refusal(const std::string &text) {
  const std::lock_guard<std::mutex> guard(mutex);
  std::snprintf(kept, sizeof kept, "%s", text.c_str());
  pending = true;
}

void forget_refusal() { pending = false; }

const char *pending_refusal() { return pending ? kept : nullptr; }

}  // namespace cuda_cpu
