// Streams, events, and work for a stream: done at once, delayed or, while the stream captures,
// recorded.
//
// Work in a stream that a program made is complete when its call returns, unless threads run in
// shuffled order (CUDA_CPU_RACECHECK): then it waits until the program waits for it, and the seed
// draws the order of work in streams that no event orders. So a result that is used too early, or
// by another stream, is the old one for some seeds.
#ifndef CUDA_CPU_STREAMS_H
#define CUDA_CPU_STREAMS_H

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "../diagnosis/settings.h"

namespace cuda_cpu {

using Work = std::function<cudaError_t()>;
using Nodes = std::vector<cudaGraphNode_t>;
struct Capture;  // ../graphs/capture.cpp

struct Delayed;
// A point among a stream's work, by the number of the work behind it.
struct StreamPoint {
  std::shared_ptr<Delayed> stream{};  // null: none
  std::uint64_t end = 0;
};

// Work of one stream, in its order. Shared with the events that were recorded in it.
struct Delayed {
  struct Item {
    Work work;
    StreamPoint awaited;  // this point has to be passed first
  };
  std::deque<Item> work;
  std::uint64_t first = 0;  // number of work[0], counted from the stream's beginning
  bool blocking = true;     // the legacy stream waits for it
  bool runs = false;        // work[0], now
};

}  // namespace cuda_cpu

struct CUstream_st {
  bool blocking = true;                        // waits for the legacy stream
  int priority = 0;                            // which is told, and has no effect
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

// False for the legacy stream and others without an object.
bool is_object(cudaStream_t stream);
// cudaStreamPerThread's object for it; null for streams that have none.
CUstream_st *object_of(cudaStream_t stream);

// ---- captures -----------------------------------------------------------------------------------

// What a capture makes of calls. Each may fail, and then sets the last error.
struct Captures {
  virtual bool has(cudaStream_t stream) = 0;
  // Records the work if the stream captures, otherwise does it.
  virtual cudaError_t record_or_run(cudaStream_t stream, cudaGraphNodeType type, Work work) = 0;
  // After a mistake in a capturing stream.
  virtual void invalidate(cudaStream_t stream) = 0;
  // The stream is about to be destroyed: ends its capture.
  virtual void leave(cudaStream_t stream) = 0;
  // Calls that wait for a stream invalidate its capture and fail; null is the legacy stream. For
  // another stream the same as refuse_unsafe().
  virtual cudaError_t refuse_waiting(cudaStream_t stream) = 0;
  // ... those that wait for the device do so with every capture.
  virtual cudaError_t refuse_waiting_for_all() = 0;
  // ... those that may wait for it, such as cudaMalloc, unless the capture's mode allows it.
  virtual cudaError_t refuse_unsafe() = 0;
  // Calls with an event. False: not of a capture, to go on as usual.
  virtual bool records(cudaEvent_t event, cudaStream_t stream, cudaError_t *error) = 0;
  virtual cudaError_t wait(cudaStream_t stream, cudaEvent_t event) = 0;
  virtual void invalidate(cudaEvent_t event) = 0;

 protected:
  ~Captures() = default;
};
extern std::atomic<Captures *> captures;  // null while no stream captures

inline bool is_capturing(cudaStream_t stream) {
  Captures *const present = captures;
  return present != nullptr && present->has(stream);
}
inline cudaError_t refuse_while_capturing(cudaStream_t stream) {
  Captures *const present = captures;
  return present == nullptr ? cudaSuccess : present->refuse_waiting(stream);
}
inline cudaError_t refuse_unsafe() {
  Captures *const present = captures;
  return present == nullptr ? cudaSuccess : present->refuse_unsafe();
}

// While one lives, this thread makes a node of a graph: a kernel may be given memory that its graph
// will have allocated when it runs.
struct AddingNode {
  AddingNode();
  ~AddingNode();
  AddingNode(const AddingNode &) = delete;
  AddingNode &operator=(const AddingNode &) = delete;
};
// Also true during a capture.
bool is_adding_node();

// ---- work ---------------------------------------------------------------------------------------

// Is work delayed? Not that of kernels.
inline bool delays() { return settings().shuffle; }
// Adds work, or does it: at once in the legacy stream, after all blocking ones.
cudaError_t delay_or_run(cudaStream_t stream, Work work);
// Does all work of a stream, or of all streams. Returns the first error.
cudaError_t finish_stream(cudaStream_t stream);
cudaError_t finish_all_streams();

template <class F>
cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type, F work) {
  if (Captures *const present = captures.load(std::memory_order_relaxed))
    return present->record_or_run(stream, type, work);
  return delays() ? delay_or_run(stream, work) : work();
}

}  // namespace cuda_cpu
#endif
