// First step of a sort by splitters: a sample of the keys is sorted, each of them by counting the
// smaller ones (rank.cuh), and every SAMPLES_EACH-th key of it is a splitter.
//
//   sample, 2 for each bucket   30 10 70 20 50 60    sorted 10 20 30 50 60 70
//   splitters                   10 30 60             buckets < 30, 30 .. 59, >= 60
//
// Moves some 16 KB.
#ifndef GSORT_KERNEL_SAMPLE_SPLITTERS_CUH
#define GSORT_KERNEL_SAMPLE_SPLITTERS_CUH

#include "gsort/block/runs.cuh"
#include "gsort/block/sample.cuh"
#include "gsort/block/splitters.cuh"
#include "gsort/kernel/rank.cuh"

// Splitters as where a sorted sample goes.
struct SplitterPlaces {
  unsigned int *key, *sorted;
  __device__ __forceinline__ void put(unsigned int place, unsigned int sampled,
                                      unsigned int) const {
    sorted[place] = sampled;
    if (place % SAMPLES_EACH == 0) key[place / SAMPLES_EACH] = sampled;
  }
};

// The sample: the code of a key of each of `samples` parts of the input.
struct SampleOf {
  const unsigned int *keys;
  unsigned int n, samples;
  KeyCode code;
  __device__ __forceinline__ unsigned int key(unsigned int j) const {
    const unsigned int begin = (unsigned int)((unsigned long long)j * n / samples);
    return encode(code, keys[begin + __umulhi(scramble(j), n / samples)]);
  }
  __device__ __forceinline__ unsigned int value(unsigned int) const { return 0; }
};

// Ranks a sample of kRows * RANK_THREADS keys, kOwn of them in each block.
template <int kRows, int kOwn>
static __global__ void __launch_bounds__(RANK_THREADS)
    sample_splitters(const unsigned int *keys, unsigned int n, KeyCode code, SplitterPlaces out,
                     Findings *findings) {
  constexpr unsigned int kSamples = kRows * RANK_THREADS;
  __shared__ RankShared<kOwn> shared;
  if (blockIdx.x == 0) clear_findings(findings);
  rank_and_move<kRows, kOwn, false>(shared, SampleOf{keys, n, kSamples, code}, out, kSamples);
}

#endif
