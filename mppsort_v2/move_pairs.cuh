// Step 4 for pairs: moves each to its group, once, and keeps the order inside a group: one read,
// one write, places by look-back, as gsort's sweeps of pairs, with the group as the digit. A tile's
// counts are published before its pairs are ranked, and the block's next tile is loaded while it
// looks back and writes this one.
#ifndef MPPSORT_V2_MOVE_PAIRS_CUH
#define MPPSORT_V2_MOVE_PAIRS_CUH

#include "gsort/block/look_back.cuh"
#include "mppsort_v2/pairs_tile.cuh"

// As look_back_sum(), for two counts at once: both halves are published together.
static __device__ __forceinline__ uint2 look_back_two(const unsigned long long *words,
                                                      unsigned int stride, unsigned int tile) {
  uint2 sum = make_uint2(0, 0);
  int next = (int)tile - 1;
  for (bool done = next < 0; !done;) {
    unsigned long long word[LOOK_BACK_DEPTH];
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++)
      word[k] = next - k < 0
                    ? LOOK_BACK_INCLUSIVE
                    : *(const volatile unsigned long long *)&words[(next - k) * (size_t)stride];
    int added = 0;
#pragma unroll
    for (int k = 0; k < LOOK_BACK_DEPTH; k++) {
      if (done || added != k || word[k] == 0) continue;  // 0: not published yet
      sum.x += (unsigned int)word[k] & LOOK_BACK_COUNT;
      sum.y += (unsigned int)(word[k] >> 32) & LOOK_BACK_COUNT;
      added++;
      done = ((unsigned int)word[k] & LOOK_BACK_INCLUSIVE) != 0;
    }
    next -= added;
    if (added == 0) relax();
  }
  return sum;
}

static __device__ __forceinline__ void publish_two(unsigned long long *word, unsigned int flag,
                                                   uint2 count) {
  look_back_publish(word, (unsigned long long)(count.y | flag) << 32 | (count.x | flag));
}

// Publishes the tile's counts, and turns the warps' counts into the byte offsets of the last pair
// before each warp's pairs. Returns the place of the first pair of the thread's groups.
template <class Shared>
static __device__ __forceinline__ unsigned int publish_groups(Shared &shared,
                                                              unsigned long long *words,
                                                              unsigned int tile,
                                                              uint2 (&count)[Shared::kEach]) {
  unsigned int sum = 0;
#pragma unroll
  for (int e = 0; e < Shared::kEach; e++) {
    const unsigned int word = threadIdx.x * Shared::kEach + e;
    count[e] = make_uint2(0, 0);
    if (word >= Shared::kWords) continue;
#pragma unroll
    for (unsigned int w = 0; w < Shared::kWarps; w++) {
      const uint2 own = *(uint2 *)&shared.warp_groups[w][2 * word];
      count[e].x += own.x;
      count[e].y += own.y;
    }
    publish_two(&words[(size_t)tile * Shared::kWords + word],
                tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL, count[e]);
    sum += count[e].x + count[e].y;
  }
  const unsigned int first = block_inclusive_scan_one_barrier(sum, shared.warp_sums) - sum;
  unsigned int last = (first - 1) * (unsigned int)sizeof(uint2);  // before the very first: -8
#pragma unroll
  for (int e = 0; e < Shared::kEach; e++) {
    const unsigned int word = threadIdx.x * Shared::kEach + e;
    if (word >= Shared::kWords) continue;
    unsigned int last_y = last + count[e].x * (unsigned int)sizeof(uint2);
    const unsigned int next = last_y + count[e].y * (unsigned int)sizeof(uint2);
#pragma unroll
    for (unsigned int w = 0; w < Shared::kWarps; w++) {
      uint2 *const at = (uint2 *)&shared.warp_groups[w][2 * word];
      const uint2 own = *at;  // read again: registers are short
      *at = make_uint2(last, last_y);
      last += own.x * (unsigned int)sizeof(uint2);
      last_y += own.y * (unsigned int)sizeof(uint2);
    }
    last = next;
  }
  return first;
}

// Looks back, and finds the shift of the thread's groups.
template <class Shared>
static __device__ __forceinline__ void find_shifts(Shared &shared, unsigned long long *words,
                                                   const unsigned int *group_begin,
                                                   unsigned int tile, unsigned int first,
                                                   const uint2 (&count)[Shared::kEach]) {
#pragma unroll
  for (int e = 0; e < Shared::kEach; e++) {
    const unsigned int word = threadIdx.x * Shared::kEach + e;
    if (word >= Shared::kWords) continue;
    const uint2 before = look_back_two(words + word, Shared::kWords, tile);
    if (tile > 0)
      publish_two(&words[(size_t)tile * Shared::kWords + word], LOOK_BACK_INCLUSIVE,
                  make_uint2(before.x + count[e].x, before.y + count[e].y));
    shared.shift[2 * word] = group_begin[2 * word] + before.x - first;
    first += count[e].x;
    shared.shift[2 * word + 1] = group_begin[2 * word + 1] + before.y - first;
    first += count[e].y;
  }
}

// Blocks stay, and take tiles in order until there are no more.
template <int kThreads, int kItems, int kGroupBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_pairs_to_groups(Pairs from, Pairs to, Level level) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef MovePairsShared<kThreads, kItems, kGroupBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  Division *const division = (Division *)(&shared + 1);
  unsigned short *const entry = (unsigned short *)(division + level.divisions);
  unsigned int *const own_groups = shared.warp_groups[threadIdx.x / WARP_SIZE];
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(level.tiles_dealt, 1u);
  __syncthreads();
  unsigned int number = shared.tile_number;
  if (number >= tiles) return;
  TileOfPart tile = find_tile(level, parts, number, &shared.part);
  Root root = level.root[tile.part];
  load_tables(level, tile.part, root, entry, division);
  MovedPairs<kItems> item;
  load_pairs_of_tile(from, tile, item);
  for (;;) {
    unsigned int groups[kItems / Shared::kPacked], next = 0;
    uint2 count[Shared::kEach];
    __syncthreads();  // the tables are there, and the last tile is written
    if (threadIdx.x == 0) next = atomicAdd(level.tiles_dealt, 1u);
    count_groups_of_warp<Shared>(own_groups, item, tile.valid, root, entry, division, groups);
    __syncthreads();
    const TileOfPart own = tile;
    const unsigned int own_number = number - tile.first_tile;
    unsigned long long *const words = level.look_back + (size_t)tile.first_tile * Shared::kWords;
    const unsigned int first = publish_groups(shared, words, own_number, count);
    if (threadIdx.x == 0) shared.tile_number = next;
    __syncthreads();
    rank_groups(shared, own_groups, item, groups);
    compiler_fence();
    number = shared.tile_number;
    if (number < tiles) {
      tile = find_tile(level, parts, number, &shared.part);
      if (tile.part != own.part) {
        root = level.root[tile.part];
        load_tables(level, tile.part, root, entry, division);
      }
      load_pairs_of_tile(from, tile, item);
    }
    compiler_fence();
    find_shifts(shared, words, level.group_begin + (size_t)own.part * Shared::kGroups, own_number,
                first, count);
    __syncthreads();
    write_groups(shared, to, own.valid);
    if (number >= tiles) return;
  }
}

#endif
