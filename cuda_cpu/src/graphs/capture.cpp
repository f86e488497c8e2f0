// Stream capture: calls in a capturing stream become nodes of a graph.
#include <algorithm>
#include <mutex>
#include <thread>

#include <cuda_cpu/errors.h>

#include "graph.h"

namespace cuda_cpu {

// One capture, shared by its streams and by events that were recorded in them.
struct Capture {
  unsigned long long id;
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;  // that began it
  std::unique_ptr<CUgraph_st> graph = std::make_unique<CUgraph_st>();
  bool invalid = false;  // by a call that a capturing stream forbids
};

namespace {

std::recursive_mutex mutex;  // of all captures
std::vector<std::shared_ptr<Capture>> active;
unsigned long long next_id = 1;
thread_local cudaStreamCaptureMode mode_of_this_thread = cudaStreamCaptureModeGlobal;
using Guard = std::lock_guard<std::recursive_mutex>;

void end(const std::shared_ptr<Capture> &capture) {
  active.erase(std::remove(active.begin(), active.end(), capture), active.end());
  if (active.empty()) captures = nullptr;
}

bool is_active(const std::shared_ptr<Capture> &capture) {
  return std::find(active.begin(), active.end(), capture) != active.end();
}

// The stream's capture, or null. Forgets one that has ended in its origin.
Capture *capture_of(CUstream_st *stream) {
  if (stream == nullptr || stream->capture == nullptr) return nullptr;
  if (!is_active(stream->capture)) {
    stream->capture = nullptr;
    stream->last.clear();
  }
  return stream->capture.get();
}

// The legacy stream waits for all blocking streams, which is impossible while one captures.
cudaError_t refuse_legacy() {
  cudaError_t error = cudaSuccess;
  for (const auto &capture : active)
    if (object_of(capture->origin)->blocking) {
      capture->invalid = true;
      error = fail(cudaErrorStreamCaptureImplicit);
    }
  return error;
}

struct : Captures {
  bool has(cudaStream_t stream) override {
    const Guard guard(mutex);
    return capture_of(object_of(stream)) != nullptr;
  }

  cudaError_t record_or_run(cudaStream_t stream, cudaGraphNodeType type, Work work) override {
    return record_memory_or_run(stream, type, std::move(work), nullptr);
  }

  cudaError_t refuse_waiting(cudaStream_t handle) override {
    const Guard guard(mutex);
    CUstream_st *const stream = object_of(handle);
    if (stream == nullptr) return refuse_legacy();
    Capture *const capture = capture_of(stream);
    if (capture == nullptr) return refuse_unsafe();
    capture->invalid = true;
    return fail(cudaErrorStreamCaptureUnsupported);
  }

  void invalidate(cudaStream_t stream) override {
    const Guard guard(mutex);
    if (Capture *const capture = capture_of(object_of(stream))) capture->invalid = true;
  }

  void leave(cudaStream_t stream) override {
    const Guard guard(mutex);
    if (capture_of(stream) != nullptr && stream->capture->origin == stream) end(stream->capture);
  }

  cudaError_t refuse_waiting_for_all() override {
    const Guard guard(mutex);
    for (const auto &capture : active) capture->invalid = true;
    return fail(cudaErrorStreamCaptureUnsupported);
  }

