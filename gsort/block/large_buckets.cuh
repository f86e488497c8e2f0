// Buckets that are too large for a block, but few: each is sorted as an array.
#ifndef GSORT_BLOCK_LARGE_BUCKETS_CUH
#define GSORT_BLOCK_LARGE_BUCKETS_CUH

#include "gsort/block/findings.cuh"

enum { LARGE_FROM = 6000000 };  // elements per large bucket: its launches take 20 to 30 us

// Large buckets of n elements up to which the others are sorted as buckets. They are sorted by way
// of the input, which has to be free; indices have no values there.
static inline unsigned int most_large(const Call *call) {
  const bool has_space = call->input.values != NULL || call->output.values == NULL;
  const size_t most = call->overwrite && has_space ? call->n / LARGE_FROM : 0;
  return most < MOST_LARGE ? (unsigned int)most : (unsigned int)MOST_LARGE;
}

static __device__ __forceinline__ void note_large(LargeBuckets *large, unsigned int begin,
                                                  unsigned int count) {
  const unsigned int i = atomicAdd(&large->found, 1u);
  if (i < MOST_LARGE) large->bucket[i] = {begin, count};
}

// One thread: tells the host the large buckets of n elements; false if there are more than `most`,
// or they hold more than a quarter of all elements, so that sweeps over everything are better.
static __device__ __forceinline__ bool tell_large(const LargeBuckets *large, unsigned int most,
                                                  unsigned int n, volatile HostVerdict *host) {
  if (large->found == 0) return true;
  if (large->found > MOST_LARGE || large->found > most) return false;
  unsigned int sum = 0;
  for (unsigned int i = 0; i < large->found; i++) {
    sum += large->bucket[i].count;
    host->bucket[i].begin = large->bucket[i].begin;
    host->bucket[i].count = large->bucket[i].count;
  }
  if (sum > n / 4) return false;
  host->large = large->found;
  __threadfence_system();
  return true;
}

#endif
