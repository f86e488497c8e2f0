// Step 4 for pairs: moves each to its group, once, and keeps the order inside a group: one read,
// one write, places by look-back, as the sweeps of radix_v7, with the group as the digit. A tile's
// counts are published before its pairs are ranked, and the block's next tile is loaded while it
// looks back and writes this one.
#ifndef MPPSORT_V2_MOVE_PAIRS_CUH
#define MPPSORT_V2_MOVE_PAIRS_CUH

#include <type_traits>

#include "common/look_back.cuh"
#include "mppsort_v2/count.cuh"
#include "radix_v7/block_passes.cuh"

// Shared memory, before the tables of the part. A thread has kItems pairs of a tile.
template <int kThreads_, int kItems_, int kGroupBits_>
struct MovePairsShared {
  static constexpr int kThreads = kThreads_, kItems = kItems_, kGroupBits = kGroupBits_;
  static constexpr unsigned int kWarps = kThreads / WARP_SIZE, kTile = kThreads * kItems;
  static constexpr unsigned int kGroups = 1u << kGroupBits;
  // Look-back: a thread has the counts of neighbouring groups, in words of two.
  static constexpr unsigned int kWords = kGroups / 2;
  static constexpr int kEach = (kWords + kThreads - 1) / kThreads;
  typedef typename std::conditional<kGroupBits <= 8, unsigned char, unsigned short>::type GroupOf;
  static constexpr int kPacked = 4 / sizeof(GroupOf);  // groups in 32 bits

  uint2 pair[kTile];                          // in order of their groups
  unsigned int warp_groups[kWarps][kGroups];  // counts; then byte offsets in pair[]
  unsigned int shift[kGroups];                // from a place in the tile to one in the output
  GroupOf group[kTile];                       // of each pair of the tile
  unsigned int warp_sums[MAX_WARPS];
  unsigned int tile_number, part, aligned[2];
};

// The lanes whose group equals the caller's.
template <int kBits>
static __device__ __forceinline__ unsigned int lanes_of_group(unsigned int group) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, group);
#else
  unsigned int lanes = match_digit(group);
#pragma unroll
  for (int bit = DIGIT_BITS; bit < kBits; bit++) lanes &= match_bit(group, 1u << bit);
  return lanes;
#endif
}

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

// A tile of a part. first_tile: the number of the part's first one.
typedef struct TileOfPart {
  unsigned int part, first_tile, begin, valid;
} TileOfPart;

static __device__ __forceinline__ TileOfPart find_tile(const Level &level, unsigned int parts,
                                                       unsigned int number,
                                                       unsigned int *shared_part) {
  TileOfPart tile;
  tile.part = part_of_tile(level, parts, number, shared_part);
  tile.first_tile = level.first_tile[tile.part];
  const Part part = level.part[tile.part];
  const unsigned int skipped = (number - tile.first_tile) * level.tile;
  tile.begin = part.begin + skipped;
  tile.valid = min(part.length - skipped, level.tile);
  return tile;
}

template <int kItems>
struct MovedPairs {
  unsigned int key[kItems], position[kItems];
};

// Pairs of a warp are neighbours, those of a lane WARP_SIZE apart.
template <int kItems>
static __device__ __forceinline__ void load_pairs_of_tile(Pairs from, TileOfPart tile,
                                                          MovedPairs<kItems> &item) {
  const unsigned int first = first_item<kItems>();
  const unsigned int *const keys = from.keys + tile.begin + first;
  const unsigned int *const positions = from.positions + tile.begin + first;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    item.key[u] = first + u * WARP_SIZE < tile.valid ? __ldcs(&keys[u * WARP_SIZE]) : 0;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    item.position[u] = first + u * WARP_SIZE < tile.valid ? __ldcs(&positions[u * WARP_SIZE]) : 0;
}

// The groups of the thread's pairs, kPacked in a word, and the counts of the warp. Behind the end:
// the last group, of which nothing is written.
template <class Shared>
static __device__ __forceinline__ void count_groups_of_warp(
    unsigned int *counts, const MovedPairs<Shared::kItems> &item, unsigned int valid,
    const Root &root, GroupTables tables,
    unsigned int (&groups)[Shared::kItems / Shared::kPacked]) {
  const unsigned int first = first_item<Shared::kItems>();
  for (unsigned int i = threadIdx.x % WARP_SIZE; i < Shared::kGroups; i += WARP_SIZE) counts[i] = 0;
  __syncwarp();
#pragma unroll
  for (int w = 0; w < Shared::kItems / Shared::kPacked; w++) {
    groups[w] = 0;
#pragma unroll
    for (int q = 0; q < Shared::kPacked; q++) {
      const int u = w * Shared::kPacked + q;
      unsigned int group = Shared::kGroups - 1;
      if (first + u * WARP_SIZE < valid)
        group = find_range(item.key[u], root, tables.table, tables.border);
      atomicAdd(&counts[group], 1u);
      groups[w] |= group << q * (32 / Shared::kPacked);
    }
  }
}

