// A tile of a shard on its way through the partition (partition.cu): ranking its elements by
// destination, finding their places, and writing its runs.
#ifndef MULTI_PARTITION_TILE_CUH
#define MULTI_PARTITION_TILE_CUH

#include "common/block_scan.cuh"
#include "common/look_back.cuh"
#include "common/pairs.cuh"
#include "multi/partition.h"
#include "multi/upper_bound.cuh"

static const unsigned int WARPS = PARTITION_THREADS / WARP_SIZE, ALL_LANES = 0xffffffffu;

static __device__ __forceinline__ unsigned int stretch_key(unsigned int key, Stretch stretch) {
  if (stretch.factor == 0) return key;
  return (unsigned int)((key - stretch.base) * stretch.factor >> 32);
}

// Device arrays of [ranks] elements.
typedef struct Tables {
  const Splitter *splitters;
  const Stretch *stretches;  // NULL: keys stay as they are
  unsigned int *const *keys, *const *positions;
} Tables;

typedef struct Chunk {
  size_t begin, end;           // of the shard
  const unsigned int *next;    // [ranks] before this chunk
  unsigned int *next_after;    // [ranks]
  unsigned int *look_back;     // zero
  unsigned int *tile_counter;  // zero
  unsigned int tiles;
} Chunk;

// Parts of the dynamic shared memory.
typedef struct Shared {
  Splitter *borders;     // [ranks]
  unsigned int *tile;    // [PARTITION_TILE] keys or positions, by destination
  unsigned int *counts;  // [WARPS][ranks] elements; then index in the tile of the warp's first one
  unsigned int *to;      // [ranks] index in the destination minus index in the tile
  unsigned int *first_of;  // [ranks] index in the tile of the first element of each destination
} Shared;

static size_t shared_bytes(int ranks) {
  return (size_t)ranks * (sizeof(Splitter) + (WARPS + 2) * sizeof(unsigned int)) +
         PARTITION_TILE * sizeof(unsigned int);
}

static __device__ __forceinline__ Shared share_memory(unsigned char *memory, unsigned int ranks) {
  Shared shared;
  shared.borders = (Splitter *)memory;
  shared.tile = (unsigned int *)(shared.borders + ranks);
  shared.counts = shared.tile + PARTITION_TILE;
  shared.to = shared.counts + WARPS * ranks;
  shared.first_of = shared.to + ranks;
  return shared;
}

// From the warps' counts: places in the tile, and where its elements of each destination go.
static __device__ void place_tile(const Shared &shared, unsigned int ranks, unsigned int tile,
                                  const Chunk &chunk) {
  __shared__ unsigned int warp_sums[MAX_WARPS], carry;
  unsigned int placed = 0;  // in the tile, for destinations before `base`
  for (unsigned int base = 0; base < ranks; base += PARTITION_THREADS) {
    const unsigned int d = base + threadIdx.x;
    unsigned int total = 0;
    if (d < ranks) {
      for (unsigned int w = 0; w < WARPS; w++) total += shared.counts[w * ranks + d];
      look_back_publish(&chunk.look_back[(size_t)tile * ranks + d],
                        (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL) | total);
    }
    const unsigned int up_to_here = placed + block_inclusive_scan(total, warp_sums);
    const unsigned int first = up_to_here - total;
    if (d < ranks) {
      unsigned int next = first;
      for (unsigned int w = 0; w < WARPS; w++) {
        const unsigned int count = shared.counts[w * ranks + d];
        shared.counts[w * ranks + d] = next;
        next += count;
      }
      const unsigned int before = look_back_sum(chunk.look_back + d, ranks, tile);
      if (tile > 0)
        look_back_publish(&chunk.look_back[(size_t)tile * ranks + d],
                          LOOK_BACK_INCLUSIVE | (before + total));
      shared.first_of[d] = first;
      shared.to[d] = chunk.next[d] + before - first;
      if (tile == chunk.tiles - 1) chunk.next_after[d] = chunk.next[d] + before + total;
    }
    if (threadIdx.x == PARTITION_THREADS - 1) carry = up_to_here;
    __syncthreads();
    placed = carry;
  }
}

