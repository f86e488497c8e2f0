// Step 4 for pairs: moves each to its group, once, and keeps the order inside a group: one read,
// one write, places by look-back, as radix_v6's sweeps, with the group as the digit.
#ifndef MPPSORT_V2_MOVE_PAIRS_CUH
#define MPPSORT_V2_MOVE_PAIRS_CUH

#include "common/look_back.cuh"
#include "mppsort_v2/count.cuh"
#include "radix_v7/block_passes.cuh"

enum {
  PAIRS_THREADS = 512,
  PAIRS_WARPS = PAIRS_THREADS / WARP_SIZE,
  PAIRS_ITEMS = 8,
  PAIRS_TILE = PAIRS_THREADS * PAIRS_ITEMS,
};

// Shared memory, before the tables of the part.
template <int kGroupBits>
struct MovePairsShared {
  static constexpr unsigned int kGroups = 1u << kGroupBits;
  unsigned int key[PAIRS_TILE], position[PAIRS_TILE];  // in order of their groups
  union {
    // Two counts in 32 bits, of neighbouring groups; then places. A tile has fewer than 2^16 keys.
    unsigned int warp_groups[PAIRS_WARPS][kGroups / 2];
    unsigned short group[PAIRS_TILE];  // of each key of the tile
  };
  unsigned int shift[kGroups];  // from a place in the tile to one in the output
  unsigned int warp_sums[MAX_WARPS];
  unsigned int tile_number, part;
};

template <int kGroupBits>
static size_t move_pairs_shared_bytes(const Level &level) {
  return sizeof(MovePairsShared<kGroupBits>) + tables_bytes(level);
}

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

// The groups of the thread's keys, and above them in rank[] the index of each key among those of
// its group in the warp. Leaves the warp's counts in `counts`.
template <int kItems, int kGroupBits>
static __device__ __forceinline__ void rank_in_warp(const unsigned int (&group)[kItems],
                                                    unsigned short *counts,
                                                    unsigned int (&rank)[kItems]) {
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - threadIdx.x % WARP_SIZE);
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int lanes = lanes_of_group<kGroupBits>(group[u]);
    const unsigned int behind = counts[group[u]] + (unsigned int)__popc((int)(lanes & up_to_me));
    __syncwarp();
    if ((lanes & ~up_to_me) == 0) counts[group[u]] = (unsigned short)behind;  // of all lanes
    __syncwarp();
    rank[u] = group[u] | (behind - 1) << 16;
  }
}

// Publishes the tile's counts, turns those of the warps into places in the tile, and finds the
// shift of each group. A thread for two groups.
template <int kGroupBits>
static __device__ __forceinline__ void place_groups(MovePairsShared<kGroupBits> &shared,
                                                    unsigned long long *look_back,
                                                    const unsigned int *group_begin,
                                                    unsigned int tile) {
  constexpr unsigned int kWords = MovePairsShared<kGroupBits>::kGroups / 2;
  static_assert(kWords <= PAIRS_THREADS, "a thread for two groups");
  const unsigned int t = threadIdx.x;
  unsigned long long *const word = &look_back[(size_t)tile * kWords + t];
  unsigned int sum = 0;
  if (t < kWords) {
#pragma unroll
    for (int w = 0; w < PAIRS_WARPS; w++) sum += shared.warp_groups[w][t];
  }
  const uint2 count = make_uint2(sum & 0xffffu, sum >> 16);
  if (t < kWords) publish_two(word, tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL, count);
  const unsigned int first =
      block_inclusive_scan_one_barrier(count.x + count.y, shared.warp_sums) - count.x - count.y;
  if (t >= kWords) return;
  unsigned int place = first | (first + count.x) << 16;
#pragma unroll
  for (int w = 0; w < PAIRS_WARPS; w++) {
    const unsigned int own = shared.warp_groups[w][t];  // read again: registers are short
    shared.warp_groups[w][t] = place;
    place += own;
  }
  uint2 before = look_back_two(look_back + t, kWords, tile);
  if (tile > 0)
    publish_two(word, LOOK_BACK_INCLUSIVE, make_uint2(before.x + count.x, before.y + count.y));
  shared.shift[2 * t] = group_begin[2 * t] + before.x - first;
  shared.shift[2 * t + 1] = group_begin[2 * t + 1] + before.y - first - count.x;
}

