// Bare keys to buckets without counting them first: each bucket has a region of the memory between
// the steps with a little more room than its share of even keys.
//
//   look   a sample shows whether keys are even enough for this; one block
//   move   keys to the next free places of their regions, as partition.cuh
//   sort   a block per region; how many keys there are in regions before it is the place of its
//          result (bucket_sort.cuh)
//
// 16 bytes a key move instead of 20, and a launch less stands in the way: the sample is looked at
// while the tiles are loaded. If a region is full, the input is as it was.
#ifndef RADIX_V7_REGIONS_CUH
#define RADIX_V7_REGIONS_CUH

#include "radix_v7/bucket_sort.cuh"
#include "radix_v7/evenness.cuh"

enum { MOST_REGION_BITS = 10, MOST_REGIONS = 1 << MOST_REGION_BITS };

// Device memory between the launches; the words that `regions` points to lie in it too.
typedef struct RegionState {
  Regions regions;
  int bits;                // 2^bits regions
  unsigned int *hopeless;  // regions.hopeless
  volatile HostVerdict *host;
} RegionState;

// Prepares the regions, and ends the sort if a sample is not even. One block.
static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_sample(const unsigned int *keys, size_t n, RegionState state) {
  static_assert((int)MOST_REGIONS <= (int)LOOK_THREADS, "a thread for each region");
  wait_for_previous_kernel();
  if (threadIdx.x < 1u << state.bits)
    state.regions.next[threadIdx.x] = threadIdx.x * state.regions.room;
  if (threadIdx.x == 0) *state.regions.full = 0;
  const float room = (float)state.regions.room * (float)(1 << (state.bits - LOOK_GROUP_BITS));
  const unsigned int verdict = judge_sample<true>(keys, n, room, state.host);
  if (threadIdx.x == 0) *state.hopeless = verdict != FITS;
}

template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_to_regions(const unsigned int *in, unsigned int *out, unsigned int n, Digit digit,
                    Regions regions) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef PartitionShared<kThreads, kItems, kEach, kMaxBins> Shared;
  Shared &shared = *(Shared *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  if (blockIdx.x >= regions.early && !regions_ready(regions)) return;
  __syncthreads();
  const unsigned int begin = blockIdx.x * kTile;
  if (n - begin >= kTile)
    partition_tile<false, kThreads, kItems, kEach, kMaxBins, true, true>(
        in + begin, out, kTile, digit, regions.next, shared, regions);
  else
    partition_tile<false, kThreads, kItems, kEach, kMaxBins, false, true>(
        in + begin, out, n - begin, digit, regions.next, shared, regions);
}

// Number of keys in the regions before the calling block's own; `sums`: shared memory, an element
// for each warp. One barrier.
template <int kThreads>
static __device__ __forceinline__ unsigned int keys_before(Regions regions, unsigned int *sums) {
  unsigned int sum = 0;
  for (unsigned int b = threadIdx.x; b < blockIdx.x; b += kThreads)
    sum += regions.next[b] - b * regions.room;
  const unsigned int scanned = warp_inclusive_scan(sum);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) sums[threadIdx.x / WARP_SIZE] = scanned;
  __syncthreads();
  unsigned int before = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / WARP_SIZE; warp++) before += sums[warp];
  return before;
}

// One block per region: sorts its keys to their place in `out`.
template <int kThreads, int kItems, int kFineBits, int kFewKeys, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_regions(const unsigned int *in, unsigned int *out, RegionState state) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int sums[kThreads / WARP_SIZE];
  typedef BucketShared<kThreads, kItems, kFineBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  const Regions regions = state.regions;
  prepare_bucket<kThreads>(shared);
  wait_for_previous_kernel();
  if (*regions.hopeless != 0) return;
  const bool useless = *regions.full != 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) state.host->verdict = useless ? TO_COUNT : FITS;
  if (useless) return;
  const unsigned int begin = blockIdx.x * regions.room;
  const unsigned int count = regions.next[blockIdx.x] - begin;
  const unsigned int before = keys_before<kThreads>(regions, sums);
  sort_bucket<kThreads, kItems, kFineBits, kFewKeys>(shared, in + begin, count, blockIdx.x,
                                                     32 - state.bits, WHOLE_RANGE);
  write_bucket<kThreads, kItems>(shared.tile, out + before, count, WHOLE_RANGE);
}

#endif
