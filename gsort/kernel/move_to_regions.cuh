// Bare keys to buckets without counting them: each bucket has a region of memory for a little more
// keys than its share. If a region is full, the result is of no use, and the input is as it was.
//
//   4 buckets, regions of 5    [07 02 .. .. ..][18 12 11 .. ..][25 .. .. .. ..][31 35 33 38 ..]
//   next place of each         2               8               11              19
//
// While the previous kernel judges a sample (kernel/sample_keys.cuh), the first blocks load their
// tiles. With more than 2^10 buckets there are two steps: to parts, and from each part to its
// buckets. Moves 8 bytes a key, or 16.
#ifndef GSORT_KERNEL_MOVE_TO_REGIONS_CUH
#define GSORT_KERNEL_MOVE_TO_REGIONS_CUH

#include "gsort/block/partition.cuh"
#include "gsort/block/second_sample.cuh"
#include "gsort/kernel/count_digits.cuh"

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
  bool moved = blockIdx.x < regions.early || regions_ready(regions);
  __syncthreads();
  const unsigned int begin = blockIdx.x * kTile;
  if (moved)
    moved = partition_tile<false, kKind>(in + begin, out, n - begin, code, digit, regions.next,
                                         shared, regions);
  if (moved) return;
  const unsigned int first = regions.findings->first_sample,
                     second = regions.findings->second_sample;
  if (blockIdx.x == 0 && threadIdx.x == 0 && first == EVEN) host->finding = second;
  const unsigned int counting = min(gridDim.x, regions.early);
  if (sweeps.start == NULL || blockIdx.x >= counting) return;
  if (leave_only_sweeps(first, second)) count_instead(shared, in, n, code, sweeps, counting);
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
  partition_tile<false, REGIONS>(from, out, end - tile, KeyCode{0, 0}, digit,
                                 regions.next + regions.first, shared, regions);
}

#endif
