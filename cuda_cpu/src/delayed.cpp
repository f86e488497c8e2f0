#include "delayed.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "streams.h"

namespace cuda_cpu {

namespace {

// Recursive: a host function in a stream may make calls that finish others.
std::recursive_mutex mutex;
std::vector<std::weak_ptr<Delayed>> all;  // that had work once
using Guard = std::lock_guard<std::recursive_mutex>;

Delayed &delayed_of(CUstream_st *stream) {
  if (stream->delayed == nullptr) {
    stream->delayed = std::make_shared<Delayed>();
    stream->delayed->blocking = stream->blocking;
    all.push_back(stream->delayed);
  }
  return *stream->delayed;
}

cudaError_t finish_some(bool blocking_only) {
  cudaError_t first = cudaSuccess;
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto &d) { return d.expired(); }),
            all.end());
  const std::vector<std::weak_ptr<Delayed>> now = all;
  for (const auto &one : now) {
    const std::shared_ptr<Delayed> delayed = one.lock();
    if (delayed == nullptr || (blocking_only && !delayed->blocking)) continue;
    const cudaError_t error = finish_delayed(delayed, UINT64_MAX);
    if (first == cudaSuccess) first = error;
  }
  return first;
}

}  // namespace

cudaError_t delay_or_run(cudaStream_t handle, Work work) {
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  if (stream == nullptr) {
    const cudaError_t error = finish_some(true);
    return error == cudaSuccess ? work() : error;
  }
  delayed_of(stream).work.push_back(std::move(work));
  return cudaSuccess;
}

cudaError_t finish_delayed(const std::shared_ptr<Delayed> &delayed, std::uint64_t end) {
  if (delayed == nullptr) return cudaSuccess;
  const Guard guard(mutex);
  if (delayed->runs) return cudaSuccess;  // a host function of this stream asks
  cudaError_t first = cudaSuccess;
  delayed->runs = true;
  while (!delayed->work.empty() && delayed->first < end) {
    const Work work = std::move(delayed->work.front());
    delayed->work.pop_front();
    delayed->first++;
    const cudaError_t error = work();
    if (first == cudaSuccess) first = error;
  }
  delayed->runs = false;
  return first;
}

cudaError_t finish_stream(cudaStream_t handle) {
  if (!delays()) return cudaSuccess;
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  return stream == nullptr ? finish_some(true) : finish_delayed(stream->delayed, UINT64_MAX);
}

cudaError_t finish_all_streams() {
  if (!delays()) return cudaSuccess;
  const Guard guard(mutex);
  return finish_some(false);
}

}  // namespace cuda_cpu
