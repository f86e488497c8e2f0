// The scalar model of the warp collectives.
#include "warp_results.h"

#include <cuda_cpu/warp.h>

#include <algorithm>

#include "../diagnosis/settings.h"

namespace cuda_cpu {

namespace {

// Result of a shuffle whose source lane takes no part. CUDA leaves it undefined. Some programs,
// such as cuda-samples' reduction, need 0; in shuffled order it is a value that shows.
std::uint64_t undefined() { return settings().shuffle ? 0xdeadbeefdeadbeefULL : 0; }

template <WarpOperation Operation>
unsigned shuffle_source(unsigned lane, int argument) {
  const unsigned distance = static_cast<unsigned>(argument) & 31,
                 width = static_cast<unsigned>(argument) >> 8;
  const unsigned first = lane & ~(width - 1), last = first + width - 1;
  if (Operation == kShuffle) return first + (distance & (width - 1));
  if (Operation == kShuffleUp) return lane < first + distance ? lane : lane - distance;
  const unsigned source = Operation == kShuffleDown ? lane + distance : lane ^ distance;
  return source > last ? lane : source;
}

template <WarpOperation Operation>
void shuffle(unsigned lanes, Thread *threads) {
  std::uint64_t values[32];
  const unsigned end = 32 - static_cast<unsigned>(__builtin_clz(lanes));
  for (unsigned lane = 0; lane < end; lane++) values[lane] = threads[lane].value;
  for (unsigned lane = 0; lane < end; lane++) {
    if ((lanes >> lane & 1u) == 0) continue;
    const unsigned source = shuffle_source<Operation>(lane, threads[lane].argument);
    threads[lane].value = (lanes >> source & 1u) != 0 ? values[source] : undefined();
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
  switch (operation) {
    case kSyncWarp:
      return;
    case kShuffle:
      return shuffle<kShuffle>(lanes, threads);
    case kShuffleUp:
      return shuffle<kShuffleUp>(lanes, threads);
    case kShuffleDown:
      return shuffle<kShuffleDown>(lanes, threads);
    case kShuffleXor:
      return shuffle<kShuffleXor>(lanes, threads);
    default:
      break;
  }
  std::uint64_t values[32] = {};
  for_each_lane([&](int lane) { values[lane] = threads[lane].value; });
  switch (operation) {
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
