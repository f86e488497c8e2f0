// Work in a stream that a program made is complete when its call returns, unless threads run in
// shuffled order (CUDA_CPU_RACECHECK): then it waits until the program waits for it, and the seed
// draws the order of work in streams that no event orders. So a result that is used too early, or
// by another stream, is the old one for some seeds.
#ifndef CUDA_CPU_DELAYED_H
#define CUDA_CPU_DELAYED_H

#include <cstdint>
#include <deque>
#include <memory>

#include "../graphs/graph.h"
#include "../diagnosis/settings.h"

namespace cuda_cpu {

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

// Adds work, or does it: at once in the legacy stream, after all blocking ones.
cudaError_t delay_or_run(cudaStream_t stream, Work work);
// What is added from now on begins when the point is passed.
cudaError_t delay_until(cudaStream_t stream, const StreamPoint &point);
// The present end of a stream that has had work.
StreamPoint end_of(const CUstream_st &stream);
// Does all work of a stream, or all up to a point. Returns the first error.
cudaError_t finish_stream(cudaStream_t stream);
cudaError_t finish_until(const StreamPoint &point);
// ... of all streams.
cudaError_t finish_all_streams();

// Is work delayed? Not that of kernels.
inline bool delays() { return settings().shuffle; }

}  // namespace cuda_cpu
#endif
