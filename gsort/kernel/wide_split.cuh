// A step of wide bare keys to the bins of a digit, without a count and without part-written
// sectors.
//
// Every bin has a region of the output. A block stays for many tiles. It writes whole sectors only:
// of each bin a multiple of four keys, at a multiple of four. The up to three keys that are left of
// a bin wait in shared memory for the next tile. In the end the block writes them to the other end
// of the bin's region, which grows downwards. The order inside a bin does not matter.
//
//   bin 1 of a tile   a b c d e f     left from the tile before   x
//   written           x a b c         left for the next one       d e f   (then 4 of 6 + 3, ..)
//   region            [x a b c ..  free  .. y z]
//
// Moves 16 bytes a key.
#ifndef GSORT_KERNEL_WIDE_SPLIT_CUH
#define GSORT_KERNEL_WIDE_SPLIT_CUH

#include <type_traits>

#include "gsort/block/findings.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/bins.cuh"
#include "gsort/block/count.cuh"
#include "gsort/block/wide_map.cuh"

enum { SECTOR = 4 };  // keys

// Regions of all bins of a step, each of the same capacity, a multiple of SECTOR. Those from number
// `split` on lie in other memory than the first ones.
typedef struct WideRegions {
  Wide *first, *second;  // region r begins at slot r * capacity of one of these
  unsigned int split, capacity;
  unsigned int *up, *down;  // [regions] the free slots of a region are up[r] .. down[r] - 1
  __device__ __forceinline__ Wide *of(unsigned int region) const {
    return region < split ? first : second;
  }
  // After the step.
  __device__ __forceinline__ unsigned int pieces(void) const { return 1; }
  __device__ __forceinline__ unsigned int keys_in(unsigned int region) const {
    return up[region] + capacity - down[region];
  }
  // Blocks see whether the whole sectors fit, and the keys that are left, but not whether both do.
  __device__ __forceinline__ bool fits(unsigned int region) const {
    return up[region] <= down[region];
  }
} WideRegions;

// What a step reads: the input, or parts, which are regions of the step before.
typedef struct WideSource {
  const Wide *input;  // NULL: parts
  WideRegions parts;
  WideCode code;        // of the input
  unsigned int blocks;  // that share the input; else one block has a part
  unsigned int n;
} WideSource;

template <int kThreads, int kItems, int kBits>
struct WideSplitShared {
  static constexpr int kBins = 1 << kBits;
  Wide tile[kThreads * kItems + 6 * kBins];  // 3 that are left and 3 of padding for each bin
  Wide left[3 * kBins];
  uint4 run[kBins];  // first slot in the tile, slot in the region, keys to write, keys left
  unsigned int first[kBins], count[kBins], sums[MAX_WARPS];
};

// Some stretch of keys that a block reads: [0, first_count) of one piece, then another piece.
typedef struct WideStretch {
  const Wide *first, *second;
  unsigned int first_count, second_count;
} WideStretch;

static __device__ __forceinline__ WideStretch stretch_of(const WideSource &source,
                                                         unsigned int tile) {
  if (source.input != NULL) {
    const unsigned int tiles = (source.n + tile - 1) / tile;
    const unsigned long long many = tiles;
    const unsigned int begin = (unsigned int)(many * blockIdx.x / source.blocks),
                       end = (unsigned int)(many * (blockIdx.x + 1) / source.blocks);
    const unsigned int from = begin * tile,
                       to = end == tiles ? source.n : end * tile;  // end * tile may be beyond n
    return {source.input + from, NULL, to - from, 0};
  }
  const WideRegions &parts = source.parts;
  const unsigned int part = blockIdx.x, base = part * parts.capacity;
  const Wide *const memory = parts.of(part);
  return {memory + base, memory + parts.down[part], parts.up[part] - base,
          base + parts.capacity - parts.down[part]};
}

// A tile: number `tile` of the stretch. Two neighbouring keys of a thread are one load where they
// can be.
template <int kThreads, int kItems>
static __device__ __forceinline__ unsigned int load_wide_tile(const WideStretch &stretch,
                                                              unsigned int tile,
                                                              Wide (&key)[kItems]) {
  constexpr unsigned int kTile = kThreads * kItems;
  const unsigned int firsts = (stretch.first_count + kTile - 1) / kTile;
  const bool in_first = tile < firsts;
  const unsigned int before = (in_first ? tile : tile - firsts) * kTile,
                     count = in_first ? stretch.first_count : stretch.second_count,
                     valid = count - before < kTile ? count - before : kTile;
  const Wide *const from = (in_first ? stretch.first : stretch.second) + before;
  if (valid == kTile && (size_t)from % 16 == 0) {
#pragma unroll
    for (int u = 0; u < kItems / 2; u++) {
      const ulonglong2 two = __ldcs((const ulonglong2 *)from + u * kThreads + threadIdx.x);
      key[2 * u] = two.x;
      key[2 * u + 1] = two.y;
    }
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      const unsigned int i = 2 * (u / 2 * kThreads + threadIdx.x) + u % 2;
      key[u] = i < valid ? __ldcs(&from[i]) : 0;
    }
  }
  return valid;
}

