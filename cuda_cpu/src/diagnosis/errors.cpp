// The last error, the names and texts of errors, and launches that failed.
#include "diagnose.h"

#include <execinfo.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>

#include <cuda_cpu/errors.h>
#include <cuda_cpu/launch.h>
#include <cuda_cpu/thread.h>

#include "limits.h"
#include "lines.h"

namespace cuda_cpu {

namespace {

thread_local cudaError_t host_error = cudaSuccess;  // in CUDA too, one for each host thread

struct ErrorText {
  cudaError_t code;
  const char *name, *text;
};
#define ROW(name, value, text) {name, #name, text},
const ErrorText errors[] = {CUDA_CPU_ERRORS(ROW)};
#undef ROW

// Null if there is no such error.
const ErrorText *find(cudaError_t error) {
  for (const ErrorText &known : errors)
    if (known.code == error) return &known;
  return nullptr;
}

cudaError_t &last_error() { return current != nullptr ? current->last_error : host_error; }

// The call that set this host thread's error: looked up only on request.
struct Origin {
  char launch[200];  // "kernel k<<<1, 2000>>>" or empty
  int frames;
  void *frame[24];
};
thread_local Origin origin = {"", 0, {}};

}  // namespace

void set_last_error(cudaError_t error, const char *launch) {
  last_error() = error;
  if (current != nullptr) {
    current_block->launch_failed = true;
    return;
  }
  std::snprintf(origin.launch, sizeof origin.launch, "%s", launch);
  origin.frames = backtrace(origin.frame, sizeof origin.frame / sizeof *origin.frame);
}

cudaError_t fail(cudaError_t error) {
  set_last_error(error);
  return error;
}

// ---- launches that failed -----------------------------------------------------------------------

namespace {

// Of any host thread: the kernel that crashes may run on another one.
std::mutex refusal_mutex;
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

cudaError_t refuse(const Launch &launch, cudaError_t error) {
  const std::string text = std::string("kernel ") + launch.name + "<<<" + extent(launch.grid) +
                           ", " + extent(launch.block) + ">>>" + reason(launch);
  set_last_error(error, text.c_str());
  if (current != nullptr) return error;
  const std::lock_guard<std::mutex> guard(refusal_mutex);
  std::snprintf(kept, sizeof kept, "%s (%s)", text.c_str(), cudaGetErrorString(error));
  pending = true;
  return error;
}

const char *pending_refusal() { return pending ? kept : nullptr; }

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaPeekAtLastError(void) { return last_error(); }

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  if (current == nullptr) pending = false;
  return error;
}

const char *cudaGetErrorName(cudaError_t error) {
  const ErrorText *const known = find(error);
  return known != nullptr ? known->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const ErrorText *const known = find(error);
  return known != nullptr ? known->text : "unrecognized error code";
}

void cuda_cpu_error_origin(char *text, size_t size) {
  const std::string line = line_of_user(origin.frame, origin.frames, nullptr);
  std::snprintf(text, size, "%s%s%s", origin.launch, origin.launch[0] != '\0' ? ", " : "",
                line.c_str());
}

}  // extern "C"
