// The scalar model of the warp collectives.
#include "warp_results.h"

#include <cuda_cpu/warp.h>

#include <algorithm>

#include "settings.h"

namespace cuda_cpu {

namespace {

// Result of a shuffle whose source lane takes no part. CUDA leaves it undefined. Some programs,
// such as cuda-samples' reduction, need 0; in shuffled order it is a value that shows.
std::uint64_t undefined() { return settings().shuffle ? 0xdeadbeefdeadbeefULL : 0; }

int shuffle_source(int operation, int lane, int argument) {
  const int distance = argument & 31, width = argument >> 8;
  const int first = lane & ~(width - 1), last = first + width - 1;
  switch (operation) {
    case kShuffle:
      return first + (distance & (width - 1));
    case kShuffleUp:
      return lane - distance < first ? lane : lane - distance;
    case kShuffleDown:
      return lane + distance > last ? lane : lane + distance;
    default:
      return (lane ^ distance) > last ? lane : lane ^ distance;  // kShuffleXor
  }
}

std::uint64_t combine(int operation, std::uint64_t a, std::uint64_t b) {
  const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  const int sa = static_cast<int>(ua), sb = static_cast<int>(ub);
  switch (operation) {
    case kReduceAdd:
      return ua + ub;
    case kReduceMin:
      return std::min(ua, ub);
    case kReduceMax:
      return std::max(ua, ub);
    case kReduceMinSigned:
      return static_cast<unsigned>(std::min(sa, sb));
    case kReduceMaxSigned:
      return static_cast<unsigned>(std::max(sa, sb));
    case kReduceAnd:
      return ua & ub;
    case kReduceOr:
      return ua | ub;
    default:
      return ua ^ ub;  // kReduceXor
  }
}

}  // namespace

void warp_results(int operation, unsigned mask, const std::uint64_t value[32],
                  const int argument[32], std::uint64_t result[32]) {
  const auto takes_part = [mask](int lane) { return (mask >> lane & 1u) != 0; };
  const auto for_each_lane = [&](auto visit) {
    for (unsigned left = mask; left != 0; left &= left - 1) visit(__builtin_ctz(left));
  };
  switch (operation) {
    case kSyncWarp:
      return;
    case kShuffle:
    case kShuffleUp:
    case kShuffleDown:
    case kShuffleXor:
      for_each_lane([&](int lane) {
        const int source = shuffle_source(operation, lane, argument[lane]);
        result[lane] = takes_part(source) ? value[source] : undefined();
      });
      return;
    case kMatchAny:
      for_each_lane([&](int lane) {
        result[lane] = 0;
        for_each_lane([&](int other) {
          if (value[other] == value[lane]) result[lane] |= 1ULL << other;
        });
      });
      return;
    default:
      break;
  }
  // The others have one result for all lanes.
  const int first = __builtin_ctz(mask);
  unsigned truths = 0;
  bool equal = true;
  std::uint64_t combined = value[first];
  for_each_lane([&](int lane) {
    if (value[lane] != 0) truths |= 1u << lane;
    equal = equal && value[lane] == value[first];
    if (lane != first) combined = combine(operation, combined, value[lane]);
  });
  std::uint64_t common = combined;
  if (operation == kBallot) common = truths;
  if (operation == kAny) common = truths != 0;
  if (operation == kAll) common = truths == mask;
  if (operation == kMatchAll) common = equal ? mask : 0;
  for_each_lane([&](int lane) { result[lane] = common; });
}

}  // namespace cuda_cpu
