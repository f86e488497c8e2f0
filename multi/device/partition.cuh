// Bare keys to buckets by their upper bits, as many as have been counted. Equal bare keys are
// identical, so nothing has to be stable: atomics on shared memory give the places inside a tile,
// and atomics on global memory the places of its runs. It needs no ballots and no look-back.
//
//   tile  31 07 35 12 18 33, bin: the first digit   in the tile 07 12 18 31 35 33
//   next  0: 40, 1: 52, 3: 90                       runs to 40 (07), 52 (12 18), 90 (31 35 33)
//   next  0: 41, 1: 54, 3: 93                       for the next tile, whichever it is
//
// Moves 8 bytes a key; a second step, which splits each part, 8 more.
#ifndef MULTI_DEVICE_PARTITION_CUH
#define MULTI_DEVICE_PARTITION_CUH

#include "gsort/block/digits.cuh"
#include "gsort/block/partition.cuh"

// One partition step. With more than one part, every part is partitioned by itself.
typedef struct PartitionStep {
  KeyCode code;  // of the input; the output is unsigned numbers
  Digit digit;
  unsigned int *next;              // [parts][bins] index in the output of each bin's next key
  unsigned int parts;              // at least 1
  const unsigned int *first_tile;  // [parts + 1] number of each part's first tile, if parts > 1
  const unsigned int *start;       // [parts * bins + 1] where each bin begins, if parts > 1
  const unsigned int *stop;        // not 0: the kernel returns at once
} PartitionStep;

template <int kThreads, int kItems, int kEach, int kMaxBins, int kBlocksPerSm,
          bool kBothEnds = false>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    partition(const unsigned int *in, unsigned int *out, unsigned int n, PartitionStep step) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PartitionShared<kThreads, kItems, kEach, kMaxBins> *)shared_memory;
  clear_counters<kThreads>(shared.counter, kThreads * kEach);
  wait_for_previous_kernel();
  const unsigned int bins = step.digit.mask + 1;
  unsigned int begin = blockIdx.x * kTile, end = n, *next = step.next;
  if (step.parts > 1) {
    // One thread per part; the one whose part holds this tile publishes it. In a block behind the
    // last tile none does.
    if (threadIdx.x == 0) shared.begin = shared.end = 0;
    __syncthreads();
    const unsigned int part = threadIdx.x;
    if (part < step.parts) {
      const unsigned int first_tile = step.first_tile[part], behind = step.first_tile[part + 1];
      const unsigned int start = step.start[part * bins],
                         end_of_part = step.start[(part + 1) * bins];
      if (first_tile <= blockIdx.x && blockIdx.x < behind) {
        shared.begin = start + (blockIdx.x - first_tile) * kTile;
        shared.end = end_of_part;
        shared.part = part;
      }
    }
  }
  const bool stopped = *step.stop != 0;
  __syncthreads();
  if (step.parts > 1) {
    begin = shared.begin;
    end = shared.end;
    next += shared.part * bins;
  }
  if (stopped || begin == end) return;
  partition_tile<kBothEnds, COUNTED_BINS, false>(in + begin, out, end - begin, step.code,
                                                 step.digit, next, shared, Regions());
}

#endif
