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

enum {
  SAMPLE = 2048,
  SAMPLE_THREADS = 1024,
  SAMPLE_TARGETS = 16,  // keys that a block ranks
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

// All blocks read the whole sample, one key of each stride; a block ranks SAMPLE_TARGETS of them.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    rank_sample(const unsigned int *keys, unsigned int n, SampleState state) {
  constexpr int kEach = SAMPLE / SAMPLE_THREADS;
  __shared__ unsigned int sample[SAMPLE], rank[SAMPLE_TARGETS];
  wait_for_previous_kernel();
  for (size_t i = global_index(); i < state.look_back_size; i += gridDim.x * SAMPLE_THREADS)
    state.look_back[i] = 0;
  if (global_index() == 0) {
    *state.chunks = 0;
    *state.verdict = FITS;
  }
  unsigned int key[kEach];
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    const unsigned int j = threadIdx.x + k * SAMPLE_THREADS, stride = n / SAMPLE;
    key[k] = sample[j] = keys[j * stride + __umulhi(scramble(j), stride)];
  }
  if (threadIdx.x < SAMPLE_TARGETS) rank[threadIdx.x] = 0;
  __syncthreads();
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int mine = 0;
#pragma unroll 4
  for (unsigned int t = 0; t < SAMPLE_TARGETS; t++) {
    const unsigned int target = blockIdx.x * SAMPLE_TARGETS + t, one = sample[target];
    unsigned int smaller = 0;
#pragma unroll
    for (int k = 0; k < kEach; k++) {
      const bool before =
          key[k] < one || (key[k] == one && threadIdx.x + k * SAMPLE_THREADS < target);
      smaller += (unsigned int)__popc((int)__ballot_sync(0xffffffffu, before));
    }
    if (lane == t) mine = smaller;
  }
  if (lane < SAMPLE_TARGETS) atomicAdd(&rank[lane], mine);
  __syncthreads();
  if (threadIdx.x < SAMPLE_TARGETS)
    state.sorted[rank[threadIdx.x]] = sample[blockIdx.x * SAMPLE_TARGETS + threadIdx.x];
}

#endif
