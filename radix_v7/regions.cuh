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

enum {
  REGION_BITS = 10,
  REGION_BUCKETS = 1 << REGION_BITS,
  LOOK_THREADS = 1024,
  LOOK_EACH = 8,   // sampled keys of a thread: eight in each bucket
  LOOK_MANY = 32,  // in one bucket: uniform keys have that many in one of 10^7 sorts
  LOOK_GROUP_BITS = 4,
};

// Device memory between the launches; the words that `regions` points to lie in it too.
typedef struct RegionState {
  Regions regions;
  unsigned int *hopeless;  // regions.hopeless
  volatile HostVerdict *host;
} RegionState;

// Prepares the regions, and ends the sort if a sample is not even. If only a few buckets have too
// many keys, counting is worth while (large buckets, verdict.cuh). One block.
static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_sample(const unsigned int *keys, size_t n, RegionState state) {
  static_assert((int)REGION_BUCKETS == (int)LOOK_THREADS, "a thread for each bucket");
  constexpr unsigned int kSamples = LOOK_THREADS * LOOK_EACH, kGroups = 1u << LOOK_GROUP_BITS;
  __shared__ unsigned int count[REGION_BUCKETS], group[kGroups], heavy, keys_in_heavy;
  wait_for_previous_kernel();
  const size_t stride = n / kSamples;
  unsigned int key[LOOK_EACH];
#pragma unroll
  for (int u = 0; u < LOOK_EACH; u++) {
    const unsigned int sample = threadIdx.x * LOOK_EACH + u;
    key[u] = keys[sample * stride + __umulhi(scramble(sample), (unsigned int)stride)];
  }
  state.regions.next[threadIdx.x] = threadIdx.x * state.regions.room;
  count[threadIdx.x] = 0;
  if (threadIdx.x < kGroups) group[threadIdx.x] = 0;
  if (threadIdx.x == 0) *state.regions.full = heavy = keys_in_heavy = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < LOOK_EACH; u++) atomicAdd(&count[key[u] >> (32 - REGION_BITS)], 1u);
  const int few_lower = __syncthreads_or(few_lower_values(key[0]));
  const unsigned int mine = count[threadIdx.x];
  if (mine >= LOOK_MANY) {
    atomicAdd(&heavy, 1u);
    atomicAdd(&keys_in_heavy, mine);
  } else {
    atomicAdd(&group[threadIdx.x >> (REGION_BITS - LOOK_GROUP_BITS)], mine);
  }
  __syncthreads();
  // As many as there are if all regions of a group are full, and five standard deviations.
  const float share = (float)state.regions.room * (float)(REGION_BUCKETS / kGroups) / (float)n;
  const float full = share * (float)kSamples;
  const bool large = threadIdx.x < kGroups && (float)group[threadIdx.x] > full + 5 * sqrtf(full);
  const int uneven = __syncthreads_or(large);
  if (threadIdx.x > 0) return;
  const bool few_large = heavy <= state.host->most && keys_in_heavy <= kSamples / 4;
  const bool countable = uneven == 0 && few_lower == 0 && few_large;
  *state.hopeless = !countable || heavy > 0;
  if (!countable)
    state.host->verdict = TOO_LARGE;
  else if (heavy > 0)
    state.host->verdict = TO_COUNT;
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
                                                     32 - REGION_BITS);
  write_bucket<kThreads, kItems>(shared.tile, out + before, count);
}

#endif