// Publishes the tile's counts, and turns those of the warps into the byte offsets of the last pair
// before each warp's own. Returns the place of the first pair of the thread's groups.
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

// Puts the warp's pairs into the tile, in order of their groups. `last`: byte offset of the last
// pair of each group before the warp's own. As rank_pairs() of radix_v7.
template <class Shared>
static __device__ __forceinline__ void rank_groups(
    Shared &shared, unsigned int *last, const MovedPairs<Shared::kItems> &item,
    const unsigned int (&groups)[Shared::kItems / Shared::kPacked]) {
  enum { BATCH = 4 };
  const unsigned int lane = threadIdx.x % WARP_SIZE, eight = opaque(8);
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
  static_assert(Shared::kItems % BATCH == 0, "tile shape");
#pragma unroll
  for (int first = 0; first < Shared::kItems; first += BATCH) {
    compiler_fence();
    unsigned int group[BATCH], lanes[BATCH], place[BATCH];
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      const int u = first + q;
      group[q] = groups[u / Shared::kPacked] >> u % Shared::kPacked * (32 / Shared::kPacked) &
                 (Shared::kGroups - 1);
      lanes[q] = lanes_of_group<Shared::kGroupBits>(group[q]);
    }
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      unsigned int *const bin = &last[group[q]];
      place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * eight + *bin;
      __syncwarp();
      // The last lane with this group has counted them all.
      store_shared_if_zero(lanes[q] & above, bin, place[q]);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      *(uint2 *)((char *)shared.pair + place[q]) =
          make_uint2(item.key[first + q], item.position[first + q]);
      shared.group[place[q] / sizeof(uint2)] = (typename Shared::GroupOf)group[q];
    }
  }
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

template <class Shared>
static __device__ __forceinline__ void write_groups(const Shared &shared, Pairs to,
                                                    unsigned int valid) {
#pragma unroll
  for (int u = 0; u < Shared::kItems; u++) {
    if (u % 4 == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * Shared::kThreads;
    const uint2 pair = shared.pair[i];
    const unsigned int at = shared.shift[shared.group[i]] + i;
    if (i >= valid) continue;
    to.keys[at] = pair.x;
    to.positions[at] = pair.y;
  }
}

// Blocks stay, and take tiles in order until there are no more.
template <int kThreads, int kItems, int kGroupBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    move_pairs_to_groups(Pairs from, Pairs to, Level level) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef MovePairsShared<kThreads, kItems, kGroupBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  const GroupTables tables = group_tables_in(&shared + 1, level);
  unsigned int *const own_groups = shared.warp_groups[threadIdx.x / WARP_SIZE];
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  if (threadIdx.x == 0) shared.tile_number = atomicAdd(level.tiles_dealt, 1u);
  __syncthreads();
  unsigned int number = shared.tile_number;
  if (number >= tiles) return;
  TileOfPart tile = find_tile(level, parts, number, &shared.part);
  Root root = level.root[tile.part];
  load_group_tables(tables, level, tile.part, root);
  MovedPairs<kItems> item;
  load_pairs_of_tile(from, tile, item);
  for (;;) {
    unsigned int groups[kItems / Shared::kPacked], next = 0;
    uint2 count[Shared::kEach];
    __syncthreads();  // the tables are there, and the last tile is written
    if (threadIdx.x == 0) next = atomicAdd(level.tiles_dealt, 1u);
    count_groups_of_warp<Shared>(own_groups, item, tile.valid, root, tables, groups);
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
        load_group_tables(tables, level, tile.part, root);
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

// A kernel move_pairs_to_groups<...>. `blocks` of them fit on a multiprocessor.
typedef struct PairsMove {
  int group_bits;
  unsigned int threads, tile, blocks;
  size_t shared_bytes;  // without the tables
  void (*kernel)(Pairs, Pairs, Level);
} PairsMove;

#define PAIRS_MOVE(threads, items, bits, blocks)                                          \
  {                                                                                       \
    bits, threads, threads *items, blocks, sizeof(MovePairsShared<threads, items, bits>), \
        move_pairs_to_groups<threads, items, bits, blocks>                                \
  }

// Small tiles where there are few pairs for all multiprocessors, or little shared memory.
static const PairsMove few_groups = PAIRS_MOVE(256, 16, FEW_GROUP_BITS, 3),
                       many_groups = PAIRS_MOVE(256, 16, MANY_GROUP_BITS, 2),
                       few_groups_large = PAIRS_MOVE(256, 32, FEW_GROUP_BITS, 2),
                       many_groups_large = PAIRS_MOVE(512, 20, MANY_GROUP_BITS, 1);

static const PairsMove *choose_pairs_move(int group_bits, bool large) {
  if (group_bits == FEW_GROUP_BITS) return large ? &few_groups_large : &few_groups;
  return large ? &many_groups_large : &many_groups;
}

static size_t move_pairs_shared_bytes(const Level &level) {
  return choose_pairs_move(level.group_bits, level.large_tiles)->shared_bytes +
         group_tables_bytes(level);
}

#endif
