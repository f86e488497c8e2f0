// Shuffles up that need not wait.
#ifndef CUDA_CPU_EARLY_SHUFFLES_H
#define CUDA_CPU_EARLY_SHUFFLES_H

#include <cstdint>
#include <cstring>

namespace cuda_cpu {

struct Site;

// Shuffles up, each from a lane to a later one. In a wave the lanes of a warp run in index order,
// so that the value which a lane needs is there when it comes: it takes it and goes on without
// waiting. CUDA allows that, since shuffles do not order memory. Lane 0 opens an entry, the others
// go through all entries in the same order, also when the wave has ended.
struct EarlyShuffles {
  static constexpr unsigned kMost = 16;
  unsigned length = 0;     // entries
  unsigned warp = 0;       // of which they are, if there are any
  unsigned last = 0;       // lane of that warp
  unsigned waiting = 0;    // lanes that wait for another one's value
  unsigned done[32] = {};  // entries that each lane has gone through
  // Of each entry: the call, and the values that lanes have left.
  const Site *site[kMost];
  unsigned mask[kMost];
  std::uint64_t values[kMost][32];
  void clear() {
    length = waiting = 0;
    std::memset(done, 0, sizeof done);
  }
  // The lanes that have gone through an entry.
  unsigned came(unsigned entry) const {
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 32; lane++) lanes |= (done[lane] > entry ? 1u : 0u) << lane;
    return lanes;
  }
};

// The lane whose value a shuffle up gives to `lane`; argument: shuffle_argument() (warp.h).
inline unsigned lane_above(unsigned lane, int argument) {
  const unsigned distance = argument & 31, width = static_cast<unsigned>(argument) >> 8;
  return (lane & (width - 1)) >= distance ? lane - distance : lane;
}

}  // namespace cuda_cpu
#endif
