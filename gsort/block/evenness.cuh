// Are keys even enough for buckets that nothing is counted for? One block judges a sample.
#ifndef GSORT_BLOCK_EVENNESS_CUH
#define GSORT_BLOCK_EVENNESS_CUH

#include <math.h>

#include "gsort/block/few_values.cuh"
#include "gsort/block/key_range.cuh"
#include "gsort/block/range_map.cuh"
#include "gsort/block/sample.cuh"

enum {
  SAMPLE_BITS = 10,    // upper bits that are counted: eight samples for each of their values
  MANY_SAMPLES = 32,   // of one value: uniform keys have that many in one of 10^7 sorts
  GROUP_BITS = 4,      // upper bits of groups
  MOST_BIN_BITS = 11,  // of the digit by which a block sorts a bucket of bare keys
};

// Whether the lanes' keys have few, but not one value in their last 16 bits, and few in the bits by
// which a block puts a bucket into bins: those below `shift`. Equal keys do not count.
static __device__ __forceinline__ bool few_lower_values(unsigned int key, int shift) {
  const int alike = __popc((int)__match_any_sync(0xffffffffu, key & 0xffffu));
  if (!__any_sync(0xffffffffu, alike >= 4 && alike < WARP_SIZE)) return false;  // nearly always
  const int equal = __popc((int)__match_any_sync(0xffffffffu, key));
  const unsigned int bin = key << (32 - shift) >> (32 - MOST_BIN_BITS);
  const int same_bin = __popc((int)__match_any_sync(0xffffffffu, bin));
  return alike - equal >= 3 && alike < WARP_SIZE && same_bin >= 4;
}

// What a block of SAMPLE_THREADS sees in its sample of n keys: EVEN if they are even, or MAPPED by
// the map of the findings; FEW_VALUES if they have few (few_values.cuh); IN_RANGE; else
// UNEVEN. Tells the host, but for the first two. The result is for thread 0. capacity: keys of a
// group of GROUP_BITS upper bits that the buckets hold. kMaps: keys of a range may be mapped.
// kUneven: IN_RANGE, as buckets for uneven keys may follow (key_range.cuh). kBare: keys have no
// positions, and few values in their lower half are an obstacle.
template <bool kMaps, bool kUneven, bool kBare>
static __device__ __forceinline__ unsigned int judge_sample(const unsigned int (&key)[SAMPLE_EACH],
                                                            size_t n, float capacity,
                                                            Findings *findings,
                                                            volatile HostVerdict *host) {
  static_assert(1 << SAMPLE_BITS == SAMPLE_THREADS, "a thread for each value");
  constexpr unsigned int kSamples = SAMPLE_THREADS * SAMPLE_EACH, kGroups = 1u << GROUP_BITS;
  __shared__ unsigned int count[SAMPLE_THREADS], group[MAX_WARPS];
  // Threshold: a full group plus five standard deviations.
  const float full = capacity / (float)n * (float)kSamples;
  unsigned int mine;  // samples that have the thread's number as their first bits
  bool heavy, few_lower, uneven;
  const auto look = [&](const unsigned int(&number)[SAMPLE_EACH]) {
    count[threadIdx.x] = 0;
    if (threadIdx.x < kGroups) group[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int u = 0; u < SAMPLE_EACH; u++) atomicAdd(&count[number[u] >> (32 - SAMPLE_BITS)], 1u);
    few_lower = __syncthreads_or(kBare && few_lower_values(number[0], 32 - SAMPLE_BITS)) != 0;
    mine = count[threadIdx.x];
    const unsigned int of_warp = warp_sum(mine);
    if (threadIdx.x % WARP_SIZE == 0)
      atomicAdd(&group[threadIdx.x >> (SAMPLE_BITS - GROUP_BITS)], of_warp);
    heavy = __syncthreads_or(mine >= MANY_SAMPLES) != 0;
    const bool large = threadIdx.x < kGroups && (float)group[threadIdx.x] > full + 5 * sqrtf(full);
    uneven = __syncthreads_or(large) != 0 || heavy;
  };
  look(key);
  const bool few = heavy && __syncthreads_count(mine > 0) <= MOST_VALUES &&
                   find_few_values(key, count, findings->values);
  bool mapped = false;
  if constexpr (kMaps) {
    // A range that nearly is all numbers shows by the first or last of 1,024 parts. Buckets for
    // uneven keys have room for it.
    const bool empty_end = threadIdx.x % (SAMPLE_THREADS - 1) == 0 && mine == 0;
    const bool in_part = !few && (uneven || (!kUneven && __syncthreads_or(empty_end) != 0));
    RangeMap map;
    if (in_part && find_range_map(key, &map)) {
      unsigned int number[SAMPLE_EACH];
#pragma unroll
      for (int u = 0; u < SAMPLE_EACH; u++) number[u] = map_key(map, key[u]);
      look(number);
      mapped = !uneven;
      if (mapped && threadIdx.x == 0) findings->range_map = map;
      // Uneven keys may lie far beyond the range of a sample, so they are judged as they are.
      if (kUneven && !mapped) look(key);
    }
  }
  const bool in_range = kUneven && !few && uneven && tell_range(key, n, count, mine, host);
  if (threadIdx.x > 0) return UNKNOWN;
  const unsigned int verdict = few                   ? FEW_VALUES
                               : in_range            ? IN_RANGE
                               : uneven || few_lower ? UNEVEN
                               : mapped              ? MAPPED
                                                     : EVEN;
  if (!is_even(verdict)) host->finding = verdict;
  return verdict;
}

