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
// which a block puts a bucket into bins: those below `shift`. Equal keys do not count.
static __device__ __forceinline__ bool few_lower_values(unsigned int key, int shift) {
  const int alike = __popc((int)__match_any_sync(0xffffffffu, key & 0xffffu));
  if (!__any_sync(0xffffffffu, alike >= 4 && alike < WARP_SIZE)) return false;  // nearly always
  const int equal = __popc((int)__match_any_sync(0xffffffffu, key));
  const unsigned int bin = key << (32 - shift) >> (32 - MOST_BIN_BITS);
  const int same_bin = __popc((int)__match_any_sync(0xffffffffu, bin));
  return alike - equal >= 3 && alike < WARP_SIZE && same_bin >= 4;
}

// Limits of the sort that follows a sample.
typedef struct SampleLimits {
  float capacity;  // keys of a group of GROUP_BITS upper bits that the buckets can hold
  RangeLimits range;
} SampleLimits;

// What a block of SAMPLE_THREADS sees in its sample of n keys: EVEN if they are even; FEW_VALUES if
// they have few (few_values.cuh); IN_RANGE if they may be even enough over a part of all numbers
// (key_range.cuh); else UNEVEN. Tells the host, but for EVEN. The result is for thread 0. kBare:
// keys have no positions, and few values in their lower half are an obstacle; next: then the key
// behind the thread's first one.
template <bool kBare>
static __device__ __forceinline__ unsigned int judge_sample(const unsigned int (&key)[SAMPLE_EACH],
                                                            unsigned int next, size_t n,
                                                            SampleLimits limits, Findings *findings,
                                                            volatile HostVerdict *host) {
  static_assert(1 << SAMPLE_BITS == SAMPLE_THREADS, "a thread for each value");
  constexpr unsigned int kSamples = SAMPLE_THREADS * SAMPLE_EACH, kGroups = 1u << GROUP_BITS;
  __shared__ unsigned int count[SAMPLE_THREADS], group[MAX_WARPS];
  count[threadIdx.x] = 0;
  if (threadIdx.x < kGroups) group[threadIdx.x] = 0;
  __syncthreads();
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++) atomicAdd(&count[key[u] >> (32 - SAMPLE_BITS)], 1u);
  const int few_lower = __syncthreads_or(kBare && few_lower_values(key[0], 32 - SAMPLE_BITS));
  const unsigned int mine = count[threadIdx.x], of_warp = warp_sum(mine);
  if (threadIdx.x % WARP_SIZE == 0)
    atomicAdd(&group[threadIdx.x >> (SAMPLE_BITS - GROUP_BITS)], of_warp);
  const bool heavy = __syncthreads_or(mine >= MANY_SAMPLES) != 0;
  // Threshold: a full group plus five standard deviations.
  const float full = limits.capacity / (float)n * (float)kSamples;
  const bool large = threadIdx.x < kGroups && (float)group[threadIdx.x] > full + 5 * sqrtf(full);
  const bool uneven = __syncthreads_or(large) != 0 || heavy;
  const bool few = heavy && __syncthreads_count(mine > 0) <= MOST_VALUES &&
                   find_few_values(key, count, findings->values);
  const bool in_range = !few && uneven && few_lower == 0 &&
                        tell_range<kBare>(key, next, n, count, mine, limits.range, host);
  if (threadIdx.x > 0) return UNKNOWN;
  const unsigned int verdict = few                        ? FEW_VALUES
                               : in_range                 ? IN_RANGE
                               : uneven || few_lower != 0 ? UNEVEN
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
static constexpr float EQUALS_SEEN = 2;  // with more equal keys, some region would be full

static inline unsigned int second_blocks(size_t n) {
  const size_t wanted = n < SECOND_BLOCKS_FROM ? 1 : n / KEYS_OF_SECOND_BLOCK;
  return wanted < MOST_SECOND_BLOCKS ? (unsigned int)wanted : (unsigned int)MOST_SECOND_BLOCKS;
}

