// Warp collectives: shuffles, votes, matches, reductions, __syncwarp, __activemask.
#ifndef CUDA_CPU_WARP_H
#define CUDA_CPU_WARP_H

#include <cuda_cpu/barrier.h>
#include <cuda_cpu/bits.h>

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

// The running thread has called a collective of its warp. Returns what runs until all lanes of
// `mask` that have not returned have called the same operation, as come_to_barrier() does; then
// current->value is the calling lane's result (src/warp/warp.cpp). `value` travels as bits.
Target come_to_collective(int operation, const Site *site, unsigned mask, std::uint64_t value,
                          int argument);
std::uint64_t wait_in_collective(int operation, const Site *site, unsigned mask,
                                 std::uint64_t value, int argument);
CUDA_CPU_HOT std::uint64_t warp_collective(int operation, const Site *site, unsigned mask,
                                           std::uint64_t value, int argument) {
#if CUDA_CPU_SWITCH_INLINE
  Thread *const self = current;
  const Target next = come_to_collective(operation, site, mask, value, argument);
  if (next.stack != nullptr) switch_here(&self->stack, next);
  return self->value;
#else
  return wait_in_collective(operation, site, mask, value, argument);
#endif
}
unsigned active_mask(const Site *site);

inline void sync_warp(const Site *site, unsigned mask = 0xffffffffu) {
  warp_collective(kSyncWarp, site, mask, 0, 0);
}
template <class T>
T shuffle(int operation, const Site *site, unsigned mask, T value, int lane_or_distance,
          int width = 32) {
  // Distances beyond the segment leave the value where it is; 5 bits would wrap them.
  if ((operation == kShuffleUp || operation == kShuffleDown) && lane_or_distance >= 32)
    lane_or_distance = 0;
  const int argument = shuffle_argument(lane_or_distance, width);
  return from_bits<T>(warp_collective(operation, site, mask, to_bits(value), argument));
}
inline unsigned vote(int operation, const Site *site, unsigned mask, bool predicate) {
  return static_cast<unsigned>(warp_collective(operation, site, mask, predicate, 0));
}
template <class T>
unsigned match(int operation, const Site *site, unsigned mask, T value, int *all_equal) {
  const unsigned lanes =
      static_cast<unsigned>(warp_collective(operation, site, mask, to_bits(value), 0));
  if (all_equal != nullptr) *all_equal = lanes != 0;
  return lanes;
}
// Overloads, as in CUDA, so that smaller types are promoted to int.
inline unsigned reduce(int if_unsigned, int, const Site *site, unsigned mask, unsigned value) {
  return static_cast<unsigned>(warp_collective(if_unsigned, site, mask, value, 0));
}
inline int reduce(int, int if_signed, const Site *site, unsigned mask, int value) {
  return from_bits<int>(warp_collective(if_signed, site, mask, to_bits(value), 0));
}

}  // namespace cuda_cpu

// __syncwarp() takes an optional mask, hence the function behind it.
#define __syncwarp(...) cuda_cpu::sync_warp(CUDA_CPU_SITE("__syncwarp") __VA_OPT__(, ) __VA_ARGS__)
#define __activemask() cuda_cpu::active_mask(CUDA_CPU_SITE("__activemask"))
#define __shfl_sync(mask, value, ...) \
  cuda_cpu::shuffle(cuda_cpu::kShuffle, CUDA_CPU_SITE("__shfl_sync"), mask, value, __VA_ARGS__)
#define __shfl_up_sync(mask, value, ...) \
  cuda_cpu::shuffle(cuda_cpu::kShuffleUp, CUDA_CPU_SITE("__shfl_up_sync"), mask, value, __VA_ARGS__)
#define __shfl_down_sync(mask, value, ...)                                                  \
  cuda_cpu::shuffle(cuda_cpu::kShuffleDown, CUDA_CPU_SITE("__shfl_down_sync"), mask, value, \
                    __VA_ARGS__)
#define __shfl_xor_sync(mask, value, ...)                                                 \
  cuda_cpu::shuffle(cuda_cpu::kShuffleXor, CUDA_CPU_SITE("__shfl_xor_sync"), mask, value, \
                    __VA_ARGS__)
#define __ballot_sync(mask, ...) \
  cuda_cpu::vote(cuda_cpu::kBallot, CUDA_CPU_SITE("__ballot_sync"), mask, (__VA_ARGS__) != 0)
#define __any_sync(mask, ...) \
  ((int)cuda_cpu::vote(cuda_cpu::kAny, CUDA_CPU_SITE("__any_sync"), mask, (__VA_ARGS__) != 0))
#define __all_sync(mask, ...) \
  ((int)cuda_cpu::vote(cuda_cpu::kAll, CUDA_CPU_SITE("__all_sync"), mask, (__VA_ARGS__) != 0))
#define __match_any_sync(mask, value) \
  cuda_cpu::match(cuda_cpu::kMatchAny, CUDA_CPU_SITE("__match_any_sync"), mask, value, nullptr)
#define __match_all_sync(mask, value, p) \
  cuda_cpu::match(cuda_cpu::kMatchAll, CUDA_CPU_SITE("__match_all_sync"), mask, value, p)
#define __reduce_add_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceAdd, cuda_cpu::kReduceAdd, CUDA_CPU_SITE("__reduce_add_sync"), \
                   mask, value)
#define __reduce_min_sync(mask, value)                               \
  cuda_cpu::reduce(cuda_cpu::kReduceMin, cuda_cpu::kReduceMinSigned, \
                   CUDA_CPU_SITE("__reduce_min_sync"), mask, value)
#define __reduce_max_sync(mask, value)                               \
  cuda_cpu::reduce(cuda_cpu::kReduceMax, cuda_cpu::kReduceMaxSigned, \
                   CUDA_CPU_SITE("__reduce_max_sync"), mask, value)
#define __reduce_and_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceAnd, cuda_cpu::kReduceAnd, CUDA_CPU_SITE("__reduce_and_sync"), \
                   mask, value)
#define __reduce_or_sync(mask, value)                                                           \
  cuda_cpu::reduce(cuda_cpu::kReduceOr, cuda_cpu::kReduceOr, CUDA_CPU_SITE("__reduce_or_sync"), \
                   mask, value)
#define __reduce_xor_sync(mask, value)                                                             \
  cuda_cpu::reduce(cuda_cpu::kReduceXor, cuda_cpu::kReduceXor, CUDA_CPU_SITE("__reduce_xor_sync"), \
                   mask, value)

// What GPUs since Volta have no more.
#define CUDA_CPU_GONE(name)                                                              \
  template <class... A>                                                                  \
  __attribute__((error(#name " is gone since Volta: " #name                              \
                             "_sync has the mask of the lanes in front, 0xffffffff for " \
                             "whole warps"))) int                                        \
  name(A...);
CUDA_CPU_GONE(__shfl)
CUDA_CPU_GONE(__shfl_up)
CUDA_CPU_GONE(__shfl_down)
CUDA_CPU_GONE(__shfl_xor)
CUDA_CPU_GONE(__ballot)
CUDA_CPU_GONE(__any)
CUDA_CPU_GONE(__all)
#undef CUDA_CPU_GONE

#endif