// Elements of each of 2^bits regions: what a bucket of n uniform ones has on average, what more it
// has if they are mapped, and six standard deviations, times the root of how many keys may be
// equal; whole sectors.
static inline double region_capacity_of(double average, double equals) {
  return average * (1 + 2.0 / MARGINS_IN_RANGE) + 6 * sqrt(average * equals);
}
static inline unsigned int region_capacity(size_t n, int bits, double equals = 1) {
  const double most = region_capacity_of((double)n / (double)(1 << bits), equals);
  return ((unsigned int)most / WARP_SIZE + 1) * WARP_SIZE;
}

// A second sample, judged while other blocks work: keys that pass for even in the first one may
// still overfill some bucket, if
//   - one part of all numbers has a little more keys than another: a density that rises by a tenth,
//     or none at the end of the range;
//   - some keys each are equal (key_range.cuh), neighbours in the input or not.
// The more keys, the more blocks: with many, less is enough to fill a bucket.
enum {
  SECOND_TABLE_BITS = 12,
  KEYS_OF_SECOND_BLOCK = 1 << 22,
  SECOND_BLOCKS_FROM = 9000000,  // below, adding up over several blocks would take too long
  MOST_SECOND_BLOCKS = 32
};
// With more equal keys, as estimated, some region of bare keys would be full: of 2^10 regions, of
// 2^18.
static constexpr float MOST_EQUALS_BARE = 2, MOST_EQUALS_OF_TWO_STEPS = 1.3f;

static inline unsigned int second_blocks(size_t n) {
  const size_t wanted = n < SECOND_BLOCKS_FROM ? 1 : n / KEYS_OF_SECOND_BLOCK;
  return wanted < MOST_SECOND_BLOCKS ? (unsigned int)wanted : (unsigned int)MOST_SECOND_BLOCKS;
}

// Whether samples spread over the groups as samples of even keys would not: by chi-square of the
// groups and of four quarters, each exceeded by even keys in one of 10^3 sorts. (Of 8,192 samples,
// a density that rises by a fifth adds 27 to the first, and 26 to the second.) For a whole warp;
// mine: samples of the lane's group.
static __device__ __forceinline__ bool is_sloping(float mine) {
  constexpr float kMostOf32 = 61.1f, kMostOf4 = 16.3f;
  float sum = mine, squares = mine * mine, squares_of_four = 0;
  for (int lanes = 1; lanes < WARP_SIZE; lanes *= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    squares += __shfl_xor_sync(0xffffffffu, squares, lanes);
    if (lanes == WARP_SIZE / 8) squares_of_four = sum * sum;
    if (lanes > WARP_SIZE / 8)
      squares_of_four += __shfl_xor_sync(0xffffffffu, squares_of_four, lanes);
  }
  const float share = sum / WARP_SIZE;
  return squares / share - sum > kMostOf32 ||
         squares_of_four / (WARP_SIZE / 4 * share) - sum > kMostOf4;
}

