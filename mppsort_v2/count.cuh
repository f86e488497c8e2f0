// Step 2: counts the keys of the fine ranges, in one read.
#ifndef MPPSORT_V2_COUNT_CUH
#define MPPSORT_V2_COUNT_CUH

#include "gsort/block/digits.cuh"
#include "mppsort_v2/ranges.cuh"

enum { COUNT_THREADS = 768, COUNT_UNROLL = 4 };

static inline size_t tables_bytes(const Level &level) {
  return level.divisions * sizeof(Division) + level.slots * sizeof(unsigned short);
}

static inline size_t count_shared_bytes(const Level &level) {
  return level.slots * sizeof(unsigned int) + tables_bytes(level);
}

// A block has neighbouring tiles, and adds up its counts for each part that they belong to.
static __global__ void __launch_bounds__(COUNT_THREADS, resident_blocks(COUNT_THREADS, 2))
    count_ranges(const unsigned int *keys, Level level) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int shared_part;
  Division *const division = (Division *)shared_memory;
  unsigned int *const counter = shared_memory + 2 * level.divisions;
  unsigned short *const entry = (unsigned short *)(counter + level.slots);
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  const unsigned int each = (tiles + gridDim.x - 1) / gridDim.x;
  unsigned int tile = min(blockIdx.x * each, tiles);
  const unsigned int end = min(tile + each, tiles);
  while (tile < end) {
    const unsigned int p = part_of_tile(level, parts, tile, &shared_part);
    const Part part = level.part[p];
    const Root root = level.root[p];
    load_tables(level, p, root, entry, division);
    for (unsigned int i = threadIdx.x; i < (root.slots + 1) / 2 * 2; i += blockDim.x)
      counter[i] = 0;
    __syncthreads();
    const unsigned int first = level.first_tile[p], behind = min(end, level.first_tile[p + 1]);
    const unsigned int *const from = keys + part.begin;
    const size_t to = min((size_t)(behind - first) * level.tile, (size_t)part.length);
    size_t i = (size_t)(tile - first) * level.tile + threadIdx.x;
    for (; i + (COUNT_UNROLL - 1) * COUNT_THREADS < to; i += COUNT_UNROLL * COUNT_THREADS) {
      unsigned int key[COUNT_UNROLL];
#pragma unroll
      for (int u = 0; u < COUNT_UNROLL; u++) key[u] = from[i + u * COUNT_THREADS];
#pragma unroll
      for (int u = 0; u < COUNT_UNROLL; u++)
        atomicAdd(&counter[find_slot(key[u], root, entry, division, 2)], 1u);
    }
    for (; i < to; i += COUNT_THREADS)
      atomicAdd(&counter[find_slot(from[i], root, entry, division, 2)], 1u);
    __syncthreads();
    // Two counts at a time: neither overflows, as no sum of counts exceeds n.
    unsigned long long *const sums = (unsigned long long *)(level.counts + (size_t)p * level.slots);
    for (unsigned int s = threadIdx.x; s < (root.slots + 1) / 2; s += blockDim.x) {
      const unsigned long long two = ((const unsigned long long *)counter)[s];
      if (two != 0) atomicAdd(&sums[s], two);
    }
    __syncthreads();
    tile = behind;
  }
}

#endif
