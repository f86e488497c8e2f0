// The warp collectives: what the lanes named in a mask compute together.
#ifndef CUDA_CPU_WARP_H
#define CUDA_CPU_WARP_H

#include <cstdint>

namespace cuda_cpu {

enum WarpOperation {
  kSyncWarp,
  kShuffle,
  kShuffleUp,
  kShuffleDown,
  kShuffleXor,  // argument: shuffle_argument()
  kBallot,
  kAny,
  kAll,  // value: the predicate
  kMatchAny,
  kMatchAll,
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceMinSigned,
  kReduceMaxSigned,
  kReduceAnd,
  kReduceOr,
  kReduceXor,
};

// Lane or distance, and the width of the segments that a shuffle stays in.
inline int shuffle_argument(int lane_or_distance, int width) {
  return (lane_or_distance & 31) | width << 8;
}

// The scalar model of every collective. Lane l takes part if bit l of `mask` is set; it brings
// value[l] and argument[l] and gets result[l]. Example: kBallot, mask 0b0111, values [1 0 1 -]:
// results [0b101 0b101 0b101 -].
void warp_results(int operation, unsigned mask, const std::uint64_t value[32],
                  const int argument[32], std::uint64_t result[32]);

}  // namespace cuda_cpu
#endif
