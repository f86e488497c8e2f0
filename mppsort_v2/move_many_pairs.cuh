// Step 4 for many pairs and up to 256 groups: as move_pairs.cuh, with the sweep of radix_v7. Tiles
// are twice as large, so runs are longer; the tile's counts are published before its pairs are
// ranked; and the block's next tile is loaded while it looks back and writes this one.
#ifndef MPPSORT_V2_MOVE_MANY_PAIRS_CUH
#define MPPSORT_V2_MOVE_MANY_PAIRS_CUH

#include "mppsort_v2/count.cuh"
#include "radix_v7/pairs_sweep.cuh"

enum {
  MANY_PAIRS_THREADS = 1 << FEW_GROUP_BITS,  // a thread for each group
  MANY_PAIRS_ITEMS = 32,
  MANY_PAIRS_TILE = MANY_PAIRS_THREADS * MANY_PAIRS_ITEMS,
  GROUPS_IN_WORD = 4,
};

// Shared memory, before the tables of the part.
typedef struct ManyPairsShared {
  PairSweepShared<MANY_PAIRS_THREADS, MANY_PAIRS_ITEMS, FEW_GROUP_BITS> sweep;
  unsigned char group[MANY_PAIRS_TILE];  // of each pair of the tile
  unsigned int part;
  unsigned int aligned[3];
} ManyPairsShared;

static size_t move_many_pairs_shared_bytes(const Level &level) {
  return sizeof(ManyPairsShared) + tables_bytes(level);
}

typedef PairItems<MANY_PAIRS_ITEMS> ManyPairs;

// A tile of a part. first_tile: the number of the part's first one.
typedef struct TileOfPart {
  unsigned int part, first_tile, begin, valid;
} TileOfPart;

static __device__ __forceinline__ TileOfPart find_tile(const Level &level, unsigned int parts,
                                                       unsigned int number, unsigned int *shared) {
  TileOfPart tile;
  tile.part = part_of_tile(level, parts, number, shared);
  tile.first_tile = level.first_tile[tile.part];
  const Part part = level.part[tile.part];
  const unsigned int skipped = (number - tile.first_tile) * MANY_PAIRS_TILE;
  tile.begin = part.begin + skipped;
  tile.valid = min(part.length - skipped, 0u + MANY_PAIRS_TILE);
  return tile;
}

static __device__ __forceinline__ void load_many_pairs(Pairs from, TileOfPart tile,
                                                       ManyPairs &item) {
  const unsigned int first = first_item<MANY_PAIRS_ITEMS>();
  const unsigned int *const keys = from.keys + tile.begin + first;
  const unsigned int *const positions = from.positions + tile.begin + first;
#pragma unroll
  for (int u = 0; u < MANY_PAIRS_ITEMS; u++)
    item.key[u] = first + u * WARP_SIZE < tile.valid ? __ldcs(&keys[u * WARP_SIZE]) : 0;
#pragma unroll
  for (int u = 0; u < MANY_PAIRS_ITEMS; u++)
    item.position[u] = first + u * WARP_SIZE < tile.valid ? __ldcs(&positions[u * WARP_SIZE]) : 0;
}

// The groups of the thread's pairs, four to a word, and the counts of the warp. Behind the end: the
// last group, of which nothing is written.
static __device__ __forceinline__ void count_groups_of_warp(
    unsigned int *bins, const ManyPairs &item, unsigned int valid, const Root &root,
    const unsigned short *entry, const Division *division,
    unsigned int (&groups)[MANY_PAIRS_ITEMS / GROUPS_IN_WORD]) {
  constexpr unsigned int kGroups = 1u << FEW_GROUP_BITS;
  const unsigned int first = first_item<MANY_PAIRS_ITEMS>();
#pragma unroll
  for (unsigned int i = 0; i < kGroups; i += WARP_SIZE) bins[threadIdx.x % WARP_SIZE + i] = 0;
  __syncwarp();
#pragma unroll
  for (int w = 0; w < MANY_PAIRS_ITEMS / GROUPS_IN_WORD; w++) {
    groups[w] = 0;
#pragma unroll
    for (int q = 0; q < GROUPS_IN_WORD; q++) {
      const int u = w * GROUPS_IN_WORD + q;
      unsigned int group = kGroups - 1;
      if (first + u * WARP_SIZE < valid) group = find_group(item.key[u], root, entry, division);
      atomicAdd(&bins[group], 1u);
      groups[w] |= group << 8 * q;
    }
  }
}

