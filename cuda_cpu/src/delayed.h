// Work in a stream that a program made is complete when its call returns, unless threads run in
// shuffled order (CUDA_CPU_RACECHECK): then it waits until the program waits for it. So a result
// that is used too early, or by another stream, is the old one.
#ifndef CUDA_CPU_DELAYED_H
#define CUDA_CPU_DELAYED_H

#include <cstdint>
#include <deque>
#include <memory>

#include "graph.h"
#include "settings.h"

namespace cuda_cpu {

// Work of one stream, in its order. Shared with the events that were recorded in it.
struct Delayed {
  std::deque<Work> work;
  std::uint64_t first = 0;  // number of work[0], counted from the stream's beginning
  bool blocking = true;     // the legacy stream waits for it
  bool runs = false;        // now
};

// Adds work, or does it: at once in the legacy stream, after all blocking ones.
cudaError_t delay_or_run(cudaStream_t stream, Work work);
// Does all work of a stream, or all but what was added after `end`. Returns the first error.
cudaError_t finish_stream(cudaStream_t stream);
cudaError_t finish_delayed(const std::shared_ptr<Delayed> &delayed, std::uint64_t end);
// ... of all streams.
cudaError_t finish_all_streams();

// Is work delayed? Not that of kernels.
inline bool delays() { return settings().shuffle; }

}  // namespace cuda_cpu
#endif
