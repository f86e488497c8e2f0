// Bare keys to buckets without counting them: each bucket has a region of memory for a little more
// keys than its share. If a region is full, the result is of no use, and the input is as it was.
//
//   4 buckets, regions of 5    [07 02 .. .. ..][18 12 11 .. ..][25 .. .. .. ..][31 35 33 38 ..]
//   next place of each         2               8               11              19
//
// While sample_keys() judges two samples, the first blocks of the next kernel load their tiles.
// With more than 2^10 buckets there are two steps: to parts, and from each part to its buckets.
// Moves 8 bytes a key, or 16.
#ifndef GSORT_KERNEL_MOVE_TO_REGIONS_CUH
#define GSORT_KERNEL_MOVE_TO_REGIONS_CUH

#include "gsort/block/evenness.cuh"
#include "gsort/block/partition.cuh"
#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sort_buckets.cuh"

// Before keys are moved: what the kernels behind it need.
static __device__ __forceinline__ void prepare_regions(const RegionBuckets &buckets) {
  const unsigned int regions = 1u << (buckets.bits.first + buckets.bits.second);
  for (unsigned int b = threadIdx.x; b < regions; b += SAMPLE_THREADS)
    buckets.regions.next[b] = b * buckets.regions.capacity;
  if (buckets.bits.second > 0 && threadIdx.x < 1u << buckets.bits.first)
    buckets.parts.next[threadIdx.x] = threadIdx.x * buckets.parts.capacity;
}

//   1,024 threads, a count each    18 samples of 8,192 begin with 0000000000, 9 with 0000000001, ..
//   32 or more                     such keys are not even
//
// The first sample tells keys that are far from even, the second one, which others judge at the
// same time, keys that are a little uneven, or equal (block/evenness.cuh).
//
// A sample for each `loading` blocks: a cluster, or 1. The first one is judged; all others
// together are the second sample. If these are several, CLEARED_BYTES of the findings are 0
// before. tells_even: the host waits for EVEN, too.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_keys(const unsigned int *keys, size_t n, unsigned int loading, float capacity,
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
  if (!load_cluster_sample(keys, n, buckets.code, series, &findings->sample[series % 2], loading,
                           key, &next))
    return;
  if (series > 0) {
    const float most_equals = buckets.bits.second > 0 ? MOST_EQUALS_OF_TWO_STEPS : MOST_EQUALS_BARE;
    const unsigned int seen =
        judge_second_sample(key, next, n, second, false, most_equals, findings);
    if (seen != UNKNOWN) findings->second_sample = seen;
    return;
  }
  const unsigned int verdict = judge_sample<true, false, true>(key, n, capacity, findings, host);
  if (threadIdx.x > 0) return;
  findings->first_sample = verdict;
  if (tells_even && is_even(verdict)) host->finding = EVEN;
}

// The only step, or the first of two: then `regions` are the parts. What the second sample says
// against even keys, the host is told here. sweeps: for keys that suit only these, or {}; the first
// blocks count their digits.
template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm, int kKind>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_to_regions(const unsigned int *in, unsigned int *out, unsigned int n, KeyCode code,
                    Digit digit, Regions regions, SweepState sweeps, volatile HostVerdict *host) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PartitionShared<kThreads, kItems, kEach, kMaxBins> *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  const bool late = blockIdx.x >= regions.early;
  bool moved = !late || regions_ready(regions);
  const bool useless = late && *(volatile unsigned int *)&regions.findings->stop != 0;
  if (__syncthreads_or(useless) != 0) return;
  const unsigned int begin = blockIdx.x * kTile;
  if (moved)
    moved = partition_tile<false, kKind, true>(in + begin, out, n - begin, code, digit,
                                               regions.next, shared, regions);
  if (moved) return;
  const unsigned int first = regions.findings->first_sample;
  if (blockIdx.x == 0 && threadIdx.x == 0 && is_even(first)) host->finding = UNEVEN;
  const unsigned int counting = min(gridDim.x, regions.early);
  if (sweeps.start == NULL || blockIdx.x >= counting) return;
  if (leave_only_sweeps(regions.findings)) count_instead(shared, in, n, code, sweeps, counting);
}

// The second of two steps: from the parts, which lie in `in` and parts.behind, to regions of `out`.
template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    split_parts(const unsigned int *in, unsigned int *out, unsigned int tiles_of_part, Digit digit,
                Regions parts, Regions regions) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PartitionShared<kThreads, kItems, kEach, kMaxBins> *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  wait_for_previous_kernel();
  const bool useless =
      nothing_to_move(regions) || *(volatile unsigned int *)&regions.findings->stop != 0;
  if (__syncthreads_or(useless) != 0) return;  // others may fill a region meanwhile
  const unsigned int part = blockIdx.x / tiles_of_part, begin = part * parts.capacity,
                     end = parts.next[part], tile = begin + blockIdx.x % tiles_of_part * kTile;
  if (tile >= end) return;
  regions.first = part * (digit.mask + 1);
  const unsigned int *const from = (begin < parts.split ? in : parts.behind) + tile;
  partition_tile<false, REGIONS, false>(from, out, end - tile, KeyCode{0, 0}, digit,
                                        regions.next + regions.first, shared, regions);
}

#endif
