// A second look at keys that pass for even (evenness.cuh): other samples, by other blocks at the
// same time, show whether buckets need more room than even keys would, since
//   - a part of all numbers has somewhat more keys than another: a density that rises by a tenth,
//     or none at the end of the range;
//   - some keys each are equal (equal_keys.cuh), neighbours in the input or not.
// The more keys, the more blocks: with many, less is enough to fill a region.
#ifndef RADIX_V7_SECOND_LOOK_CUH
#define RADIX_V7_SECOND_LOOK_CUH

#include "radix_v7/evenness.cuh"

enum {
  SECOND_TABLE_BITS = 12,
  KEYS_OF_SECOND_BLOCK = 1 << 22,
  SECOND_BLOCKS_FROM = 9000000,  // below, adding up over several blocks would take too long
  MOST_SECOND_BLOCKS = 32
};
static constexpr float LOOK_ALIKE = 2;  // with more equal keys, some region would be full

static inline unsigned int second_blocks(size_t n) {
  const size_t wanted = n < SECOND_BLOCKS_FROM ? 1 : n / KEYS_OF_SECOND_BLOCK;
  return wanted < MOST_SECOND_BLOCKS ? (unsigned int)wanted : (unsigned int)MOST_SECOND_BLOCKS;
}

// What the blocks of a second look have seen.
typedef struct SecondSums {
  unsigned int group[WARP_SIZE];  // samples of each part of all numbers
  unsigned int matches, winners;  // of EqualKeys
  unsigned int twins;             // samples that equal the key behind them
} SecondSums;

// Of all blocks, and those that have ended. Zero between sorts: the last block clears them.
static __device__ SecondSums second_sums;
static __device__ unsigned int second_blocks_arrived;

// Whether samples spread over the groups as those of even keys would not: by chi-square of the
// groups and of four quarters, each exceeded by even keys in one of 10^3 sorts. (Of 8,192 samples,
// a density that rises by a fifth adds 27 to the first, and 26 to the second.) For a whole warp;
// mine: samples of the lane's group. *crowd: what the fullest group has, of its share; by chance it
// rather has more than less.
static __device__ __forceinline__ bool a_little_uneven(float mine, float *crowd) {
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
  *crowd = fullest / share;
  return squares / share - sum > kMostOf32 ||
         squares_of_four / (WARP_SIZE / 4 * share) - sum > kMostOf4;
}

// For the whole first warp: adds the block's sums to those of all blocks, and in the last one
// leaves all in `sums`, which is shared memory; else false.
static __device__ __forceinline__ bool add_up(SecondSums *sums, unsigned int blocks) {
  enum { WORDS = sizeof(SecondSums) / sizeof(unsigned int) };
  unsigned int *const of_block = (unsigned int *)sums, *const of_all = (unsigned int *)&second_sums;
  if (blocks == 1) return true;
  for (unsigned int i = threadIdx.x; i < WORDS; i += WARP_SIZE)
    if (of_block[i] > 0) atomicAdd(&of_all[i], of_block[i]);
  __threadfence();
  __syncwarp();
  unsigned int before = 0;
  if (threadIdx.x == 0) before = atomicAdd(&second_blocks_arrived, 1u);
  if (__shfl_sync(0xffffffffu, before, 0) != blocks - 1) return false;
  __threadfence();
  for (unsigned int i = threadIdx.x; i < WORDS; i += WARP_SIZE) {
    of_block[i] = *(volatile unsigned int *)&of_all[i];
    of_all[i] = 0;
  }
  if (threadIdx.x == 0) second_blocks_arrived = 0;
  __syncwarp();
  return true;
}

