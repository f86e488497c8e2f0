// In front of a first stable step of wide pairs that are in some order: counts the pairs of each
// region, and gives it just the slots for them. Of pairs in random order, all blocks have about as
// many of each bin. Of pairs in order, a block may have a bin or two only, and all of its pairs go
// to these: more than a region of the usual size can hold.
//
//   block 0 has   a a a a a a     region of bin a  [a a a a a a . .] [a a . .]
//   block 1 has   a a b b b b           of bin b   [] [b b b b]
//
// Moves 8 bytes a pair.
#ifndef GSORT_KERNEL_COUNT_WIDE_PARTS_CUH
#define GSORT_KERNEL_COUNT_WIDE_PARTS_CUH

#include "gsort/kernel/stable_wide_split.cuh"

enum { COUNT_PARTS_THREADS = 1024, COUNT_PARTS_UNROLL = 8 };

// A block for each block of the step, with the same pairs. The last block finds where the regions
// begin, none of them in both memories, and lets the step begin.
template <class Value>
static __global__ void __launch_bounds__(COUNT_PARTS_THREADS, 1)
    count_wide_parts(PairSource<PairRegions<Value>> source, CountedRegions<Value> regions, int bits,
                     const WideMap *map_of_keys, Findings *findings) {
  __shared__ unsigned int count[BINS], sums[MAX_WARPS], gap;
  wait_for_previous_kernel();
  const unsigned int lane = threadIdx.x % WARP_SIZE, bins = 1u << bits, blocks = regions.blocks;
  for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x) count[b] = 0;
  __syncthreads();
  const WideMap map = *map_of_keys;
  const unsigned int from = begin_of_slice(source.n, blockIdx.x, blocks),
                     end = begin_of_slice(source.n, blockIdx.x + 1, blocks);
  for_kind(map.kind, [&](auto kind) {
    for (unsigned int at = from; at < end; at += COUNT_PARTS_UNROLL * COUNT_PARTS_THREADS) {
      Wide key[COUNT_PARTS_UNROLL];
#pragma unroll
      for (int u = 0; u < COUNT_PARTS_UNROLL; u++) {
        const unsigned int i = at + u * COUNT_PARTS_THREADS + threadIdx.x;
        key[u] = i < end ? source.keys[i] : 0;
      }
#pragma unroll
      for (int u = 0; u < COUNT_PARTS_UNROLL; u++) {
        const unsigned int i = at + u * COUNT_PARTS_THREADS + threadIdx.x;
        const Wide number = number_of<decltype(kind)::kind>(map, encode(source.code, key[u]));
        const unsigned int bin = i < end ? (unsigned int)(number >> 32) >> (32 - bits) : bins;
        const bool alike = share_bin(bin);  // then the lanes would queue for its counter
        if (bin < bins && (lane == 0 || !alike))
          atomicAdd(&count[bin], alike ? (unsigned int)WARP_SIZE : 1u);
      }
    }
  });
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < bins; b += blockDim.x)
    regions.count[b * blocks + blockIdx.x] = count[b];
  if (!is_last_block(&findings->arrived)) return;
  const unsigned int all = bins * blocks,
                     each = (all + COUNT_PARTS_THREADS - 1) / COUNT_PARTS_THREADS,
                     first = min(threadIdx.x * each, all), behind = min(first + each, all);
  const auto slots_of = [&](unsigned int region) {
    return (regions.count[region] + SECTOR - 1) / SECTOR * SECTOR;
  };
  if (threadIdx.x == 0) gap = 0;
  unsigned int mine = 0;
  for (unsigned int r = first; r < behind; r++) mine += slots_of(r);
  const unsigned int begin = block_inclusive_scan(mine, sums) - mine;
  unsigned int slot = begin;
  for (unsigned int r = first; r < behind; slot += slots_of(r), r++)
    if (slot < regions.split && slot + slots_of(r) > regions.split) gap = regions.split - slot;
  __syncthreads();
  slot = begin;
  for (unsigned int r = first; r < behind; slot += slots_of(r), r++)
    regions.begin[r] = slot + slots_of(r) > regions.split ? slot + gap : slot;
  if (threadIdx.x == 0) findings->second_sample = EVEN;
}

#endif