// The tiles of a block. shared.count is 0 before, without a barrier.
template <MapKind kKind, int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void split_wide_tiles(
    WideSplitShared<kThreads, kItems, kBits> &shared, const WideSource &source,
    const WideRegions &regions, int shift, const WideMap &map, Findings *findings) {
  typedef WideSplitShared<kThreads, kItems, kBits> Shared;
  constexpr unsigned int kBins = Shared::kBins, kTile = kThreads * kItems;
  constexpr unsigned int kEach = kBins > kThreads ? kBins / kThreads : 1;
  constexpr unsigned int kLanes =  // that write a run
      kBins * LEAST_COPYING < kThreads ? kThreads / kBins : LEAST_COPYING;
  const bool encodes = source.input != NULL && !is_plain(source.code);
  const unsigned int base = source.input != NULL ? 0 : blockIdx.x * kBins;  // its first region
  const WideStretch stretch = stretch_of(source, kTile);
  const unsigned int tiles =
      (stretch.first_count + kTile - 1) / kTile + (stretch.second_count + kTile - 1) / kTile;
  const auto digit_of = [&](Wide key) {
    return (unsigned int)(number_of<kKind>(map, key) >> 32) >> shift & (kBins - 1);
  };
  Wide key[kItems];
  unsigned int valid = tiles > 0 ? load_wide_tile<kThreads>(stretch, 0, key) : 0;
  __syncthreads();
  for (unsigned int tile = 0; tile < tiles; tile++) {
    if (encodes) {
      bool minus_zero = false;
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        minus_zero |= source.code.negative != 0 && key[u] == WIDE_MINUS_ZERO;
        key[u] = encode(source.code, key[u]);
      }
      if (minus_zero) atomicOr(&findings->stop, 1u);
    }
    // Ranks, two in a register.
    unsigned int rank[kItems / 2];
    const auto exists = [&](int u) { return 2 * (u / 2 * kThreads + threadIdx.x) + u % 2 < valid; };
    const auto rank_all = [&](auto whole) {
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        unsigned int mine = 0;
        if (decltype(whole)::value || exists(u))
          mine = atomicAdd(&shared.count[digit_of(key[u])], 1u);
        rank[u / 2] = u % 2 == 0 ? mine : rank[u / 2] | mine << 16;
      }
    };
    if (valid == kTile && share_bin(digit_of(key[0])))
      rank_in_order<kItems>(
          shared.count, [&](int u) { return digit_of(key[u]); },
          [&](int u, unsigned int mine) {
            rank[u / 2] = u % 2 == 0 ? mine : rank[u / 2] | mine << 16;
          });
    else if (valid == kTile)
      rank_all(std::true_type());
    else
      rank_all(std::false_type());
    wait_for_copy_engine();
    __syncthreads();
    // Space in the region for the whole sectors of each bin; slots in the tile for all of its keys.
    unsigned int count[kEach], to[kEach], sum = 0;
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++) {
      const unsigned int b = threadIdx.x * kEach + e;
      count[e] = b < kBins ? shared.count[b] : 0;
      const unsigned int sectors = count[e] / SECTOR * SECTOR;
      to[e] = sectors > 0 ? atomicAdd(&regions.up[base + b], sectors) : 0;
      sum += (count[e] + SECTOR - 1) / SECTOR * SECTOR;
    }
    unsigned int first = block_inclusive_scan_one_barrier(sum, shared.sums) - sum;
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++) {
      const unsigned int b = threadIdx.x * kEach + e;
      if (b >= kBins) continue;
      const unsigned int left = tile > 0 ? shared.run[b].w : 0;
      unsigned int sectors = count[e] / SECTOR * SECTOR;
      for (unsigned int j = 0; j < left; j++) shared.tile[first + j] = shared.left[3 * b + j];
      // A difference: the sum may exceed 32 bits.
      if (sectors > 0 && to[e] - (base + b) * regions.capacity + sectors > regions.capacity) {
        atomicOr(&findings->stop, 1u);  // no space: nothing is written
        sectors = 0;
      }
      shared.run[b] = make_uint4(first, to[e], sectors, count[e] % SECTOR);
      shared.first[b] = first;
      shared.count[b] = count[e] % SECTOR;  // the next tile's keys come behind those that are left
      first += (count[e] + SECTOR - 1) / SECTOR * SECTOR;
    }
    __syncthreads();
    const auto place_all = [&](auto whole) {
#pragma unroll
      for (int u = 0; u < kItems; u++)
        if (decltype(whole)::value || exists(u))
          shared.tile[shared.first[digit_of(key[u])] + (rank[u / 2] >> u % 2 * 16 & 0xffffu)] =
              key[u];
    };
    if (valid == kTile)
      place_all(std::true_type());
    else
      place_all(std::false_type());
    publish_to_copy_engine();
    if (tile + 1 < tiles) valid = load_wide_tile<kThreads>(stretch, tile + 1, key);
    __syncthreads();
    const unsigned int lane = threadIdx.x % kLanes;
