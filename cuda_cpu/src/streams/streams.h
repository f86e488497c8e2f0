// Streams, events, and work for a stream: done at once or, while the stream captures, recorded.
#ifndef CUDA_CPU_STREAMS_H
#define CUDA_CPU_STREAMS_H

#include <atomic>
#include <ctime>
#include <memory>
#include <thread>

#include "delayed.h"
#include "../graphs/graph.h"

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

}  // namespace cuda_cpu

struct CUstream_st {
  bool blocking = true;                        // waits for the legacy stream
  std::shared_ptr<cuda_cpu::Capture> capture;  // null: none
  cuda_cpu::Nodes last;                        // nodes that the next one in this stream depends on
  std::shared_ptr<cuda_cpu::Delayed> delayed;  // null: none yet
};

struct CUevent_st {
  bool recorded, timed;
  timespec when;
  std::shared_ptr<cuda_cpu::Capture> capture;  // if last recorded in a capturing stream
  cuda_cpu::Nodes last;
  cuda_cpu::StreamPoint point;  // where it was recorded last, if work is delayed
};

namespace cuda_cpu {

extern std::atomic<int> captures;  // that have begun and not ended

// False for the legacy stream and others without an object.
bool is_object(cudaStream_t stream);
// cudaStreamPerThread's object for it; null for streams that have none.
CUstream_st *object_of(cudaStream_t stream);

// The same in a capture: records the work, or refuses it. `memory` is a memory node's.
cudaError_t record_or_run(cudaStream_t stream, cudaGraphNodeType type, Work work,
                          const GraphMemoryRef &memory = nullptr);
bool is_capturing(cudaStream_t stream);
// After a mistake in a capturing stream.
void invalidate_capture(cudaStream_t stream);
// The stream is about to be destroyed: ends its capture.
void leave_capture(cudaStream_t stream);
// Calls that wait for a stream invalidate its capture and fail; null is the legacy stream. For
// another stream the same as refuse_unsafe().
cudaError_t refuse_while_capturing(cudaStream_t stream);
// ... those that wait for the device do so with every capture.
cudaError_t refuse_during_captures();
// ... those that may wait for it, such as cudaMalloc, unless the capture's mode allows it.
cudaError_t refuse_unsafe();

template <class F>
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, F work) {
  if (captures.load(std::memory_order_relaxed) != 0) return record_or_run(stream, type, work);
  return delays() ? delay_or_run(stream, work) : work();
}

}  // namespace cuda_cpu
#endif
