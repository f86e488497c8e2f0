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

void warp_results(int operation, unsigned lanes, Thread *threads) {
  const auto for_each_lane = [lanes](auto visit) {
    for (unsigned left = lanes; left != 0; left &= left - 1) visit(__builtin_ctz(left));
  };
  if (operation == kSyncWarp) return;
  std::uint64_t values[32] = {};
  for_each_lane([&](int lane) { values[lane] = threads[lane].value; });
  switch (operation) {
    case kShuffle:
    case kShuffleUp:
    case kShuffleDown:
    case kShuffleXor:
      for_each_lane([&](int lane) {
        const int source = shuffle_source(operation, lane, threads[lane].argument);
        threads[lane].value = (lanes >> source & 1u) != 0 ? values[source] : undefined();
      });
      return;
    case kMatchAny:
      for_each_lane([&](int lane) {
        threads[lane].value = 0;
        for_each_lane([&](int other) {
          if (values[other] == values[lane]) threads[lane].value |= 1ULL << other;
        });
      });
      return;
    default:
      break;
  }
  // The others have one result for all lanes.
  const int first = __builtin_ctz(lanes);
  unsigned truths = 0;
  bool equal = true;
  std::uint64_t common = values[first];
  for_each_lane([&](int lane) {
    if (values[lane] != 0) truths |= 1u << lane;
    equal = equal && values[lane] == values[first];
    if (lane != first) common = combine(operation, common, values[lane]);
  });
  if (operation == kBallot) common = truths;
  if (operation == kAny) common = truths != 0;
  if (operation == kAll) common = truths == lanes;
  if (operation == kMatchAll) common = equal ? lanes : 0;
  for_each_lane([&](int lane) { threads[lane].value = common; });
}

}  // namespace cuda_cpu
