// Are keys even enough for regions, which nothing is counted for? One block looks at a sample.
#ifndef RADIX_V7_EVENNESS_CUH
#define RADIX_V7_EVENNESS_CUH

#include <math.h>

#include "radix_v7/few_values.cuh"
#include "radix_v7/watched_count.cuh"

enum {
  LOOK_THREADS = 1024,
  LOOK_EACH = 8,        // sampled keys of a thread
  LOOK_BITS = 10,       // upper bits that are counted: eight samples for each of their values
  LOOK_MANY = 32,       // of one value: uniform keys have that many in one of 10^7 sorts
  LOOK_GROUP_BITS = 4,  // and upper bits of groups
};

// Limits of the sort that follows a look.
typedef struct LookLimits {
  float room;               // keys of a group for which the regions have room
  unsigned int most_large;  // values of the upper bits that may have too many keys
  int most_skip;            // first bits that all keys may share, so that others make the buckets
} LookLimits;

// What a block of LOOK_THREADS sees in its sample of n keys: FITS if they are even; TO_COUNT if
// only a few values of the upper bits have too many keys, so that counting is worth while (large
// buckets, verdict.cuh); FEW_VALUES if they have few (few_values.cuh); TO_RANGE if they may be even
// enough over a part of all numbers (key_range.cuh); else TOO_LARGE. Tells the host, but for FITS.
// The result is for thread 0. kBare: keys have no positions, and few values in their lower half are
// an obstacle; next: then the key behind the thread's first one.
template <bool kBare>
static __device__ __forceinline__ unsigned int judge_sample(const unsigned int (&key)[LOOK_EACH],
                                                            unsigned int next, size_t n,
                                                            LookLimits limits,
                                                            volatile HostVerdict *host) {
  static_assert(1 << LOOK_BITS == LOOK_THREADS, "a thread for each value");
  constexpr unsigned int kSamples = LOOK_THREADS * LOOK_EACH, kGroups = 1u << LOOK_GROUP_BITS;
  __shared__ unsigned int count[LOOK_THREADS], group[MAX_WARPS], heavy, keys_in_heavy;
  count[threadIdx.x] = 0;
  if (threadIdx.x < kGroups) group[threadIdx.x] = 0;
  if (threadIdx.x == 0) heavy = keys_in_heavy = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < LOOK_EACH; u++) atomicAdd(&count[key[u] >> (32 - LOOK_BITS)], 1u);
  const int few_lower = __syncthreads_or(kBare && few_lower_values(key[0], 32 - LOOK_BITS));
  const unsigned int mine = count[threadIdx.x];
  const unsigned int many = warp_sum(mine >= LOOK_MANY),
                     in_many = warp_sum(mine >= LOOK_MANY ? mine : 0),
                     others = warp_sum(mine >= LOOK_MANY ? 0 : mine);
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicAdd(&group[threadIdx.x >> (LOOK_BITS - LOOK_GROUP_BITS)], others);
    if (many > 0) {
      atomicAdd(&heavy, many);
      atomicAdd(&keys_in_heavy, in_many);
    }
  }
  __syncthreads();
  // As many as there are if all regions of a group are full, and five standard deviations.
  const float full = limits.room / (float)n * (float)kSamples;
  const bool large = threadIdx.x < kGroups && (float)group[threadIdx.x] > full + 5 * sqrtf(full);
  const int uneven = __syncthreads_or(large);
  const bool few =
      heavy > 0 && __syncthreads_count(mine > 0) <= MOST_VALUES && find_few_values(key, count);
  const bool in_range = !few && (uneven != 0 || heavy > 0) && few_lower == 0 &&
                        tell_range<kBare>(key, next, n, count, mine, limits.most_skip, host);
  if (threadIdx.x > 0) return UNKNOWN;
  const bool few_large =
      heavy == 0 || (heavy <= limits.most_large && keys_in_heavy <= kSamples / 4);
  const bool countable = uneven == 0 && few_lower == 0 && few_large;
  const unsigned int verdict = few          ? FEW_VALUES
                               : !countable ? in_range ? TO_RANGE : TOO_LARGE
                               : heavy > 0  ? TO_COUNT
                                            : FITS;
  if (verdict != FITS) host->verdict = verdict;
  return verdict;
}

// The same for one block, which loads a sample of keys[0..n).
template <bool kBare>
static __device__ __forceinline__ unsigned int look_at(const unsigned int *keys, size_t n,
                                                       LookLimits limits,
                                                       volatile HostVerdict *host) {
  unsigned int key[LOOK_EACH];
  load_block_sample(keys, n, key);
  const size_t behind = block_sample_index<LOOK_EACH>(n, 0) + 1;
  const unsigned int next = kBare && behind < n ? keys[behind] : 0;
  return judge_sample<kBare>(key, next, n, limits, host);
}

// Elements of each of 2^bits regions: what a bucket of n uniform ones has on average, and six
// standard deviations; whole sectors.
static inline unsigned int region_room(size_t n, int bits) {
  const double average = (double)n / (double)(1 << bits);
  return ((unsigned int)(average + 6 * sqrt(average)) / WARP_SIZE + 1) * WARP_SIZE;
}

#endif
