// Before a sort of pairs by runs: two samples of the keys are judged, the first one for how even
// they are, the second one for equal keys. Tiles are loaded and counted meanwhile. Each sample is
// loaded by the blocks of a cluster. Moves some 600 KB.
#ifndef GSORT_KERNEL_SAMPLE_PAIRS_CUH
#define GSORT_KERNEL_SAMPLE_PAIRS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/runs.cuh"
#include "gsort/block/second_sample.cuh"
#include "gsort/kernel/count_digits.cuh"

enum { PAIR_SAMPLES = 2 };
// With more equal keys on average, sweeps are faster than full bins.
static constexpr float MOST_EQUALS_IN_RUNS = 24;

// A cluster of `blocks` blocks of SAMPLE_THREADS for each sample. capacity: pairs of a bucket.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_pairs(const unsigned int *keys, unsigned int capacity, unsigned int blocks,
                 RunState state) {
  wait_for_previous_kernel();
  Findings *const findings = state.findings;
  if (blockIdx.x == 0) clear_findings(findings);
  const unsigned int number = blockIdx.x / blocks;
  unsigned int key[SAMPLE_EACH], next;
  if (!load_cluster_sample(keys, state.n, state.code, number, findings->sample[number], blocks, key,
                           &next))
    return;
  if (number > 0) {
    KeyRange range = WHOLE_RANGE;
    const unsigned int seen = judge_second_sample(key, next, state.n, 1, &range, findings);
    // The tiles themselves will show whether buckets fit, if not too many keys are equal.
    const bool suit = seen == EVEN || range.equals <= MOST_EQUALS_IN_RUNS;
    if (seen != UNKNOWN) findings->second_sample = suit ? EVEN : UNEVEN;
    return;
  }
  const float group = (float)capacity * (float)(1 << (state.bits - GROUP_BITS));
  const unsigned int seen = judge_sample<false>(
      key, next, state.n, {group, state.most_large, ANY_SKIP}, findings, state.host);
  if (threadIdx.x == 0) findings->first_sample = seen;
}

#endif
