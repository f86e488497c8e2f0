// Streams, events and delayed work. A stream holds only its delayed work and its capture.
#include "streams.h"

#include <algorithm>
#include <mutex>

#include <cuda_cpu/errors.h>

#include "../diagnosis/diagnose.h"

namespace cuda_cpu {

std::atomic<Captures *> captures{nullptr};

static thread_local int nodes_being_added = 0;
AddingNode::AddingNode() { nodes_being_added++; }
AddingNode::~AddingNode() { nodes_being_added--; }
bool is_adding_node() { return nodes_being_added > 0 || captures != nullptr; }

bool is_object(cudaStream_t stream) {
  // The streams that CUDA itself names are small numbers.
  return reinterpret_cast<std::uintptr_t>(stream) >
         reinterpret_cast<std::uintptr_t>(cudaStreamFireAndForget);
}

CUstream_st *object_of(cudaStream_t stream) {
  static thread_local CUstream_st of_this_thread;
  if (stream == cudaStreamPerThread) return &of_this_thread;
  return is_object(stream) ? stream : nullptr;
}

// ---- delayed work -------------------------------------------------------------------------------

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

// The present end of a stream that has had work.
StreamPoint end_of(const CUstream_st &stream) {
  const Guard guard(mutex);
  return {stream.delayed, stream.delayed->first + stream.delayed->work.size()};
}

cudaError_t finish_until(const StreamPoint &point) {
  if (point.stream == nullptr) return cudaSuccess;
  const Guard guard(mutex);
  return finish({point});
}

// What is added from now on begins when the point is passed.
cudaError_t delay_until(cudaStream_t handle, const StreamPoint &point) {
  if (point.stream == nullptr) return cudaSuccess;
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  if (stream == nullptr) return finish_until(point);
  delayed_of(stream).work.push_back({[] { return cudaSuccess; }, point});
  return cudaSuccess;
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

}  // namespace cuda_cpu

using namespace cuda_cpu;

namespace {
constexpr int kGreatestPriority = -5;  // a Hopper GPU's; the least is 0
}

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  if (stream == nullptr || (flags & ~cudaStreamNonBlocking) != 0)
    return fail(cudaErrorInvalidValue);
  *stream = new CUstream_st;
  (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority) {
  const cudaError_t error = cudaStreamCreateWithFlags(stream, flags);
  if (error == cudaSuccess) (*stream)->priority = std::clamp(priority, kGreatestPriority, 0);
  return error;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  const CUstream_st *const object = object_of(stream);
  *priority = object == nullptr ? 0 : object->priority;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = kGreatestPriority;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags) {
  if (callback == nullptr || flags != 0) return fail(cudaErrorInvalidValue);
  if (const cudaError_t error = refuse_while_capturing(stream)) return error;
  (void)finish_stream(stream);
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  if (function == nullptr) return fail(cudaErrorInvalidValue);
  return in_stream(stream, cudaGraphNodeTypeHost, [function, data] {
    function(data);
    return cudaSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_object(stream)) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_stream(stream);
  if (Captures *const present = captures) present->leave(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  refuse_in_kernel("cudaStreamSynchronize");
  return cudaStreamQuery(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const cudaError_t error = refuse_while_capturing(stream);
  return error == cudaSuccess ? finish_stream(stream) : error;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  constexpr unsigned int kInterprocess = 4;
  if (event == nullptr ||
      (flags & ~(cudaEventBlockingSync | cudaEventDisableTiming | kInterprocess)) != 0)
    return fail(cudaErrorInvalidValue);
  *event = new CUevent_st{};
  (*event)->timed = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  (void)finish_until(event->point);
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  event->capture = nullptr;
  cudaError_t error = cudaSuccess;
  Captures *const present = captures;
  if (present != nullptr && present->records(event, handle, &error)) return error;
  const auto stamp = [event] {
    event->recorded = true;
    clock_gettime(CLOCK_MONOTONIC, &event->when);
    return cudaSuccess;
  };
  const CUstream_st *const stream = object_of(handle);
  (void)finish_until(event->point);  // recorded before: the last time counts
  event->point = {};
  if (!delays() || stream == nullptr) {
    (void)finish_stream(handle);
    return stamp();
  }
  error = delay_or_run(handle, stamp);
  event->point = end_of(*stream);
  return error;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (flags > 1) return fail(cudaErrorInvalidValue);  // 1: cudaEventWaitExternal
  Captures *const present = captures;
  if (present == nullptr) return delay_until(stream, event->point);
  (void)finish_until(event->point);
  return present->wait(stream, event);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (event->capture == nullptr) {
    const cudaError_t error = refuse_unsafe();
    return error == cudaSuccess ? finish_until(event->point) : error;
  }
  if (Captures *const present = captures) present->invalidate(event);
  return fail(cudaErrorCapturedEvent);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return cudaEventQuery(event); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  if (flags > 1) return fail(cudaErrorInvalidValue);  // 1: cudaEventRecordExternal
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return fail(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr) return fail(cudaErrorInvalidResourceHandle);
  if (start->capture != nullptr || stop->capture != nullptr) return fail(cudaErrorCapturedEvent);
  if (!is_passed(start->point) || !is_passed(stop->point)) return fail(cudaErrorNotReady);
  if (!start->recorded || !stop->recorded || !start->timed || !stop->timed)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds =
      static_cast<float>(static_cast<double>(stop->when.tv_sec - start->when.tv_sec) * 1e3 +
                         static_cast<double>(stop->when.tv_nsec - start->when.tv_nsec) / 1e6);
  return cudaSuccess;
}

}  // extern "C"