// For the whole first warp: adds the block's sums to the grid's. In the last block it leaves the
// grid's in `sums`, which is shared memory; in all others it returns false.
static __device__ __forceinline__ bool add_up(SecondSums *sums, unsigned int blocks,
                                              Findings *findings) {
  enum { WORDS = sizeof(SecondSums) / sizeof(unsigned int) };
  unsigned int *const of_block = (unsigned int *)sums, *const of_all =
                                                           (unsigned int *)&findings->second;
  if (blocks == 1) return true;
  for (unsigned int i = threadIdx.x; i < WORDS; i += WARP_SIZE)
    if (of_block[i] > 0) atomicAdd(&of_all[i], of_block[i]);
  __threadfence();
  __syncwarp();
  unsigned int before = 0;
  if (threadIdx.x == 0) before = atomicAdd(&findings->second_arrived, 1u);
  if (__shfl_sync(0xffffffffu, before, 0) != blocks - 1) return false;
  __threadfence();
  for (unsigned int i = threadIdx.x; i < WORDS; i += WARP_SIZE) {
    of_block[i] = *(volatile unsigned int *)&of_all[i];
    of_all[i] = 0;
  }
  if (threadIdx.x == 0) findings->second_arrived = 0;
  __syncwarp();
  return true;
}

// Of keys that are any numbers of a range, by chance some are equal. That does not make buckets
// uneven, as equal keys do if there are as many of each of a few numbers. Up to this number they
// are left out.
static constexpr float MOST_BY_CHANCE = 8;

// All threads of `blocks` blocks of SAMPLE_THREADS; key: the block's sample, and next: the key
// behind its first one. UNKNOWN, but in thread 0 of the last block EVEN, or UNEVEN if keys are a
// little uneven within their range, or more than most_equals are equal; IN_RANGE if these are not
// more than most_if_known, which may suit larger buckets. only_equals: asks only for equal keys, by
// chance or not.
static __device__ __forceinline__ unsigned int judge_second_sample(
    const unsigned int (&key)[SAMPLE_EACH], unsigned int next, size_t n, unsigned int blocks,
    bool only_equals, float most_equals, Findings *findings, float most_if_known = 0) {
  static_assert(SAMPLE_THREADS == WARP_SIZE * WARP_SIZE, "a group for each warp");
  __shared__ unsigned int table[1 << SECOND_TABLE_BITS], count[SAMPLE_THREADS], ends[2][MAX_WARPS];
  __shared__ SecondSums sums;
  const EqualKeys equal = {table, SECOND_TABLE_BITS, &sums.matches, &sums.winners};
  equal.clear();
  count[threadIdx.x] = 0;
  unsigned int least = 0, most = ~0u;
  if (only_equals)
    __syncthreads();
  else
    find_ends(key, &least, &most, ends);
  equal.add(key);
  const float range = (float)(most - least) + 1;
  if (!only_equals) {
#pragma unroll
    for (int u = 0; u < SAMPLE_EACH; u++) {
      const unsigned int part = (unsigned int)((float)(key[u] - least) * (SAMPLE_THREADS / range));
      atomicAdd(&count[min(part, SAMPLE_THREADS - 1)], 1u);
    }
  }
  const int twins = __syncthreads_count(next == key[0]);
  equal.match(key);
  const unsigned int of_group = only_equals ? 0 : warp_inclusive_scan(count[threadIdx.x]);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) sums.group[threadIdx.x / WARP_SIZE] = of_group;
  if (threadIdx.x == 0) sums.equal_neighbours = (unsigned int)twins;
  __syncthreads();
  if (threadIdx.x >= WARP_SIZE || !add_up(&sums, blocks, findings)) return UNKNOWN;
  const bool sloping = !only_equals && is_sloping((float)sums.group[threadIdx.x]);
  if (threadIdx.x > 0) return UNKNOWN;
  // Equal keys may be neighbours in the input, of which a sample has one only. Half of the others
  // count, as in equals_by_matches().
  const unsigned int neighbours = blocks * SAMPLE_THREADS, equal_neighbours = sums.equal_neighbours;
  const float different = (float)(neighbours - equal_neighbours + 1),
              in_runs =
                  equal_neighbours <= FEW_MATCHES ? 1 : 0.5f + 0.5f * (float)neighbours / different;
  const float equals = fmaxf(
      in_runs, equals_by_matches(n, SAMPLE_THREADS * SAMPLE_EACH, sums.matches, sums.winners));
  const float by_chance = only_equals ? 0 : fminf((float)n / range, MOST_BY_CHANCE);
  if (!sloping && equals <= most_equals + by_chance) return EVEN;
  return !sloping && equals <= most_if_known + by_chance ? IN_RANGE : UNEVEN;
}

#endif