// Moves the `valid` elements of a tile from `from` on.
template <int kGroupBits>
static __device__ __forceinline__ void move_tile_of_pairs(
    Pairs from, Pairs to, unsigned int valid, const Root &root, const unsigned short *entry,
    const Division *division, unsigned long long *look_back, const unsigned int *group_begin,
    unsigned int tile, MovePairsShared<kGroupBits> &shared) {
  constexpr int kItems = PAIRS_ITEMS;
  constexpr unsigned int kGroups = 1u << kGroupBits;
  const unsigned int first = first_item<kItems>(), warp = threadIdx.x / WARP_SIZE;
  unsigned int *const own = shared.warp_groups[warp];
  for (unsigned int i = threadIdx.x % WARP_SIZE; i < kGroups / 2; i += WARP_SIZE) own[i] = 0;
  unsigned int key[kItems], position[kItems], rank[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    key[u] = first + u * WARP_SIZE < valid ? __ldcs(&from.keys[first + u * WARP_SIZE]) : 0;
  // Behind the end: the last group, of which nothing is written.
  unsigned int group[kItems];
#pragma unroll
  for (int u = 0; u < kItems; u++)
    group[u] =
        first + u * WARP_SIZE < valid ? find_group(key[u], root, entry, division) : kGroups - 1;
  __syncwarp();
  rank_in_warp<kItems, kGroupBits>(group, (unsigned short *)own, rank);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    position[u] =
        first + u * WARP_SIZE < valid ? __ldcs(&from.positions[first + u * WARP_SIZE]) : 0;
  __syncthreads();
  place_groups(shared, look_back, group_begin, tile);
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++)
    rank[u] += (unsigned int)((unsigned short *)own)[rank[u] & 0xffffu] << 16;
  __syncthreads();  // warp_groups are done, group[] may be written
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int place = rank[u] >> 16;
    shared.key[place] = key[u];
    shared.position[place] = position[u];
    shared.group[place] = (unsigned short)rank[u];
  }
  __syncthreads();
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = threadIdx.x + u * PAIRS_THREADS;
    if (i >= valid) break;
    const unsigned int place = shared.shift[shared.group[i]] + i;
    to.keys[place] = shared.key[i];
    to.positions[place] = shared.position[i];
  }
  __syncthreads();
}

// Blocks stay, and take tiles in order until there are no more.
template <int kGroupBits>
static __global__ void __launch_bounds__(PAIRS_THREADS, resident_blocks(PAIRS_THREADS, 2))
    move_pairs_to_groups(Pairs from, Pairs to, Level level) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef MovePairsShared<kGroupBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  Division *const division = (Division *)(&shared + 1);
  unsigned short *const entry = (unsigned short *)(division + level.divisions);
  wait_for_previous_kernel();
  const unsigned int parts = *level.parts, tiles = level.first_tile[parts];
  Part part = {0, 0};
  Root root = {};
  for (unsigned int last = MOST_PARTS;;) {
    if (threadIdx.x == 0) shared.tile_number = atomicAdd(level.tiles_dealt, 1u);
    __syncthreads();
    const unsigned int tile = shared.tile_number;
    if (tile >= tiles) return;
    const unsigned int p = part_of_tile(level, parts, tile, &shared.part);
    if (p != last) {
      part = level.part[p];
      root = level.root[p];
      load_tables(level, p, root, entry, division);
      last = p;
    }
    __syncthreads();
    const unsigned int first = level.first_tile[p];
    const size_t skipped = (size_t)(tile - first) * PAIRS_TILE, begin = part.begin + skipped;
    const Pairs rest = {from.keys + begin, from.positions + begin};
    const unsigned int valid = (unsigned int)min(part.length - skipped, (size_t)PAIRS_TILE);
    move_tile_of_pairs(rest, to, valid, root, entry, division,
                       level.look_back + (size_t)first * (Shared::kGroups / 2),
                       level.group_begin + (size_t)p * Shared::kGroups, tile - first, shared);
  }
}

#endif
