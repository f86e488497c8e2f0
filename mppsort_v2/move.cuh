// Step 2: moves each key of a segment to its group, once, and keeps the order inside a group. A
// block has a tile of the segment, which it goes through in rounds.
#ifndef MPPSORT_V2_MOVE_CUH
#define MPPSORT_V2_MOVE_CUH

#include "mppsort_v2/ranges.cuh"
#include "radix_v7/block_passes.cuh"

enum {
  MOVE_THREADS = 512,
  MOVE_ITEMS = 8,
  ROUND = MOVE_THREADS * MOVE_ITEMS,
  PLACE_BITS = 12,  // of a key's place in its round
  PASS_COUNTERS = MOVE_THREADS / WARP_SIZE * PASS_BINS,
};

// The tiles of a segment: all have `size` keys but the last. table[tile][group], `pitch` to a row:
// keys of the group in the tile; later, where the first of them goes.
typedef struct Tiles {
  unsigned int count, size, pitch;
  unsigned int *table;
} Tiles;

static __device__ __forceinline__ unsigned int group_of(unsigned int key, Scale scale,
                                                        Ranges ranges) {
  return __ldg(&ranges.group_of_fine[fine_range(key, scale)]);
}

static __global__ void __launch_bounds__(MOVE_THREADS)
    count_groups(const unsigned int *keys, Segment segment, Ranges ranges, Tiles tiles) {
  extern __shared__ unsigned int counters[];  // [pitch]
  wait_for_previous_kernel();
  const unsigned int groups = *ranges.groups;
  if (groups == 0) return;
  const Scale scale = scale_of(ranges.extremes, segment.fine_bits);
  for (unsigned int g = threadIdx.x; g < groups; g += blockDim.x) counters[g] = 0;
  __syncthreads();
  const size_t begin = (size_t)blockIdx.x * tiles.size;
  const size_t end = min(begin + tiles.size, (size_t)segment.length);
#pragma unroll 4
  for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&counters[group_of(keys[i], scale, ranges)], 1u);
  __syncthreads();
  unsigned int *const row = tiles.table + (size_t)blockIdx.x * tiles.pitch;
  for (unsigned int g = threadIdx.x; g < groups; g += blockDim.x) row[g] = counters[g];
}

// A thread per group: replaces the counts of all tiles by the place of the first key.
static __global__ void place_tiles(Ranges ranges, Tiles tiles) {
  wait_for_previous_kernel();
  const unsigned int group = (unsigned int)global_index();
  if (group >= *ranges.groups) return;
  unsigned int place = ranges.group_start[group];
#pragma unroll 8
  for (unsigned int tile = 0; tile < tiles.count; tile++) {
    unsigned int *const cell = &tiles.table[(size_t)tile * tiles.pitch + group];
    const unsigned int keys = *cell;
    *cell = place;
    place += keys;
  }
}

typedef struct MoveShared {
  unsigned int pass_counter[PASS_COUNTERS], warp_sums[MAX_WARPS];
  SeenBits seen;
  unsigned int element[ROUND];  // group << PLACE_BITS | place in the round; sorted by group
  unsigned int value[ROUND];    // keys of the round, then positions
} MoveShared;                   // followed by next[pitch]: where the next key of each group goes

static inline size_t move_shared_bytes(unsigned int pitch) {
  return sizeof(MoveShared) + pitch * sizeof(unsigned int);
}

// One round: count <= ROUND keys from `from` on, to the groups in `to`.
template <bool PAIRS>
static __device__ __forceinline__ void move_round(Pairs from, Pairs to, unsigned int count,
                                                  Scale scale, Ranges ranges, MoveShared &shared,
                                                  unsigned int *next) {
  unsigned int group[MOVE_ITEMS] = {};
  if (threadIdx.x == 0) shared.seen = {0, 0};
#pragma unroll
  for (unsigned int u = 0; u < MOVE_ITEMS; u++) {
    const unsigned int i = u * MOVE_THREADS + threadIdx.x;
    if (i >= count) continue;
    const unsigned int key = from.keys[i];
    group[u] = group_of(key, scale, ranges);
    shared.value[i] = key;
    shared.element[i] = group[u] << PLACE_BITS | i;
  }
  __syncthreads();
  see_bits<MOVE_THREADS>(group, 0, count, &shared.seen);
  __syncthreads();
  sort_by_passes<MOVE_THREADS, MOVE_ITEMS, false>(shared.element, count, NULL, PLACE_BITS,
                                                  shared.seen.set & shared.seen.clear,
                                                  shared.pass_counter, shared.warp_sums);
  // next[group] - (index of the group's first element) is what to add to an element's index.
  unsigned int element[MOVE_ITEMS] = {};
  bool last[MOVE_ITEMS] = {};
#pragma unroll
  for (unsigned int u = 0; u < MOVE_ITEMS; u++) {
    const unsigned int i = u * MOVE_THREADS + threadIdx.x;
    if (i >= count) continue;
    element[u] = shared.element[i];
    const unsigned int own = element[u] >> PLACE_BITS;
    last[u] = i + 1 == count || shared.element[i + 1] >> PLACE_BITS != own;
    if (i == 0 || shared.element[i - 1] >> PLACE_BITS != own) next[own] -= i;
  }
  __syncthreads();
  unsigned int place[MOVE_ITEMS] = {};
#pragma unroll
  for (unsigned int u = 0; u < MOVE_ITEMS; u++) {
    const unsigned int i = u * MOVE_THREADS + threadIdx.x;
    if (i >= count) continue;
    place[u] = next[element[u] >> PLACE_BITS] + i;
    to.keys[place[u]] = shared.value[element[u] & (ROUND - 1)];
  }
  __syncthreads();
#pragma unroll
  for (unsigned int u = 0; u < MOVE_ITEMS; u++) {
    const unsigned int i = u * MOVE_THREADS + threadIdx.x;
    if (i >= count) continue;
    if (last[u]) next[element[u] >> PLACE_BITS] += i + 1;
    if (PAIRS) shared.value[i] = from.positions[i];
  }
  __syncthreads();
  if (PAIRS) {
#pragma unroll
    for (unsigned int u = 0; u < MOVE_ITEMS; u++)
      if (u * MOVE_THREADS + threadIdx.x < count)
        to.positions[place[u]] = shared.value[element[u] & (ROUND - 1)];
    __syncthreads();
  }
}

template <bool PAIRS>
static __global__ void __launch_bounds__(MOVE_THREADS)
    move_to_groups(Pairs from, Pairs to, Segment segment, Ranges ranges, Tiles tiles) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  MoveShared &shared = *(MoveShared *)shared_memory;
  wait_for_previous_kernel();
  const unsigned int groups = *ranges.groups;
  if (groups == 0) return;
  const Scale scale = scale_of(ranges.extremes, segment.fine_bits);
  const unsigned int *const row = tiles.table + (size_t)blockIdx.x * tiles.pitch;
  unsigned int *const next = (unsigned int *)(&shared + 1);
  for (unsigned int g = threadIdx.x; g < groups; g += blockDim.x) next[g] = row[g];
  __syncthreads();
  const size_t begin = (size_t)blockIdx.x * tiles.size;
  const size_t end = min(begin + tiles.size, (size_t)segment.length);
  for (size_t i = begin; i < end; i += ROUND) {
    const Pairs round = {from.keys + i, PAIRS ? from.positions + i : NULL};
    const unsigned int count = (unsigned int)min(end - i, (size_t)ROUND);
    move_round<PAIRS>(round, to, count, scale, ranges, shared, next);
  }
}

#endif
