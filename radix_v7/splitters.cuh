// Splitters from a sample, for keys that may be spread in any way, such as the scores of an image:
// every bucket gets about as many pairs, whatever the keys are. Else as runs.cuh: the digit of a
// tile's sort is the number of splitters <= key.
//
//   rank     a sample of the keys, each by counting the smaller ones      (this file)
//   tiles    sort each tile by the splitters                              (split_tiles.cuh)
//   blocks   gather each bucket's runs and sort them                      (split_block.cuh)
//
// Source: W. D. Frazer and A. C. McKellar, "Samplesort", Journal of the ACM 17(3), 1970.
#ifndef RADIX_V7_SPLITTERS_CUH
#define RADIX_V7_SPLITTERS_CUH

#include "common/launch.cuh"
#include "radix_v7/ranked.cuh"
#include "radix_v7/runs.cuh"

// Sampled keys of a bucket. One bucket in some 10^4 then has more than 2.3 times its share.
enum { SAMPLES_EACH = 16 };

// Device memory: the sorted sample, and every SAMPLES_EACH-th key of it once more, side by side, as
// many blocks read all of these.
typedef struct Splitters {
  const unsigned int *key;     // [buckets]
  const unsigned int *sorted;  // [SAMPLES_EACH * buckets]
  unsigned int buckets;

  // The least key of bucket j; 0 for j == buckets stands for 2^32. Of equal splitters s, s the
  // second is s + 1: between them lies a bucket of keys s alone, and those behind are empty.
  __device__ __forceinline__ unsigned int edge(unsigned int j) const {
    if (j == 0 || j == buckets) return 0;
    return key[j] + (j >= 2 && key[j] != ~0u && key[j - 1] == key[j]);
  }
} Splitters;

// Splitters as where a sorted sample goes.
struct SplitterPlaces {
  unsigned int *key, *sorted;
  __device__ __forceinline__ void put(unsigned int place, unsigned int sampled,
                                      unsigned int) const {
    sorted[place] = sampled;
    if (place % SAMPLES_EACH == 0) key[place / SAMPLES_EACH] = sampled;
  }
};

// The sample: a key of each of `samples` parts of the input.
struct SampleOf {
  const unsigned int *keys;
  unsigned int n, samples;
  __device__ __forceinline__ unsigned int key(unsigned int j) const {
    const unsigned int begin = (unsigned int)((unsigned long long)j * n / samples);
    return keys[begin + __umulhi(scramble(j), n / samples)];
  }
  __device__ __forceinline__ unsigned int position(unsigned int) const { return 0; }
};

// Ranks a sample of kRows * RANK_THREADS keys, kOwn of them in each block.
template <int kRows, int kOwn>
static __global__ void __launch_bounds__(RANK_THREADS)
    rank_sample(const unsigned int *keys, unsigned int n, SplitterPlaces out) {
  constexpr unsigned int kSamples = kRows * RANK_THREADS;
  __shared__ RankShared<kOwn> shared;
  rank_and_move<kRows, kOwn, false>(shared, SampleOf{keys, n, kSamples}, out, kSamples);
}

#endif
