// Splitters from a sample: for few pairs whose keys may be spread in any way, such as the scores of
// an image. Every bucket gets about as many pairs, whatever the keys are.
//
//   rank     2,048 keys of the input, each by counting the smaller ones      (this file)
//   sweep    a stable pass; the digit is the number of splitters <= key      (sample_sweep.cuh)
//   blocks   sort each bucket                                                (sample_block.cuh)
//
// Nothing is counted beforehand: a bucket has a region of memory four times as large as expected.
#ifndef RADIX_V7_SAMPLE_CUH
#define RADIX_V7_SAMPLE_CUH

#include "common/overlap.cuh"
#include "radix_v7/pairs_count.cuh"
#include "radix_v7/ranked.cuh"

enum {
  SAMPLE = 2048,
  SAMPLE_TARGETS = 32,  // keys that a block ranks
  SAMPLE_BITS = 7,
  SAMPLE_BUCKETS = 1 << SAMPLE_BITS,
  SAMPLE_ROOM = 4,    // times the expected size
  COPY_CHUNK = 4096,  // pairs of a large bucket of equal keys that a block copies at a time
};

// A bucket: where its pairs are in the regions, how many, and where they go in the output.
typedef struct SampleBucket {
  unsigned int from, count, to;
} SampleBucket;

// Device memory of one sort.
typedef struct SampleState {
  unsigned int *sorted;     // [SAMPLE]
  unsigned int *look_back;  // [tiles][SAMPLE_BUCKETS], cleared by the first kernel
  unsigned int look_back_size;
  SampleBucket *bucket;   // [SAMPLE_BUCKETS]
  SampleBucket *chunk;    // parts of large buckets of equal keys
  unsigned int *chunks;   // how many
  unsigned int *verdict;  // a Verdict
  volatile HostVerdict *host;
  uint2 *regions;     // of SAMPLE_BUCKETS buckets
  unsigned int room;  // pairs of each
} SampleState;

// Splitter j of 1 .. SAMPLE_BUCKETS - 1. Of equal ones s, s the second is s + 1: between them lies
// a bucket of keys s alone, and those behind are empty.
static __device__ __forceinline__ unsigned int splitter(const unsigned int *sorted,
                                                        unsigned int j) {
  const unsigned int each = SAMPLE / SAMPLE_BUCKETS, key = sorted[each * j];
  return key + (j >= 2 && key != ~0u && sorted[each * (j - 1)] == key);
}

// The sample: a key of each of SAMPLE parts of the input.
struct SampleOf {
  const unsigned int *keys;
  unsigned int n;
  __device__ __forceinline__ unsigned int key(unsigned int j) const {
    const unsigned int begin = (unsigned int)((unsigned long long)j * n / SAMPLE);
    return keys[begin + __umulhi(scramble(j), n / SAMPLE)];
  }
  __device__ __forceinline__ unsigned int position(unsigned int j) const { return j; }
};

// A block ranks SAMPLE_TARGETS of the sampled keys.
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_sample(const unsigned int *keys, unsigned int n, SampleState state) {
  __shared__ RankShared<SAMPLE_TARGETS> shared;
  for (size_t i = global_index(); i < state.look_back_size; i += gridDim.x * RANK_THREADS)
    state.look_back[i] = 0;
  if (global_index() == 0) {
    *state.chunks = 0;
    *state.verdict = FITS;
  }
  rank_and_move<SAMPLE / RANK_THREADS, SAMPLE_TARGETS, false>(shared, SampleOf{keys, n},
                                                              {state.sorted, NULL}, SAMPLE);
}

#endif