// As rank_pairs() of radix_v7, for groups that are known already; writes them to the tile too.
static __device__ __forceinline__ void rank_grouped_pairs(
    unsigned int *bins, ManyPairsShared &shared, const ManyPairs &item,
    const unsigned int (&groups)[MANY_PAIRS_ITEMS / GROUPS_IN_WORD]) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, eight = opaque(8);
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
#pragma unroll
  for (int w = 0; w < MANY_PAIRS_ITEMS / GROUPS_IN_WORD; w++) {
    compiler_fence();
    unsigned int lanes[GROUPS_IN_WORD], place[GROUPS_IN_WORD];
#pragma unroll
    for (int q = 0; q < GROUPS_IN_WORD; q++)
      lanes[q] = lanes_with_pair_digit<FEW_GROUP_BITS>(groups[w] >> 8 * q & 0xffu);
#pragma unroll
    for (int q = 0; q < GROUPS_IN_WORD; q++) {
      unsigned int *const bin = &bins[groups[w] >> 8 * q & 0xffu];
      place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * eight + *bin;
      __syncwarp();
      // The last lane with this group has counted them all.
      store_shared_if_zero(lanes[q] & above, bin, place[q]);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < GROUPS_IN_WORD; q++) {
      const int u = w * GROUPS_IN_WORD + q;
      *(uint2 *)((char *)shared.sweep.tile + place[q]) = make_uint2(item.key[u], item.position[u]);
      shared.group[place[q] / sizeof(uint2)] = (unsigned char)(groups[w] >> 8 * q);
    }
  }
}

static __device__ __forceinline__ void write_grouped_pairs(const ManyPairsShared &shared, Pairs to,
                                                           unsigned int valid) {
#pragma unroll
  for (int u = 0; u < MANY_PAIRS_ITEMS; u++) {
    if (u % PAIR_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * MANY_PAIRS_THREADS;
    const uint2 pair = shared.sweep.tile[i];
    const unsigned int at = shared.sweep.bin_shift[shared.group[i]] + i;
    if (i >= valid) continue;
    to.keys[at] = pair.x;
    to.positions[at] = pair.y;
  }
}

// Blocks stay, and take tiles in order until there are no more.
static __global__ void __launch_bounds__(MANY_PAIRS_THREADS, resident_blocks(MANY_PAIRS_THREADS, 2))
    move_many_pairs_to_groups(Pairs from, Pairs to, Level level) {
  constexpr unsigned int kGroups = 1u << FEW_GROUP_BITS;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  ManyPairsShared &shared = *(ManyPairsShared *)shared_memory;
  Division *const division = (Division *)(&shared + 1);
  unsigned short *const entry = (unsigned short *)(division + level.divisions);
  unsigned int *const bins = shared.sweep.warp_bin[threadIdx.x / WARP_SIZE];
  const unsigned int group = threadIdx.x;
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  if (threadIdx.x == 0) shared.sweep.next_tile = atomicAdd(level.tiles_dealt, 1u);
  __syncthreads();
  unsigned int number = shared.sweep.next_tile;
  if (number >= tiles) return;
  TileOfPart tile = find_tile(level, parts, number, &shared.part);
  Root root = level.root[tile.part];
  load_tables(level, tile.part, root, entry, division);
  ManyPairs item;
  load_many_pairs(from, tile, item);
  for (;;) {
    unsigned int groups[MANY_PAIRS_ITEMS / GROUPS_IN_WORD], count, next = 0;
    bool same;
    __syncthreads();  // the tables are there; the last tile is written
    if (threadIdx.x == 0) next = atomicAdd(level.tiles_dealt, 1u);
    count_groups_of_warp(bins, item, tile.valid, root, entry, division, groups);
    __syncthreads();
    unsigned int *const look_back =
        (unsigned int *)level.look_back + (size_t)tile.first_tile * kGroups;
    const TileOfPart own = tile;
    const unsigned int own_number = number - tile.first_tile;
    const unsigned int first =
        publish_and_place(shared.sweep, look_back, own_number, &count, &same);
    if (threadIdx.x == 0) shared.sweep.next_tile = next;
    __syncthreads();
    rank_grouped_pairs(bins, shared, item, groups);
    compiler_fence();
    number = shared.sweep.next_tile;
    if (number < tiles) {
      tile = find_tile(level, parts, number, &shared.part);
      if (tile.part != own.part) {
        root = level.root[tile.part];
        load_tables(level, tile.part, root, entry, division);
      }
      load_many_pairs(from, tile, item);
    }
    compiler_fence();
    const unsigned int before = look_back_sum(look_back + group, kGroups, own_number);
    if (own_number > 0)
      look_back_publish(&look_back[(size_t)own_number * kGroups + group],
                        (before + count) | LOOK_BACK_INCLUSIVE);
    shared.sweep.bin_shift[group] =
        level.group_begin[(size_t)own.part * kGroups + group] + before - first;
    __syncthreads();
    write_grouped_pairs(shared, to, own.valid);
    if (number >= tiles) return;
  }
}

#endif