#pragma unroll
    for (unsigned int b = threadIdx.x / kLanes; b < kBins; b += kThreads / kLanes) {
      const uint4 run = shared.run[b];
      const Wide *const from = shared.tile + run.x;
      copy_from_shared(regions.of(base + b) + run.y, from, run.z * sizeof(Wide), lane, kLanes);
      if (lane < run.w) shared.left[3 * b + lane] = from[run.z + lane];
    }
  }
  wait_for_copy_engine();
  __syncthreads();
  for (unsigned int b = threadIdx.x; tiles > 0 && b < kBins; b += kThreads) {
    const unsigned int left = shared.run[b].w;
    if (left == 0) continue;
    const unsigned int to = atomicSub(&regions.down[base + b], left) - left;
    if (to < (base + b) * regions.capacity || to > (base + b + 1) * regions.capacity) {
      atomicOr(&findings->stop, 1u);
      continue;
    }
    for (unsigned int j = 0; j < left; j++) regions.of(base + b)[to + j] = shared.left[3 * b + j];
  }
}

// What the samples say of the keys, for the host, in the first step: tells_even: also if that is
// EVEN.
static __device__ __forceinline__ void tell_samples(const Findings *findings, bool tells_even,
                                                    volatile HostVerdict *host) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  const unsigned int finding = finding_of_both(findings->first_sample, findings->second_sample);
  if (finding != EVEN || tells_even) host->finding = finding;
}

// The last block of a single step: where each bucket begins in the output, and, for the host,
// whether all fit into `capacity`.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void place_buckets(
    WideSplitShared<kThreads, kItems, kBits> &shared, const WideRegions &regions,
    unsigned int *start, unsigned int capacity, Findings *findings, volatile HostVerdict *host) {
  if (!is_last_block(&findings->arrived)) return;
  static_assert(1 << kBits <= kThreads, "a thread for each bucket");
  const unsigned int b = threadIdx.x;
  const bool exists = b < 1u << kBits;
  const unsigned int count = exists ? regions.keys_in(b) : 0,
                     up_to_here = block_inclusive_scan_one_barrier(count, shared.sums);
  if (exists) start[b] = up_to_here - count;
  const bool full = exists && (count > capacity || !regions.fits(b));
  const bool stops = __syncthreads_or(full || findings->stop != 0) != 0;
  if (threadIdx.x > 0) return;
  if (stops) findings->stop = 1;
  host->finding = stops ? UNEVEN : SORTED;
}

// shift: of the digit in the upper word of a number. The block of a part has that part's bins.
// tells_even: of tell_samples(). kPlaces: the only step, with start and capacity of
// place_buckets().
template <int kThreads, int kItems, int kBits, bool kPlaces>
static __global__ void __launch_bounds__(kThreads, 1)
    split_wide(WideSource source, WideRegions regions, int shift, const WideMap *map_of_keys,
               Findings *findings, bool tells_even, volatile HostVerdict *host, unsigned int *start,
               unsigned int capacity) {
  typedef WideSplitShared<kThreads, kItems, kBits> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  for (unsigned int b = threadIdx.x; b < Shared::kBins; b += kThreads) shared.count[b] = 0;
  wait_for_previous_kernel();
  if (source.input != NULL) tell_samples(findings, tells_even, host);
  if (findings->first_sample != EVEN || findings->second_sample != EVEN) return;
  // All threads decide alike, as blocks of this step may set it meanwhile.
  const bool stopped = *(volatile unsigned int *)&findings->stop != 0;
  if (source.input == NULL && __syncthreads_or(stopped) != 0) return;
  const WideMap map = *map_of_keys;
  for_kind(map.kind, [&](auto kind) {
    split_wide_tiles<decltype(kind)::kind>(shared, source, regions, shift, map, findings);
  });
  if constexpr (kPlaces) place_buckets(shared, regions, start, capacity, findings, host);
}

#endif