// Counts the element among those of its warp with the same destination; returns the number before
// it. All lanes call it, those without an element with active = false.
static __device__ __forceinline__ unsigned int rank_in_warp(unsigned int *counts, unsigned int d,
                                                            int bits, bool active) {
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  unsigned int same = __ballot_sync(ALL_LANES, active);
  for (int bit = 0; bit < bits; bit++) {
    const bool set = (d >> bit & 1) != 0;
    const unsigned int lanes = __ballot_sync(ALL_LANES, set);
    same &= set ? lanes : ~lanes;
  }
  const unsigned int before = active ? counts[d] : 0;
  __syncwarp();
  if (active && lane == (unsigned int)__ffs((int)same) - 1) counts[d] = before + __popc(same);
  __syncwarp();
  return before + __popc(same & ((1u << lane) - 1));
}

// A lane's elements: those of its warp are neighbours, its own are WARP_SIZE apart.
typedef struct Lane {
  unsigned int in_tile, in_shard, valid;  // index of the first one; elements of the tile
  __device__ __forceinline__ bool has(int u) const { return in_tile + u * WARP_SIZE < valid; }
} Lane;

// where[u] = destination << 16 | number of elements before this one among those of its warp with
// the same destination; adds up the warp's counts.
static __device__ __forceinline__ void rank_elements(const Shared &shared, unsigned int ranks,
                                                     unsigned int *counts, Lane lane,
                                                     const unsigned int *key, unsigned int *where) {
  const int bits = 32 - __clz((int)(ranks - 1));
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const Splitter element = (Splitter)key[u] << 32 | (lane.in_shard + u * WARP_SIZE);
    const unsigned int d = upper_bound(shared.borders, ranks - 1, element);
    where[u] = d << 16 | rank_in_warp(counts, d, bits, lane.has(u));
  }
}

// The same for two destinations: the counts stay in registers.
static __device__ __forceinline__ void rank_by_two(const Shared &shared, unsigned int *counts,
                                                   Lane lane, const unsigned int *key,
                                                   unsigned int *where) {
  const unsigned int number = threadIdx.x % WARP_SIZE, before_me = (1u << number) - 1;
  const Splitter border = shared.borders[0];
  unsigned int right = 0, active = 0;  // elements of the warp so far
#pragma unroll
  for (int u = 0; u < PARTITION_ITEMS; u++) {
    const Splitter element = (Splitter)key[u] << 32 | (lane.in_shard + u * WARP_SIZE);
    const bool is_right = lane.has(u) && border <= element;
    const unsigned int lanes = __ballot_sync(ALL_LANES, is_right);
    const unsigned int right_before = right + __popc(lanes & before_me);
    where[u] = is_right ? 1u << 16 | right_before : u * WARP_SIZE + number - right_before;
    right += __popc(lanes);
    active += __popc(__ballot_sync(ALL_LANES, lane.has(u)));
  }
  if (number > 0) return;
  counts[0] = active - right;
  counts[1] = right;
}

// Writes the tile's runs. A thread's elements are PARTITION_THREADS apart, so that a warp writes
// neighbours.
template <bool kTwo>
static __device__ __forceinline__ void write_tile(const Shared &shared, unsigned int ranks,
                                                  unsigned int valid, unsigned int *const *arrays) {
#pragma unroll 4
  for (unsigned int i = threadIdx.x; i < valid; i += PARTITION_THREADS) {
    const unsigned int d =
        kTwo ? shared.first_of[1] <= i : upper_bound(shared.first_of + 1, ranks - 1, i);
    arrays[d][shared.to[d] + i] = shared.tile[i];
  }
}

#endif