// For the whole first warp: FITS, or for thread 0 ROOMIER, with *range.
static __device__ __forceinline__ unsigned int judge_second_look(const SecondSums &sums, size_t n,
                                                                 unsigned int blocks,
                                                                 KeyRange *range) {
  float crowd;
  const bool uneven = a_little_uneven((float)sums.group[threadIdx.x], &crowd);
  // Equal keys may be neighbours in the input, of which a sample has one only.
  const unsigned int neighbours = blocks * LOOK_THREADS, twins = sums.twins;
  const float in_runs =
      twins <= FEW_MATCHES ? 1 : (float)neighbours / (float)(neighbours - twins + 1);
  const float alike =
      fmaxf(in_runs, alike_by_matches(n, LOOK_THREADS * LOOK_EACH, sums.matches, sums.winners));
  if (threadIdx.x > 0 || (!uneven && alike <= LOOK_ALIKE)) return FITS;
  *range = {0, 0, uneven ? crowd : 1, !uneven, false, alike};
  return ROOMIER;
}

// All threads of `blocks` blocks of LOOK_THREADS; key: the block's sample, and next: the key behind
// its first one. UNKNOWN, but in thread 0 of the last block FITS, or ROOMIER with *range.
static __device__ __forceinline__ unsigned int judge_again(const unsigned int (&key)[LOOK_EACH],
                                                           unsigned int next, size_t n,
                                                           unsigned int blocks, KeyRange *range) {
  static_assert(LOOK_THREADS == WARP_SIZE * WARP_SIZE, "a group for each warp");
  static_assert(1 << LOOK_BITS == LOOK_THREADS, "a thread for each value");
  __shared__ unsigned int table[1 << SECOND_TABLE_BITS], count[LOOK_THREADS];
  __shared__ SecondSums sums;
  const EqualKeys equal = {table, SECOND_TABLE_BITS, &sums.matches, &sums.winners};
  equal.clear();
  count[threadIdx.x] = 0;
  __syncthreads();
  equal.add(key);
#pragma unroll
  for (int u = 0; u < LOOK_EACH; u++) atomicAdd(&count[key[u] >> (32 - LOOK_BITS)], 1u);
  const int twins = __syncthreads_count(next == key[0]);
  equal.match(key);
  const unsigned int of_warp = warp_inclusive_scan(count[threadIdx.x]);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) sums.group[threadIdx.x / WARP_SIZE] = of_warp;
  if (threadIdx.x == 0) sums.twins = (unsigned int)twins;
  __syncthreads();
  if (threadIdx.x >= WARP_SIZE || !add_up(&sums, blocks)) return UNKNOWN;
  const unsigned int verdict = judge_second_look(sums, n, blocks, range);
  return threadIdx.x == 0 ? verdict : (unsigned int)UNKNOWN;
}

// What judge_again() has returned, to *verdict: FITS; ROOMIER, with the range for the host; or
// TOO_LARGE if more than most_alike keys are equal on average.
static __device__ __forceinline__ void note_second_look(unsigned int seen, KeyRange range,
                                                        float most_alike, unsigned int *verdict,
                                                        volatile HostVerdict *host) {
  if (seen == UNKNOWN) return;
  if (seen == ROOMIER) {
    set_range(&host->roomier, range);
    __threadfence_system();
  }
  *verdict = seen == ROOMIER && range.alike > most_alike ? (unsigned int)TOO_LARGE : seen;
}

// Loads the block's sample, judges it and notes the result. Blocks have numbers from 1 on.
static __device__ __forceinline__ void look_again(const unsigned int *keys, size_t n,
                                                  unsigned int number, unsigned int blocks,
                                                  float most_alike, unsigned int *verdict,
                                                  volatile HostVerdict *host) {
  unsigned int key[LOOK_EACH];
  load_block_sample(keys, n, key, number);
  const size_t behind = block_sample_index<LOOK_EACH>(n, 0, number) + 1;
  KeyRange range = WHOLE_RANGE;
  const unsigned int seen = judge_again(key, keys[behind < n ? behind : 0], n, blocks, &range);
  note_second_look(seen, range, most_alike, verdict, host);
}

#endif
