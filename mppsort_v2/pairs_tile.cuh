// A tile of pairs on its way to its groups: loading it, counting and ranking it, writing its runs.
#ifndef MPPSORT_V2_PAIRS_TILE_CUH
#define MPPSORT_V2_PAIRS_TILE_CUH

#include <type_traits>

#include "gsort/block/rank.cuh"
#include "mppsort_v2/count.cuh"

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
    const Root &root, const unsigned short *entry, const Division *division,
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
      if (first + u * WARP_SIZE < valid) group = find_group(item.key[u], root, entry, division);
      atomicAdd(&counts[group], 1u);
      groups[w] |= group << q * (32 / Shared::kPacked);
    }
  }
}

// Puts the warp's pairs into the tile, in order of their groups. `last`: byte offset of the last
// pair of each group before the warp's own. As rank_pairs() of gsort/block/pair_tile.cuh.
template <class Shared>
static __device__ __forceinline__ void rank_groups(
    Shared &shared, unsigned int *last, const MovedPairs<Shared::kItems> &item,
    const unsigned int (&groups)[Shared::kItems / Shared::kPacked]) {
  enum { BATCH = 4 };
  const unsigned int eight = opaque(8);
  const auto bin_of = [&](unsigned int group) { return &last[group]; };
  static_assert(Shared::kItems % BATCH == 0, "tile shape");
#pragma unroll
  for (int first = 0; first < Shared::kItems; first += BATCH) {
    compiler_fence();
    unsigned int group[BATCH], place[BATCH];
    const auto group_at = [&](int q) {
      const int u = first + q, shift = u % Shared::kPacked * (32 / Shared::kPacked);
      return groups[u / Shared::kPacked] >> shift & (Shared::kGroups - 1);
    };
    take_slots<Shared::kGroupBits>(eight, group_at, bin_of, group, place);
#pragma unroll
    for (int q = 0; q < BATCH; q++) {
      *(uint2 *)((char *)shared.pair + place[q]) =
          make_uint2(item.key[first + q], item.position[first + q]);
      shared.group[place[q] / sizeof(uint2)] = (typename Shared::GroupOf)group[q];
    }
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

#endif
