// The order of the fine ranges: slots are numbered division by division, groups need them in the
// order of their keys.
#ifndef MPPSORT_V2_ORDER_CUH
#define MPPSORT_V2_ORDER_CUH

#include "mppsort_v2/ranges.cuh"

enum {
  SPLIT_THREADS = 1024,
  LEAST_SAMPLED = 6,  // of a fine range that is divided
  SAMPLED_PER_GROUP = 32,
  LEAST_SAMPLE = 4096,
  ONE_KEY_WIDE = 1,
};

static constexpr unsigned int NO_PIVOT = 0xffffffffu;

// Shared memory of the block. entry[slot]: DIVIDED | division, ONE_KEY_WIDE or 0.
typedef struct SplitShared {
  Division *division;      // [divisions]
  unsigned int *count;     // [slots] sampled keys; later places in the order of the keys
  unsigned int *least;     // [divisions] of the sampled keys
  unsigned int *greatest;  // [divisions]
  unsigned int *pivot;     // [divisions] some sampled key; how many are equal to it
  unsigned int *equal;     // [divisions] NO_PIVOT before there is one
  unsigned int *sampled;   // [divisions] sampled keys; later the place of the first slot
  unsigned short *entry;   // [slots]
  unsigned int *warp_sums;
} SplitShared;

static inline size_t split_shared_bytes(const Level &level) {
  return level.slots * (sizeof(unsigned int) + sizeof(unsigned short)) +
         level.divisions * (sizeof(Division) + 5 * sizeof(unsigned int));
}

static __device__ __forceinline__ SplitShared split_shared(unsigned int *memory, const Level &level,
                                                           unsigned int *warp_sums) {
  SplitShared s;
  s.division = (Division *)memory;
  s.count = memory + 2 * level.divisions;
  s.least = s.count + level.slots;
  s.greatest = s.least + level.divisions;
  s.pivot = s.greatest + level.divisions;
  s.equal = s.pivot + level.divisions;
  s.sampled = s.equal + level.divisions;
  s.entry = (unsigned short *)(s.sampled + level.divisions);
  s.warp_sums = warp_sums;
  return s;
}

static __device__ __forceinline__ unsigned int ranges_of(Division d) {
  return d.packed >> 5 & MOST_RANGES;
}

// Replaces count[i], for first <= i < end, by the number of undivided slots before it among those
// slots and all below them; count[end] becomes their sum. The divisions of these slots have the
// slots from `end` on, whose count[] is done already if they are divided themselves (`deep`).
static __device__ unsigned int place_slots(const SplitShared &s, unsigned int first,
                                           unsigned int end, bool deep) {
  __shared__ unsigned int sum;
  const unsigned int each = (end - first + SPLIT_THREADS - 1) / SPLIT_THREADS;
  const unsigned int from = min(first + threadIdx.x * each, end), to = min(from + each, end);
  const auto leaves_of = [&](unsigned int i) {
    if ((s.entry[i] & DIVIDED) == 0) return 1u;
    const Division d = s.division[s.entry[i] & ~DIVIDED];
    const unsigned int begin = d.packed >> 17, slots = ranges_of(d) + 2;
    return deep ? s.count[begin + slots] - s.count[begin] : slots;
  };
  unsigned int leaves = 0;
  for (unsigned int i = from; i < to; i++) leaves += leaves_of(i);
  const unsigned int up_to_here = block_inclusive_scan(leaves, s.warp_sums);
  unsigned int before = up_to_here - leaves;
  if (threadIdx.x == SPLIT_THREADS - 1) sum = up_to_here;
  // A thread writes only its own slots; those that it reads are below them.
  for (unsigned int i = from; i < to; i++) {
    const unsigned int own = leaves_of(i);
    s.count[i] = before;
    before += own;
  }
  __syncthreads();
  return sum;
}

// Writes the slots in the order of their keys. second, third: where the slots of the second and
// the third division begin. Returns the number of leaves.
static __device__ unsigned int write_order(const SplitShared &s, unsigned int second,
                                           unsigned int third, unsigned int divisions,
                                           unsigned int second_divisions, unsigned short *order) {
  const unsigned int below = place_slots(s, second, third, false);
  if (threadIdx.x == 0) s.count[third] = below;  // behind the last slot of the second divisions
  __syncthreads();
  const unsigned int leaves = place_slots(s, 0, second, true);
  const auto put = [&](unsigned int slot, unsigned int place) {
    const unsigned int entry = s.entry[slot];
    if ((entry & DIVIDED) != 0)
      s.sampled[entry & ~DIVIDED] = place;
    else
      order[place] = (unsigned short)(slot | (entry == ONE_KEY_WIDE ? 0u + ONE_KEY : 0u));
  };
  for (unsigned int i = threadIdx.x; i < second; i += SPLIT_THREADS) put(i, s.count[i]);
  __syncthreads();
  for (int depth = 1; depth <= 2; depth++) {
    const unsigned int end = depth == 1 ? second_divisions : divisions;
    unsigned int d = (depth == 1 ? 0 : second_divisions) + threadIdx.x / WARP_SIZE;
    for (; d < end; d += MAX_WARPS) {
      const unsigned int begin = s.division[d].packed >> 17, slots = ranges_of(s.division[d]) + 2;
      for (unsigned int i = threadIdx.x % WARP_SIZE; i < slots; i += WARP_SIZE)
        put(begin + i, s.sampled[d] + (depth == 1 ? s.count[begin + i] - s.count[begin] : i));
    }
    __syncthreads();
  }
  return leaves;
}

#endif