// Whether samples spread over the groups as samples of even keys would not: by chi-square of the
// groups and of four quarters, each exceeded by even keys in one of 10^3 sorts. (Of 8,192 samples,
// a density that rises by a fifth adds 27 to the first, and 26 to the second.) For a whole warp;
// mine: samples of the lane's group. *density: what the fullest group has, of its share; by chance
// it rather has more than less.
static __device__ __forceinline__ bool a_little_uneven(float mine, float *density) {
  constexpr float kMostOf32 = 61.1f, kMostOf4 = 16.3f;
  float sum = mine, fullest = mine, squares = mine * mine, squares_of_four = 0;
  for (int lanes = 1; lanes < WARP_SIZE; lanes *= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    squares += __shfl_xor_sync(0xffffffffu, squares, lanes);
    fullest = fmaxf(fullest, __shfl_xor_sync(0xffffffffu, fullest, lanes));
    if (lanes == WARP_SIZE / 8) squares_of_four = sum * sum;
    if (lanes > WARP_SIZE / 8)
      squares_of_four += __shfl_xor_sync(0xffffffffu, squares_of_four, lanes);
  }
  const float share = sum / WARP_SIZE;
  *density = fullest / share;
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

// For the whole first warp: EVEN, or for thread 0 REFINED, with *range.
static __device__ __forceinline__ unsigned int judge_second_sums(const SecondSums &sums, size_t n,
                                                                 unsigned int blocks,
                                                                 KeyRange *range) {
  float density;
  const bool uneven = a_little_uneven((float)sums.group[threadIdx.x], &density);
  // Equal keys may be neighbours in the input, of which a sample has one only.
  const unsigned int neighbours = blocks * SAMPLE_THREADS, twins = sums.equal_neighbours;
  const float in_runs =
      twins <= FEW_MATCHES ? 1 : (float)neighbours / (float)(neighbours - twins + 1);
  const float equals = fmaxf(
      in_runs, equals_by_matches(n, SAMPLE_THREADS * SAMPLE_EACH, sums.matches, sums.winners));
  if (threadIdx.x > 0 || (!uneven && equals <= EQUALS_SEEN)) return EVEN;
  *range = {0, 0, uneven ? density : 1, !uneven, false, equals};
  return REFINED;
}

// All threads of `blocks` blocks of SAMPLE_THREADS; key: the block's sample, and next: the key
// behind its first one. UNKNOWN, but in thread 0 of the last block EVEN, or REFINED with *range.
static __device__ __forceinline__ unsigned int judge_second_sample(
    const unsigned int (&key)[SAMPLE_EACH], unsigned int next, size_t n, unsigned int blocks,
    KeyRange *range, Findings *findings) {
  static_assert(SAMPLE_THREADS == WARP_SIZE * WARP_SIZE, "a group for each warp");
  static_assert(1 << SAMPLE_BITS == SAMPLE_THREADS, "a thread for each value");
  __shared__ unsigned int table[1 << SECOND_TABLE_BITS], count[SAMPLE_THREADS];
  __shared__ SecondSums sums;
  const EqualKeys equal = {table, SECOND_TABLE_BITS, &sums.matches, &sums.winners};
  equal.clear();
  count[threadIdx.x] = 0;
  __syncthreads();
  equal.add(key);
#pragma unroll
  for (int u = 0; u < SAMPLE_EACH; u++) atomicAdd(&count[key[u] >> (32 - SAMPLE_BITS)], 1u);
  const int twins = __syncthreads_count(next == key[0]);
  equal.match(key);
  const unsigned int of_warp = warp_inclusive_scan(count[threadIdx.x]);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) sums.group[threadIdx.x / WARP_SIZE] = of_warp;
  if (threadIdx.x == 0) sums.equal_neighbours = (unsigned int)twins;
  __syncthreads();
  if (threadIdx.x >= WARP_SIZE || !add_up(&sums, blocks, findings)) return UNKNOWN;
  const unsigned int verdict = judge_second_sums(sums, n, blocks, range);
  return threadIdx.x == 0 ? verdict : (unsigned int)UNKNOWN;
}

// What judge_second_sample() has returned, to the findings: EVEN; REFINED, with the range for the
// host; or UNEVEN if more than most_equals keys are equal on average.
static __device__ __forceinline__ void note_second_sample(unsigned int seen, KeyRange range,
                                                          float most_equals, Findings *findings,
                                                          volatile HostVerdict *host) {
  if (seen == UNKNOWN) return;
  // The host asks for the range if it waits; else its verdict is in the findings, which another
  // block clears now.
  if (seen == REFINED && host != &findings->verdict) {
    set_range(&host->refined, range);
    __threadfence_system();
  }
  findings->second_sample =
      seen == REFINED && range.equals > most_equals ? (unsigned int)UNEVEN : seen;
}

#endif
