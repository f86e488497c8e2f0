// Makes a sorted sample of wide keys, from which splitters are taken: blocks sort runs, which are
// then merged in pairs until there is one.
#ifndef GSORT_KERNEL_SAMPLE_WIDE_SPLITTERS_CUH
#define GSORT_KERNEL_SAMPLE_WIDE_SPLITTERS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/passes_in_one.cuh"
#include "gsort/block/sample.cuh"
#include "gsort/block/wide_merge.cuh"

enum {
  SAMPLE_ITEMS = 3,
  SAMPLE_RUN = SAMPLE_THREADS * SAMPLE_ITEMS,
  MERGE_ITEMS = 3,
  MERGE_PART = MERGE_THREADS * MERGE_ITEMS,
};
static_assert(2 * SAMPLE_RUN % MERGE_PART == 0, "parts of two runs");

// Times that `samples` samples are merged.
static inline __host__ __device__ unsigned int sample_merges(unsigned int samples) {
  unsigned int merges = 0;
  for (unsigned int run = SAMPLE_RUN; run < samples; run *= 2) merges++;
  return merges;
}

// Takes a key from each of `samples` stretches of the input and sorts their codes in runs of
// SAMPLE_RUN, a block each. Clears next[0..parts), too, for the count that follows. Sets
// findings->stop if the keys are sorted, or sweeps are better.
static __global__ void __launch_bounds__(SAMPLE_THREADS, 1)
    sample_between(const Wide *keys, size_t n, WideCode code, Wide *sample, unsigned int samples,
                   unsigned int *next, unsigned int parts, Findings *findings) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Wide *const run = (Wide *)shared_memory;
  const unsigned int begin = blockIdx.x * SAMPLE_RUN, valid = min(samples - begin, SAMPLE_RUN);
  wait_for_previous_kernel();
  const bool stops = needs_no_splitters(findings);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    findings->stop = stops;
    findings->arrived = 0;
    findings->progress = {0, 0};
  }
  if (stops) return;
  if (blockIdx.x == 0)
    for (unsigned int p = threadIdx.x; p < parts; p += SAMPLE_THREADS) next[p] = 0;
  const double stretch = (double)n / samples;
#pragma unroll
  for (int u = 0; u < SAMPLE_ITEMS; u++) {
    const unsigned int i = threadIdx.x + u * SAMPLE_THREADS, number = begin + i;
    if (i >= valid) continue;
    const unsigned int jitter = __umulhi(scramble(number), (unsigned int)stretch);
    run[i] = encode(code, keys[(size_t)(stretch * number) + jitter]);
  }
  __syncthreads();
  merge_sort_codes<SAMPLE_THREADS, SAMPLE_ITEMS>(run, (None *)NULL, valid);
  for (unsigned int i = threadIdx.x; i < valid; i += SAMPLE_THREADS) sample[begin + i] = run[i];
}

// All merges, one at least, in one launch (block/passes_in_one.cuh), from `sample` to `other` and
// back.
static __global__ void __launch_bounds__(MERGE_THREADS, MERGE_BLOCKS)
    merge_sample(Wide *sample, Wide *other, unsigned int samples, Findings *findings) {
  __shared__ Wide tile[MERGE_PART];
  Progress *const progress = &findings->progress;
  wait_for_previous_kernel();
  if (findings->stop != 0) return;
  const unsigned int parts = (samples + MERGE_PART - 1) / MERGE_PART,
                     all = sample_merges(samples) * parts;
  unsigned int merge = 0, mine = 0;  // parts of this merge that the block has done
  for (;;) {
    const unsigned int part = take_part(&progress->taken);
    if (part >= (merge + 1) * parts) {
      add_done(&progress->done, mine);
      if (part >= all) return;
      merge = part / parts;
      mine = 0;
      wait_until(&progress->done, merge * parts);
    }
    const Runs<None> here = {merge % 2 == 0 ? sample : other, NULL},
                     there = {merge % 2 == 0 ? other : sample, NULL};
    merge_part<MERGE_THREADS, MERGE_ITEMS>(Runs<None>{tile, NULL}, here, samples,
                                           (unsigned int)SAMPLE_RUN << merge,
                                           part % parts * MERGE_PART, there);
    mine++;
  }
}

#endif
