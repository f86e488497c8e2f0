// A second sample, judged while other blocks work: keys that pass for even in the first one may
// still overfill some bucket, if
//   - one part of all numbers has a little more keys than another: a density that rises by a tenth,
//     or none at the end of the range;
//   - some keys each are equal (equal_keys.cuh), neighbours in the input or not.
// The more keys, the more blocks: with many, less is enough to fill a bucket.
#ifndef GSORT_BLOCK_SECOND_SAMPLE_CUH
#define GSORT_BLOCK_SECOND_SAMPLE_CUH

#include "gsort/block/equal_keys.cuh"
#include "gsort/block/evenness.cuh"

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
  if (seen == REFINED) {
    set_range(&host->refined, range);
    __threadfence_system();
  }
  findings->second_sample =
      seen == REFINED && range.equals > most_equals ? (unsigned int)UNEVEN : seen;
}

#endif
