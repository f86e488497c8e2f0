// Step 4 for bare keys: equal ones are identical, so their order does not matter. Shared atomics
// give the places in a tile, global atomics the places of its runs, as in
// gsort/block/partition.cuh.
#ifndef MPPSORT_V2_MOVE_KEYS_CUH
#define MPPSORT_V2_MOVE_KEYS_CUH

#include "mppsort_v2/count.cuh"

enum { KEYS_THREADS = 512, KEYS_ITEMS = 16, KEYS_TILE = KEYS_THREADS * KEYS_ITEMS };

// Shared memory, before the tables of the part.
template <int kGroupBits>
struct MoveKeysShared {
  static constexpr unsigned int kGroups = 1u << kGroupBits;
  unsigned int count[kGroups];   // keys of each group; then the place of its first key in the tile
  unsigned int shift[kGroups];   // from a place in the tile to one in the output
  unsigned int tile[KEYS_TILE];  // keys in order of their groups
  unsigned short group[KEYS_TILE];  // of each key of the tile
  unsigned int warp_sums[MAX_WARPS], part;
};

// The next place in a group of the tile. Where all keys of a warp share a group, as in sorted
// inputs, one lane counts them: atomics on one address are slow.
static __device__ __forceinline__ unsigned int take_place(unsigned int *count, unsigned int group,
                                                          bool valid) {
  const unsigned int first = __shfl_sync(0xffffffffu, group, 0), lane = threadIdx.x % WARP_SIZE;
  if (__all_sync(0xffffffffu, valid && group == first)) {
    unsigned int place = 0;
    if (lane == 0) place = atomicAdd(&count[group], (unsigned int)WARP_SIZE);
    return __shfl_sync(0xffffffffu, place, 0) + lane;
  }
  return valid ? atomicAdd(&count[group], 1u) : 0;
}

// Turns counts into places, and reserves places for the tile's run of each group: next[] is where
// the group's next key goes. The counts are clear for the next tile only after clear_counts().
template <int kGroupBits>
static __device__ __forceinline__ void reserve_runs(MoveKeysShared<kGroupBits> &shared,
                                                    unsigned int *next) {
  constexpr int kEach = (MoveKeysShared<kGroupBits>::kGroups + KEYS_THREADS - 1) / KEYS_THREADS;
  const unsigned int g = threadIdx.x * kEach;
  const bool any = g < MoveKeysShared<kGroupBits>::kGroups;
  unsigned int count[kEach] = {}, base[kEach] = {}, sum = 0;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    if (!any) continue;
    sum += count[k] = shared.count[g + k];
    if (count[k] > 0) base[k] = atomicAdd(&next[g + k], count[k]);
  }
  unsigned int place = block_inclusive_scan_one_barrier(sum, shared.warp_sums) - sum;
#pragma unroll
  for (int k = 0; k < kEach; k++) {
    if (!any) continue;
    shared.count[g + k] = place;
    shared.shift[g + k] = base[k] - place;
    place += count[k];
  }
}

template <int kGroupBits>
static __device__ __forceinline__ void move_tile_of_keys(const unsigned int *from, unsigned int *to,
                                                         unsigned int valid, const Root &root,
                                                         const unsigned short *entry,
                                                         const Division *division,
                                                         unsigned int *next,
                                                         MoveKeysShared<kGroupBits> &shared) {
  unsigned int key[KEYS_ITEMS], rank[KEYS_ITEMS];  // rank: group, and above it the place in it
#pragma unroll
  for (int u = 0; u < KEYS_ITEMS; u++) {
    const unsigned int i = threadIdx.x + u * KEYS_THREADS;
    key[u] = i < valid ? __ldcs(&from[i]) : 0;
  }
#pragma unroll
  for (int u = 0; u < KEYS_ITEMS; u++) {
    const unsigned int group = find_group(key[u], root, entry, division);
    const bool exists = threadIdx.x + u * KEYS_THREADS < valid;
    rank[u] = group | take_place(shared.count, group, exists) << 16;
  }
  __syncthreads();
  reserve_runs(shared, next);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < KEYS_ITEMS; u++) {
    if (threadIdx.x + u * KEYS_THREADS >= valid) continue;
    const unsigned int group = rank[u] & 0xffffu, place = shared.count[group] + (rank[u] >> 16);
    shared.tile[place] = key[u];
    shared.group[place] = (unsigned short)group;
  }
  __syncthreads();
#pragma unroll 8
  for (int u = 0; u < KEYS_ITEMS; u++) {
    const unsigned int i = threadIdx.x + u * KEYS_THREADS;
    if (i < valid) to[shared.shift[shared.group[i]] + i] = shared.tile[i];
  }
  for (unsigned int g = threadIdx.x; g < shared.kGroups; g += KEYS_THREADS) shared.count[g] = 0;
  __syncthreads();
}

// A block has neighbouring tiles.
template <int kGroupBits>
static __global__ void __launch_bounds__(KEYS_THREADS, resident_blocks(KEYS_THREADS, 2))
    move_keys_to_groups(Pairs from, Pairs to, Level level) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef MoveKeysShared<kGroupBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  Division *const division = (Division *)(&shared + 1);
  unsigned short *const entry = (unsigned short *)(division + level.divisions);
  for (unsigned int g = threadIdx.x; g < Shared::kGroups; g += KEYS_THREADS) shared.count[g] = 0;
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  const unsigned int each = (tiles + gridDim.x - 1) / gridDim.x;
  unsigned int tile = min(blockIdx.x * each, tiles);
  const unsigned int end = min(tile + each, tiles);
  while (tile < end) {
    const unsigned int p = part_of_tile(level, parts, tile, &shared.part);
    const Part part = level.part[p];
    const Root root = level.root[p];
    load_tables(level, p, root, entry, division);
    __syncthreads();
    const unsigned int first = level.first_tile[p], behind = min(end, level.first_tile[p + 1]);
    for (; tile < behind; tile++) {
      const size_t skipped = (size_t)(tile - first) * KEYS_TILE;
      const unsigned int valid = (unsigned int)min(part.length - skipped, (size_t)KEYS_TILE);
      move_tile_of_keys(from.keys + part.begin + skipped, to.keys, valid, root, entry, division,
                        level.group_begin + (size_t)p * Shared::kGroups, shared);
    }
  }
}

#endif
