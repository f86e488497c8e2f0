// Makes a sorted sample of wide keys, from which splitters are taken: blocks sort runs, and
// merge_tiles() merges them in pairs.
#ifndef GSORT_KERNEL_SAMPLE_WIDE_SPLITTERS_CUH
#define GSORT_KERNEL_SAMPLE_WIDE_SPLITTERS_CUH

#include "gsort/block/index.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/sample.cuh"
#include "gsort/block/wide_merge.cuh"

enum {
  SAMPLE_ITEMS = 3,
  SAMPLE_RUN = SAMPLE_THREADS * SAMPLE_ITEMS,
};

// Takes a key from each of `samples` stretches of the input and sorts their codes in runs of
// SAMPLE_RUN, a block each. Clears next[0..parts), too, for the count that follows.
static __global__ void __launch_bounds__(SAMPLE_THREADS, 1)
    sample_between(const Wide *keys, size_t n, WideCode code, Wide *sample, unsigned int samples,
                   unsigned int *next, unsigned int parts, Findings *findings) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Wide *const run = (Wide *)shared_memory;
  const unsigned int begin = blockIdx.x * SAMPLE_RUN, valid = min(samples - begin, SAMPLE_RUN);
  wait_for_previous_kernel();
  if (is_sorted_already(findings)) {
    if (blockIdx.x == 0 && threadIdx.x == 0) findings->stop = 1;
    return;
  }
  if (blockIdx.x == 0) {
    clear_findings(findings);
    for (unsigned int p = threadIdx.x; p < parts; p += blockDim.x) next[p] = 0;
  }
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

#endif
