#include "delayed.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "../launch/racecheck.h"
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

std::vector<StreamPoint> ends(bool blocking_only) {
  all.erase(std::remove_if(all.begin(), all.end(), [](const auto &d) { return d.expired(); }),
            all.end());
  std::vector<StreamPoint> found;
  for (const auto &one : all)
    if (const std::shared_ptr<Delayed> stream = one.lock())
      if (stream->blocking || !blocking_only) found.push_back({stream, UINT64_MAX});
  return found;
}

// Is there work in front of the point that is not running?
bool has_work(const StreamPoint &point) {
  const Delayed &stream = *point.stream;
  return !stream.runs && !stream.work.empty() && stream.first < point.end;
}
bool is_passed(const StreamPoint &point) {
  return point.stream == nullptr || point.stream->first >= point.end;
}

// The streams that can go on, so that `points` are passed.
std::vector<std::shared_ptr<Delayed>> find_ready(std::vector<StreamPoint> points) {
  std::vector<std::shared_ptr<Delayed>> ready;
  for (std::size_t i = 0; i < points.size(); i++) {
    if (!has_work(points[i])) continue;
    const StreamPoint awaited = points[i].stream->work.front().awaited;
    if (is_passed(awaited))
      ready.push_back(points[i].stream);
    else
      points.push_back(awaited);
  }
  return ready;
}

cudaError_t run_next(Delayed &stream) {
  const Work work = std::move(stream.work.front().work);
  stream.runs = true;
  const cudaError_t error = work();
  stream.runs = false;
  stream.work.pop_front();
  stream.first++;
  return error;
}

// Runs until all points are passed, but for those in a stream that is running: a host function
// asks. The seed draws which stream goes on, whether it stays the same one, and whether streams
// that are not needed go on, too.
cudaError_t finish(const std::vector<StreamPoint> &points) {
  static Random draw = {settings().seed};
  const bool by_turns = draw.below(2) == 0, others = draw.below(2) == 0;
  cudaError_t first = cudaSuccess;
  std::shared_ptr<Delayed> last;
  for (;;) {
    std::vector<std::shared_ptr<Delayed>> ready = find_ready(points);
    if (ready.empty()) return first;
    if (others) ready = find_ready(ends(false));
    if (by_turns || std::find(ready.begin(), ready.end(), last) == ready.end())
      last = ready[draw.below(static_cast<unsigned>(ready.size()))];
    const cudaError_t error = run_next(*last);
    if (first == cudaSuccess) first = error;
  }
}

}  // namespace

cudaError_t delay_or_run(cudaStream_t handle, Work work) {
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  if (stream == nullptr) {
    const cudaError_t error = finish(ends(true));
    return error == cudaSuccess ? work() : error;
  }
  delayed_of(stream).work.push_back({std::move(work), {}});
  return cudaSuccess;
}

cudaError_t delay_until(cudaStream_t handle, const StreamPoint &point) {
  if (point.stream == nullptr) return cudaSuccess;
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  if (stream == nullptr) return finish_until(point);
  delayed_of(stream).work.push_back({[] { return cudaSuccess; }, point});
  return cudaSuccess;
}

cudaError_t finish_until(const StreamPoint &point) {
  if (point.stream == nullptr) return cudaSuccess;
  const Guard guard(mutex);
  return finish({point});
}

cudaError_t finish_stream(cudaStream_t handle) {
  if (!delays()) return cudaSuccess;
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  return stream == nullptr ? finish(ends(true)) : finish_until({stream->delayed, UINT64_MAX});
}

cudaError_t finish_all_streams() {
  if (!delays()) return cudaSuccess;
  const Guard guard(mutex);
  return finish(ends(false));
}

StreamPoint end_of(const CUstream_st &stream) {
  const Guard guard(mutex);
  return {stream.delayed, stream.delayed->first + stream.delayed->work.size()};
}

}  // namespace cuda_cpu
