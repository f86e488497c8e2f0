// Are keys even enough for buckets that nothing is counted for? One block judges a sample.
#ifndef GSORT_BLOCK_EVENNESS_CUH
#define GSORT_BLOCK_EVENNESS_CUH

#include <math.h>

#include "gsort/block/few_values.cuh"
#include "gsort/block/key_range.cuh"
#include "gsort/block/sample.cuh"

enum {
  SAMPLE_BITS = 10,    // upper bits that are counted: eight samples for each of their values
  MANY_SAMPLES = 32,   // of one value: uniform keys have that many in one of 10^7 sorts
  GROUP_BITS = 4,      // upper bits of groups
  MOST_BIN_BITS = 11,  // of the digit by which a block sorts a bucket of bare keys
};

// Whether the lanes' keys have few, but not one value in their last 16 bits, and few in the bits by
// which a block puts a bucket into bins: those below `shift`. Equal keys do not count: one frequent
// key is no obstacle.
static __device__ __forceinline__ bool few_lower_values(unsigned int key, int shift) {
  const int equal = __popc((int)__match_any_sync(0xffffffffu, key));
  const int alike = __popc((int)__match_any_sync(0xffffffffu, key & 0xffffu));
  const unsigned int bin = key << (32 - shift) >> (32 - MOST_BIN_BITS);
  const int same_bin = __popc((int)__match_any_sync(0xffffffffu, bin));
  return alike - equal >= 3 && alike < WARP_SIZE && same_bin >= 4;
}

// Limits of the sort that follows a sample.
typedef struct SampleLimits {
  float capacity;           // keys of a group of GROUP_BITS upper bits that the buckets can hold
  unsigned int most_large;  // values of the upper bits that may have too many keys
  int most_skip;            // first bits that all keys may share, so that others make the buckets
} SampleLimits;

// What a block of SAMPLE_THREADS sees in its sample of n keys: EVEN if they are even; HEAVY if
// only a few values of the upper bits have too many keys, so that counting is worth while (large
// buckets); FEW_VALUES if they have few (few_values.cuh); IN_RANGE if they may be even
// enough over a part of all numbers (key_range.cuh); else UNEVEN. Tells the host, but for EVEN.
// The result is for thread 0. kBare: keys have no positions, and few values in their lower half are
// an obstacle; next: then the key behind the thread's first one.
template <bool kBare>
static __device__ __forceinline__ unsigned int judge_sample(const unsigned int (&key)[SAMPLE_EACH],
                                                            unsigned int next, size_t n,
                                                            SampleLimits limits, Findings *findings,
                                                            volatile HostVerdict *host) {
  static_assert(1 << SAMPLE_BITS == SAMPLE_THREADS, "a thread for each value");
  constexpr unsigned int kSamples = SAMPLE_THREADS * SAMPLE_EACH, kGroups = 1u << GROUP_BITS;
  __shared__ unsigned int count[SAMPLE_THREADS], group[MAX_WARPS], heavy, keys_in_heavy;
  count[threadIdx.x] = 0;
  if (threadIdx.x < kGroups) group[threadIdx.x] = 0;
  if (threadIdx.x == 0) heavy = keys_in_heavy = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++) atomicAdd(&count[key[u] >> (32 - SAMPLE_BITS)], 1u);
  const int few_lower = __syncthreads_or(kBare && few_lower_values(key[0], 32 - SAMPLE_BITS));
  const unsigned int mine = count[threadIdx.x];
  const unsigned int many = warp_sum(mine >= MANY_SAMPLES),
                     in_many = warp_sum(mine >= MANY_SAMPLES ? mine : 0),
                     others = warp_sum(mine >= MANY_SAMPLES ? 0 : mine);
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicAdd(&group[threadIdx.x >> (SAMPLE_BITS - GROUP_BITS)], others);
    if (many > 0) {
      atomicAdd(&heavy, many);
      atomicAdd(&keys_in_heavy, in_many);
    }
  }
  __syncthreads();
  // Threshold: a full group plus five standard deviations.
  const float full = limits.capacity / (float)n * (float)kSamples;
  const bool large = threadIdx.x < kGroups && (float)group[threadIdx.x] > full + 5 * sqrtf(full);
  const int uneven = __syncthreads_or(large);
  const bool few = heavy > 0 && __syncthreads_count(mine > 0) <= MOST_VALUES &&
                   find_few_values(key, count, findings->values);
  const bool in_range = !few && (uneven != 0 || heavy > 0) && few_lower == 0 &&
                        tell_range<kBare>(key, next, n, count, mine, limits.most_skip, host);
  if (threadIdx.x > 0) return UNKNOWN;
  const bool few_large =
      heavy == 0 || (heavy <= limits.most_large && keys_in_heavy <= kSamples / 4);
  const bool countable = uneven == 0 && few_lower == 0 && few_large;
  const unsigned int verdict = few          ? FEW_VALUES
                               : !countable ? in_range ? IN_RANGE : UNEVEN
                               : heavy > 0  ? HEAVY
                                            : EVEN;
  if (verdict != EVEN) host->finding = verdict;
  return verdict;
}

// Elements of each of 2^bits regions: what a bucket of n uniform ones has on average, and six
// standard deviations; whole sectors.
static inline unsigned int region_capacity(size_t n, int bits) {
  const double average = (double)n / (double)(1 << bits);
  return ((unsigned int)(average + 6 * sqrt(average)) / WARP_SIZE + 1) * WARP_SIZE;
}

#endif