  cudaError_t refuse_unsafe() override {
    if (mode_of_this_thread == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    const Guard guard(mutex);
    cudaError_t error = cudaSuccess;
    for (const auto &capture : active) {
      const bool matters = capture->mode == cudaStreamCaptureModeGlobal
                               ? mode_of_this_thread == cudaStreamCaptureModeGlobal
                               : capture->mode == cudaStreamCaptureModeThreadLocal &&
                                     capture->thread == std::this_thread::get_id();
      if (!matters) continue;
      capture->invalid = true;
      error = fail(cudaErrorStreamCaptureUnsupported);
    }
    return error;
  }

  // ---- events carry a capture from stream to stream

  bool records(cudaEvent_t event, cudaStream_t handle, cudaError_t *error) override {
    const Guard guard(mutex);
    CUstream_st *const stream = object_of(handle);
    const Capture *const capture = capture_of(stream);
    if (capture == nullptr) return stream == nullptr && (*error = refuse_legacy()) != cudaSuccess;
    if (capture->invalid) {
      *error = fail(cudaErrorStreamCaptureInvalidated);
    } else {
      event->capture = stream->capture;
      event->last = stream->last;
    }
    return true;
  }

  cudaError_t wait(cudaStream_t handle, cudaEvent_t event) override {
    const Guard guard(mutex);
    CUstream_st *const stream = object_of(handle);
    if (event->capture == nullptr || !is_active(event->capture)) {
      if (stream == nullptr) return refuse_legacy();
      if (capture_of(stream) == nullptr || !event->recorded) return cudaSuccess;
      stream->capture->invalid = true;
      return fail(cudaErrorStreamCaptureIsolation);
    }
    if (event->capture->invalid) return fail(cudaErrorStreamCaptureInvalidated);
    if (stream == nullptr) {  // the legacy stream cannot join
      event->capture->invalid = true;
      return fail(cudaErrorStreamCaptureImplicit);
    }
    if (capture_of(stream) != nullptr && stream->capture != event->capture) {
      stream->capture->invalid = event->capture->invalid = true;
      return fail(cudaErrorStreamCaptureMerge);
    }
    stream->capture = event->capture;
    for (const cudaGraphNode_t node : event->last)
      if (std::find(stream->last.begin(), stream->last.end(), node) == stream->last.end())
        stream->last.push_back(node);
    return cudaSuccess;
  }

  void invalidate(cudaEvent_t event) override {
    const Guard guard(mutex);
    if (is_active(event->capture))
      event->capture->invalid = true;  // as an H100 with CUDA 13.0 does
  }
} all_captures;

}  // namespace

cudaError_t record_memory_or_run(cudaStream_t handle, cudaGraphNodeType type, Work work,
                                 const GraphMemoryRef &memory) {
  {
    const Guard guard(mutex);
    CUstream_st *const stream = object_of(handle);
    if (Capture *const capture = capture_of(stream)) {
      if (capture->invalid) return fail(cudaErrorStreamCaptureInvalidated);
      stream->last = {add_node(capture->graph.get(), type, stream->last, std::move(work))};
      stream->last[0]->memory = memory;
      return cudaSuccess;
    }
    if (stream == nullptr)
      if (const cudaError_t error = refuse_legacy()) return error;
  }
  return work();
}

}  // namespace cuda_cpu

using namespace cuda_cpu;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  CUstream_st *const stream = object_of(handle);
  if (stream == nullptr) return fail(cudaErrorStreamCaptureUnsupported);
  (void)finish_stream(handle);
  if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed)
    return fail(cudaErrorInvalidValue);
  const Guard guard(mutex);
  if (capture_of(stream) != nullptr) return fail(cudaErrorIllegalState);
  stream->capture = std::make_shared<Capture>();
  stream->capture->id = next_id++;
  stream->capture->origin = handle;
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  active.push_back(stream->capture);
  captures = &all_captures;
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *graph) {
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  Capture *const capture = capture_of(stream);
  *graph = nullptr;
  if (capture == nullptr) return fail(cudaErrorIllegalState);
  if (capture->origin != handle) {
    capture->invalid = true;
    return fail(cudaErrorStreamCaptureUnmatched);
  }
  // Every other node must lead to the origin's last ones.
  Nodes joined = stream->last;
  for (std::size_t i = 0; i < joined.size(); i++)
    for (const cudaGraphNode_t node : joined[i]->dependencies)
      if (std::find(joined.begin(), joined.end(), node) == joined.end()) joined.push_back(node);
  const std::shared_ptr<Capture> ended = stream->capture;
  stream->capture = nullptr;
  stream->last.clear();
  end(ended);
  if (ended->invalid) return fail(cudaErrorStreamCaptureInvalidated);
  if (joined.size() != ended->graph->nodes.size()) return fail(cudaErrorStreamCaptureUnjoined);
  *graph = ended->graph.release();
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **dependencies, size_t *count) {
  const Guard guard(mutex);
  CUstream_st *const stream = object_of(handle);
  const Capture *const capture = capture_of(stream);
  *status = capture == nullptr ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  if (capture == nullptr) return cudaSuccess;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph.get();
  if (dependencies != nullptr) *dependencies = stream->last.data();
  if (count != nullptr) *count = stream->last.size();
  return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  std::swap(mode_of_this_thread, *mode);
  return cudaSuccess;
}

}  // extern "C"
