// Finds frequent values in a sample (frequent_values.cuh).
#ifndef GSORT_BLOCK_FIND_FREQUENT_CUH
#define GSORT_BLOCK_FIND_FREQUENT_CUH

#include "gsort/block/frequent_values.cuh"
#include "gsort/block/sample.cuh"

enum {
  CANDIDATES = SAMPLE_THREADS,  // a thread for each
  CANDIDATE_BITS = SLOT_BITS + 2,
  CANDIDATES_OF_SLOT = CANDIDATES / SLOTS,
  LEAST_SAMPLES = 4,  // of a frequent value
};
// With a smaller share of frequent values, four sweeps over all pairs are as fast.
static constexpr float LEAST_SHARE = 0.3f;

// A value, and how many samples have it.
typedef struct Candidate {
  unsigned int value, samples;
} Candidate;

// A candidate of each thread: of the values with the thread's hash, one with many samples. Rows of
// samples propose theirs one after the other; of equal hashes the last one stays. candidate, count:
// [CANDIDATES] of shared memory.
static __device__ Candidate find_candidate(const unsigned int (&key)[SAMPLE_EACH],
                                           unsigned int *candidate, unsigned int *count) {
  constexpr int kRows = 2;  // that propose at a time
  Candidate best = {LARGEST_KEY, 0};
#pragma unroll
  for (int first = 0; first < SAMPLE_EACH; first += kRows) {
    candidate[threadIdx.x] = LARGEST_KEY;
    count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int u = first; u < first + kRows; u++)  // the last slot is that of the largest key
      if (value_hash(key[u], SLOT_BITS) != SLOTS - 1)
        atomicExch(&candidate[value_hash(key[u], CANDIDATE_BITS)], key[u]);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < SAMPLE_EACH; u++) {
      const unsigned int hash = value_hash(key[u], CANDIDATE_BITS);
      if (candidate[hash] == key[u]) atomicAdd(&count[hash], 1u);
    }
    __syncthreads();
    if (count[threadIdx.x] > best.samples) best = {candidate[threadIdx.x], count[threadIdx.x]};
  }
  return best;
}

// The best candidate of each slot, for the first of its threads, which are lanes of one warp.
static __device__ __forceinline__ Candidate best_of_slot(Candidate mine) {
  for (int lanes = 1; lanes < CANDIDATES_OF_SLOT; lanes *= 2) {
    const Candidate other = {__shfl_xor_sync(0xffffffffu, mine.value, lanes),
                             __shfl_xor_sync(0xffffffffu, mine.samples, lanes)};
    if (other.samples > mine.samples) mine = other;
  }
  return mine;
}

// All threads of a block of SAMPLE_THREADS: fills the table from a sample of keys[0..n).
static __device__ void find_frequent(const unsigned int *keys, size_t n, KeyCode code,
                                     FrequentValues *frequent) {
  __shared__ unsigned int candidate[CANDIDATES], count[CANDIDATES], value[SLOTS], in_table;
  unsigned int key[SAMPLE_EACH];
  load_block_sample(keys, n, code, key);
  if (threadIdx.x == 0) in_table = 0;
  const Candidate best = best_of_slot(find_candidate(key, candidate, count));
  const bool has_slot = threadIdx.x % CANDIDATES_OF_SLOT == 0;
  const unsigned int slot = threadIdx.x / CANDIDATES_OF_SLOT;
  const bool is_last = has_slot && slot == SLOTS - 1, may_be = has_slot && !is_last;
  unsigned int least = LEAST_SAMPLES;
  while (__syncthreads_count(may_be && best.samples >= least) > MOST_FREQUENT) least++;
  const bool chosen = may_be && best.samples >= least;
  const unsigned int found = (unsigned int)__syncthreads_count(chosen);
  const unsigned int samples = warp_sum(chosen || is_last ? best.samples : 0);
  if (threadIdx.x % WARP_SIZE == 0) atomicAdd(&in_table, samples);
  if (has_slot) value[slot] = chosen ? best.value : LARGEST_KEY;
  __syncthreads();
  if (has_slot) {
    unsigned int smaller = 0;
    for (unsigned int other = 0; other < SLOTS; other++) smaller += value[other] < value[slot];
    frequent->slot[slot] = value[slot];
    frequent->number[slot] = smaller;
    if (chosen) frequent->value[smaller] = value[slot];
  }
  if (threadIdx.x >= found && threadIdx.x <= MOST_FREQUENT)
    frequent->value[threadIdx.x] = LARGEST_KEY;
  if (threadIdx.x == 0)
    frequent->used = (float)in_table >= LEAST_SHARE * (float)(SAMPLE_THREADS * SAMPLE_EACH);
}

#endif
