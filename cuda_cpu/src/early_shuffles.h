// Shuffles up that need not wait.
#ifndef CUDA_CPU_EARLY_SHUFFLES_H
#define CUDA_CPU_EARLY_SHUFFLES_H

#include <cuda_cpu/thread.h>

#include <cstdint>
#include <cstring>

namespace cuda_cpu {

struct BlockState;

// Shuffles up, each from a lane to a later one. In a wave the lanes of a warp run in index order,
// so that the value which a lane needs is there when it comes: it takes it and goes on without
// waiting. CUDA allows that, since shuffles do not order memory. Lane 0 opens an entry, the others
// go through all entries in the same order, also when the wave has ended.
struct EarlyShuffles {
  static constexpr unsigned kMost = 16;
  unsigned length = 0;          // entries
  unsigned warp = 0;            // of which they are, if there are any
  unsigned last = 0;            // lane of that warp
  unsigned waiting = 0;         // lanes that wait for another one's value
  unsigned char done[32] = {};  // entries that each lane has gone through
  // Of each entry: the call, the lanes that have left their values, and these.
  const Site *site[kMost];
  unsigned mask[kMost], came[kMost];
  std::uint64_t values[kMost][32];
  void clear() {
    length = waiting = 0;
    std::memset(done, 0, sizeof done);
  }
};

// Is there an early shuffle that lanes before the running thread have called, and it has not?
bool has_left_out_shuffle(const BlockState &block);
// The running thread calls the next one that it has not gone through.
std::uint64_t go_through(BlockState &block, const Site *site, std::uint64_t value, int argument);
// A lane of the warp with early shuffles has gone through one, or has returned.
void lane_passed(BlockState &block);

}  // namespace cuda_cpu
#endif
