// Before a sort of pairs by regions (kernel/sweep_regions.cuh): judges samples of the keys, and
// clears what the sweeps need.
#ifndef GSORT_KERNEL_SAMPLE_FOR_REGIONS_CUH
#define GSORT_KERNEL_SAMPLE_FOR_REGIONS_CUH

#include "gsort/block/evenness.cuh"
#include "gsort/kernel/sweep_regions.cuh"

// The first block judges a sample; the next `second` ones judge more, and the others clear
// words[count]. tile_counter: [2] of the sweeps.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_for_regions(const unsigned int *keys, size_t n, KeyCode code, float capacity,
                       float most_equals, float most_if_known, unsigned int second, uint4 *words,
                       size_t count, unsigned int *tile_counter, RegionsFit *fit,
                       Findings *findings, volatile HostVerdict *host) {
  wait_for_previous_kernel();
  const unsigned int sampling = 1 + second;
  if (blockIdx.x >= sampling) {
    const size_t thread = (size_t)(blockIdx.x - sampling) * SAMPLE_THREADS + threadIdx.x,
                 threads = (size_t)(gridDim.x - sampling) * SAMPLE_THREADS;
    for (size_t i = thread; i < count; i += threads) words[i] = make_uint4(0, 0, 0, 0);
    return;
  }
  unsigned int key[SAMPLE_EACH], next;
  if (blockIdx.x > 0) {
    load_cluster_sample(keys, n, code, blockIdx.x, findings->sample, 1, key, &next);
    const unsigned int seen =
        judge_second_sample(key, next, n, second, false, most_equals, findings, most_if_known);
    if (seen != UNKNOWN) findings->second_sample = seen;
    return;
  }
  if (threadIdx.x < 2) tile_counter[threadIdx.x] = fit->full[threadIdx.x] = 0;
  if (threadIdx.x == 0) fit->buckets = false;
  if (second == 1) clear_findings(findings);  // else other blocks use them already
  load_block_sample(keys, n, code, key);
  const unsigned int finding = judge_sample<true, false, false>(key, n, capacity, findings, host);
  if (threadIdx.x > 0) return;
  findings->first_sample = finding;
  if (is_even(finding)) host->finding = EVEN;
}

#endif
