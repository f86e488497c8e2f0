// Bare keys to buckets without counting them first: each bucket has a region of the memory between
// the steps with a little more room than its share of even keys.
//
//   look   a sample shows whether keys are even enough for this; one block
//   move   keys to the next free places of their regions, as partition.cuh
//   split  with more than 2^10 buckets: the keys of each region to regions of their buckets
//   sort   a block per bucket; how many keys there are in buckets before it is the place of its
//          result (bucket_sort.cuh)
//
// 16 bytes a key move instead of 20, or 24 instead of 28, and a launch less stands in the way: the
// sample is looked at while the tiles are loaded. If a region is full, the input is as it was.
#ifndef RADIX_V7_REGIONS_CUH
#define RADIX_V7_REGIONS_CUH

#include "radix_v7/bucket_sort.cuh"
#include "radix_v7/count_instead.cuh"
#include "radix_v7/load_sample.cuh"

// Regions of a single step.
enum { MOST_REGION_BITS = 10, MOST_REGIONS = 1 << MOST_REGION_BITS };

// Device memory between the launches; the words that the regions point to lie in it too.
typedef struct RegionState {
  Regions parts;            // of the first of two steps; part p is split into 2^bits.second regions
  Regions regions;          // of the buckets
  BucketBits bits;          // second: 0 if there is one step, and no parts
  unsigned int *hopeless;   // [2] what `parts` and `regions` point to
  unsigned int most_large;  // large buckets, up to which the others are sorted as buckets
  int most_skip;            // first bits that all keys may share, if buckets by others take over
  volatile HostVerdict *host;
} RegionState;

static __device__ __forceinline__ void prepare_regions(const RegionState &state) {
  const unsigned int buckets = 1u << (state.bits.first + state.bits.second);
  for (unsigned int b = threadIdx.x; b < buckets; b += LOOK_THREADS)
    state.regions.next[b] = b * state.regions.room;
  if (state.bits.second > 0 && threadIdx.x < 1u << state.bits.first)
    state.parts.next[threadIdx.x] = threadIdx.x * state.parts.room;
  if (threadIdx.x == 0) *state.regions.full = 0;
}

// Prepares the regions, and ends the sort if a sample is not even. kTogether: for few keys, by
// LOOKS * LOADING_BLOCKS blocks (load_sample.cuh); else the first block has one sample, and each of
// the others a second one.
template <bool kTogether>
[[maybe_unused]] static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_sample(const unsigned int *keys, size_t n, RegionState state) {
  wait_for_previous_kernel();
  if (blockIdx.x == 0) prepare_regions(state);
  const bool two_steps = state.bits.second > 0;
  const float room = (float)(two_steps ? state.parts : state.regions).room *
                     (float)(1 << (state.bits.first - LOOK_GROUP_BITS));
  const LookLimits limits = {room, state.most_large, state.most_skip};
  unsigned int *const second = &state.hopeless[1], verdict;
  if constexpr (kTogether) {
    unsigned int key[LOOK_EACH], next;
    if (!load_sample(keys, n, key, &next)) return;
    if (blockIdx.x >= LOADING_BLOCKS) {
      KeyRange range = WHOLE_RANGE;
      const unsigned int seen = judge_again(key, next, n, 1, &range);
      note_second_look(seen, range, MOST_ALIKE_BARE, second, state.host);
      return;
    }
    verdict = judge_sample<true>(key, next, n, limits, state.host);
  } else {
    if (blockIdx.x > 0) {
      look_again(keys, n, blockIdx.x, gridDim.x - 1, MOST_ALIKE_BARE, second, state.host);
      return;
    }
    verdict = look_at<true>(keys, n, limits, state.host);
  }
  if (threadIdx.x > 0) return;
  state.hopeless[0] = verdict;
  if (two_steps && verdict == FITS) state.host->verdict = SEEMS_EVEN;
}

// The only step, or the first of two: then `regions` are the parts. sweeps: for keys that suit only
// these, or {}.
template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm, int kKind>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_to_regions(const unsigned int *in, unsigned int *out, unsigned int n, Digit digit,
                    Regions regions, SweepState sweeps) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef PartitionShared<kThreads, kItems, kEach, kMaxBins> Shared;
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  bool moved = blockIdx.x < regions.early || regions_ready(regions);
  __syncthreads();
  const unsigned int begin = blockIdx.x * kTile;
  if (moved)
    moved = partition_tile<false, kKind>(in + begin, out, n - begin, digit, regions.next, shared,
                                         regions);
  if (moved || sweeps.start == NULL) return;
  if (leave_only_sweeps(regions.hopeless[0], regions.hopeless[1]))
    count_instead(shared, in, n, sweeps);
}

// The second of two steps: from the parts, which lie in `in` and parts.behind, to regions of `out`.
template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_parts(const unsigned int *in, unsigned int *out, unsigned int tiles_of_part, Digit digit,
                Regions parts, Regions regions) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef PartitionShared<kThreads, kItems, kEach, kMaxBins> Shared;
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  wait_for_previous_kernel();
  const bool useless = nothing_to_move(regions) || *(volatile unsigned int *)regions.full != 0;
  if (__syncthreads_or(useless) != 0) return;  // others may fill a region meanwhile
  const unsigned int part = blockIdx.x / tiles_of_part, begin = part * parts.room,
                     end = parts.next[part], tile = begin + blockIdx.x % tiles_of_part * kTile;
  if (tile >= end) return;
  regions.first = part * (digit.mask + 1);
  const unsigned int *const from = (begin < parts.split ? in : parts.behind) + tile;
  partition_tile<false, REGIONS>(from, out, end - tile, digit, regions.next + regions.first, shared,
                                 regions);
}

// A thread's share of the number of keys in the regions from `first` up to `end`.
template <int kThreads>
static __device__ __forceinline__ unsigned int keys_in_regions(Regions regions, unsigned int first,
                                                               unsigned int end) {
  unsigned int sum = 0;
  for (unsigned int b = first + threadIdx.x; b < end; b += kThreads)
    sum += regions.next[b] - b * regions.room;
  return sum;
}

// One block per region of a bucket: sorts its keys to their place in `out`.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_regions(const unsigned int *in, unsigned int *out, RegionState state) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int keys_before[kThreads / WARP_SIZE];  // of each warp's share
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  const Regions regions = state.regions;
  prepare_bucket<kThreads>(shared);
  wait_for_previous_kernel();
  if (regions.hopeless[0] != FITS) return;
  const unsigned int again = regions.hopeless[1];
  const bool useless = again != FITS || *regions.full != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    state.host->verdict = again != FITS ? again : (unsigned int)(useless ? OVERFULL : FITS);
  if (useless) return;
  const unsigned int begin = blockIdx.x * regions.room;
  const unsigned int count = regions.next[blockIdx.x] - begin;
  const unsigned int part = state.bits.second > 0 ? blockIdx.x >> state.bits.second : 0;
  const unsigned int before = warp_inclusive_scan(
      keys_in_regions<kThreads>(state.parts, 0, part) +
      keys_in_regions<kThreads>(regions, part << state.bits.second, blockIdx.x));
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) keys_before[threadIdx.x / WARP_SIZE] = before;
  __syncthreads();
  sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, blockIdx.x,
                                                     32 - state.bits.first - state.bits.second,
                                                     WHOLE_RANGE);
  // Added up here, as a register until here would be one too many.
#pragma unroll
  for (int warp = 0; warp < kThreads / WARP_SIZE; warp++) out += keys_before[warp];
  write_bucket<kThreads, kItems>(shared.tile, out, count, WHOLE_RANGE);
}

#endif
