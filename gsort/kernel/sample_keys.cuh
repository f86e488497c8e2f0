// Before bare keys are moved to regions (kernel/move_to_regions.cuh): judges two samples of them,
// and prepares the regions and what else the kernels behind it need.
//
//   1,024 threads, a count each    18 samples of 8,192 begin with 0000000000, 9 with 0000000001, ..
//   32 or more                     such keys are not even
//
// The first sample tells keys that are far from even (block/evenness.cuh), the second one, which
// others judge at the same time, keys that are a little uneven, or equal (block/second_sample.cuh).
#ifndef GSORT_KERNEL_SAMPLE_KEYS_CUH
#define GSORT_KERNEL_SAMPLE_KEYS_CUH

#include "gsort/block/second_sample.cuh"
#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sort_buckets.cuh"

enum { SAMPLE_CLUSTER = 8 };

static __device__ __forceinline__ void prepare_regions(const RegionBuckets &buckets) {
  const unsigned int regions = 1u << (buckets.bits.first + buckets.bits.second);
  for (unsigned int b = threadIdx.x; b < regions; b += SAMPLE_THREADS)
    buckets.regions.next[b] = b * buckets.regions.capacity;
  if (buckets.bits.second > 0 && threadIdx.x < 1u << buckets.bits.first)
    buckets.parts.next[threadIdx.x] = threadIdx.x * buckets.parts.capacity;
}

// A sample for each `loading` blocks: a cluster, or 1. The first one is judged by `limits`; all
// others together are the second sample. If these are several, CLEARED_BYTES of the findings are 0
// before. tells_even: the host waits for EVEN, too.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_keys(const unsigned int *keys, size_t n, unsigned int loading, SampleLimits limits,
                RegionBuckets buckets, bool tells_even) {
  let_next_kernel_begin();
  Findings *const findings = buckets.regions.findings;
  volatile HostVerdict *const host = buckets.host;
  const unsigned int series = blockIdx.x / loading, second = gridDim.x / loading - 1;
  if (blockIdx.x == 0) {
    prepare_regions(buckets);
    if (second == 1) clear_findings(findings);
  }
  unsigned int key[SAMPLE_EACH], next;
  if (!load_cluster_sample(keys, n, buckets.code, series, findings->sample[series % 2], loading,
                           key, &next))
    return;
  if (series > 0) {
    KeyRange range = WHOLE_RANGE;
    const unsigned int seen = judge_second_sample(key, next, n, second, &range, findings);
    note_second_sample(seen, range, MOST_EQUALS_BARE, findings, host);
    return;
  }
  const unsigned int verdict = judge_sample<true>(key, next, n, limits, findings, host);
  if (threadIdx.x > 0) return;
  findings->first_sample = verdict;
  if (tells_even && verdict == EVEN) host->finding = EVEN;
}

#endif
