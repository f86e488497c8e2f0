// A step of wide pairs to the bins of a digit, stable, without a count, a look-back or part-written
// sectors.
//
// A block stays for a contiguous part of the input, and has a region for each bin. The regions of
// a bin, in the order of the blocks, are the bin in stable order, so no block waits for another.
// Of each bin a multiple of four pairs is written at a time; up to three wait for the next tile.
//
//   block 0 has   b a b b a a     regions of bin a  [a a a] [a]       in the order of blocks 0, 1
//   block 1 has   b b a b                 of bin b  [b b b] [b b b]
//
// The next step reads the regions of a bin one after the other. Moves 2 x (8 + value) bytes a pair.
#ifndef GSORT_KERNEL_STABLE_WIDE_SPLIT_CUH
#define GSORT_KERNEL_STABLE_WIDE_SPLIT_CUH

#include "gsort/kernel/wide_split.cuh"
#include "gsort/warp/match.cuh"

enum { MOST_PIECES = 288 };  // regions of a part, which as many blocks have written

// Regions of a step: number (bin * blocks + block), each of the same capacity, a multiple of
// SECTOR. Those from number `split` on lie in other memory than the first ones.
template <class PairValue>
struct PairRegions {
  typedef PairValue Value;
  static constexpr bool kCounted = false;
  Wide *first_keys, *second_keys;
  Value *first_values, *second_values;
  unsigned int split, capacity, blocks;
  unsigned int *count;  // [bins * blocks] pairs of each region, after the step
  __device__ __forceinline__ Wide *keys_of(unsigned int region) const {
    return region < split ? first_keys : second_keys;
  }
  __device__ __forceinline__ Value *values_of(unsigned int region) const {
    return region < split ? first_values : second_values;
  }
  __device__ __forceinline__ size_t begin_of(unsigned int region) const {
    return (size_t)region * capacity;
  }
  // After the step.
  __device__ __forceinline__ unsigned int pieces(void) const { return blocks; }
  __device__ __forceinline__ unsigned int keys_in(unsigned int region) const {
    return count[region];
  }
  __device__ __forceinline__ bool fits(unsigned int) const { return true; }  // or the step stops
};

// Regions that have the slots for the pairs that they receive, which are counted
// (kernel/count_wide_parts.cuh). Slots from `split` on lie in the second memory.
template <class Value>
struct CountedRegions : PairRegions<Value> {
  static constexpr bool kCounted = true;
  unsigned int *begin;  // [bins * blocks] the first slot of each region, a multiple of SECTOR
  __device__ __forceinline__ Wide *keys_of(unsigned int region) const {
    return begin[region] < this->split ? this->first_keys : this->second_keys;
  }
  __device__ __forceinline__ Value *values_of(unsigned int region) const {
    return begin[region] < this->split ? this->first_values : this->second_values;
  }
  __device__ __forceinline__ size_t begin_of(unsigned int region) const { return begin[region]; }
};

// What a step reads: the input, or parts, each of which is the regions of a bin of the step before.
// blocks_of_part: that share a part, or the input.
template <class Parts>
struct PairSource {
  typedef typename Parts::Value Value;
  const Wide *keys;     // NULL: parts
  const Value *values;  // of the input; NULL: indices
  WideCode code;        // of the input
  Parts parts;
  unsigned int blocks_of_part, n;
};

template <int kThreads, int kItems, int kBits, class Value>
struct StableSplitShared {
  static constexpr int kBins = 1 << kBits, kWarps = kThreads / WARP_SIZE;
  static constexpr int kSums = kThreads / kBins < kWarps ? kThreads / kBins : kWarps;
  static constexpr int kSlots = kThreads * kItems + 2 * (SECTOR - 1) * kBins;
  Wide key[kSlots], left_key[(SECTOR - 1) * kBins];
  uint4 run[kBins];  // first slot, where in the region, pairs to write, pairs left
  Value value[kSlots], left_value[(SECTOR - 1) * kBins];
  unsigned int mask[kWarps * kBins];       // of rank_in_row()
  unsigned short of_warp[kWarps * kBins];  // counts; then slots
  unsigned int of_warps[kSums * kBins];    // sums over some warps
  unsigned int first[kBins], sums[MAX_WARPS], begin[MOST_PIECES + 1];
};

// Where a slice of n pairs begins, or all slices end.
static __device__ __forceinline__ unsigned int begin_of_slice(unsigned int n, unsigned int slice,
                                                              unsigned int slices) {
  return (unsigned int)((unsigned long long)n * slice / slices);
}

// A block's pieces of what it reads: begin[k] is where piece k begins, in the order of the source.
template <class Parts, class Shared>
static __device__ __forceinline__ unsigned int find_pieces(const PairSource<Parts> &source,
                                                           Shared &shared, unsigned int *first) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, slice = blockIdx.x % source.blocks_of_part,
                     slices = source.blocks_of_part;
  if (source.keys != NULL) {
    *first = begin_of_slice(source.n, slice, slices);
    if (threadIdx.x == 0) {
      shared.begin[0] = 0;
      shared.begin[1] = begin_of_slice(source.n, slice + 1, slices) - *first;
    }
    __syncthreads();
    return 1;
  }
  const unsigned int all = source.parts.blocks, from = all * slice / slices,
                     pieces = all * (slice + 1) / slices - from;
  *first = blockIdx.x / slices * all + from;
  if (threadIdx.x < WARP_SIZE) {
    unsigned int before = 0;
    for (unsigned int k = 0; k < pieces; k += WARP_SIZE) {
      const unsigned int count = k + lane < pieces ? source.parts.count[*first + k + lane] : 0,
                         up_to_here = before + warp_inclusive_scan(count);
      if (k + lane < pieces) shared.begin[k + lane] = up_to_here - count;
      before = __shfl_sync(0xffffffffu, up_to_here, WARP_SIZE - 1);
    }
    if (lane == 0) shared.begin[pieces] = before;
  }
  __syncthreads();
  return pieces;
}

// The rows of a warp, from pair `at` of the block's on; pairs of a lane are WARP_SIZE apart. They
// lie in at most two pieces, unless these are counted: if some lie in a third, the sort ends
// without a result.
template <int kItems, class Parts, class Value, class Shared>
static __device__ __forceinline__ void load_rows(const PairSource<Parts> &source,
                                                 const Shared &shared, unsigned int pieces,
                                                 unsigned int first, unsigned int at,
                                                 unsigned int total, Wide (&key)[kItems],
                                                 Value (&value)[kItems], Findings *findings) {
  constexpr unsigned int kRows = kItems * WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE;
  if (at >= total) return;
  const Parts &parts = source.parts;
  const bool is_input = source.keys != NULL;
  unsigned int k = 0;  // the piece that has pair `at`
  for (unsigned int j = 0; !is_input && j < pieces; j += WARP_SIZE)
    k += (unsigned int)__popc(
        (int)__ballot_sync(0xffffffffu, j + lane < pieces && shared.begin[j + lane + 1] <= at));
  const unsigned int bound = shared.begin[k + 1], end = min(total, at + kRows), region = first + k;
  const size_t here = is_input ? first : parts.begin_of(region) - shared.begin[k];
  const Wide *const keys = (is_input ? source.keys : parts.keys_of(region)) + here;
  const Value *const values = is_input ? source.values : parts.values_of(region);
  if (at + kRows <= bound) {
    const Wide *const my_keys = keys + at + lane;
    const Value *const my_values = values + here + at + lane;
#pragma unroll
    for (int u = 0; u < kItems; u++) key[u] = __ldcs(&my_keys[u * WARP_SIZE]);
#pragma unroll
    for (int u = 0; u < kItems; u++)
      value[u] = values == NULL ? (Value)(first + at + lane + u * WARP_SIZE)
                                : __ldcs(&my_values[u * WARP_SIZE]);
    return;
  }
  const bool in_three = k + 2 <= pieces && shared.begin[k + 2] < end;
  if constexpr (Parts::kCounted) {
    if (in_three) {
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        const unsigned int i = at + u * WARP_SIZE + lane;
        if (i >= total) continue;
        while (i >= shared.begin[k + 1]) k++;
        const size_t slot = parts.begin_of(first + k) + i - shared.begin[k];
        key[u] = __ldcs(&parts.keys_of(first + k)[slot]);
        value[u] = __ldcs(&parts.values_of(first + k)[slot]);
      }
      return;
    }
  } else if (in_three && lane == 0) {
    atomicOr(&findings->stop, (unsigned int)STOP_IN_ORDER);
  }
  const unsigned int next = region + (k + 1 < pieces ? 1 : 0);
  const size_t there = parts.begin_of(next) - bound;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int i = at + u * WARP_SIZE + lane;
    if (i >= total) continue;
    const bool is_next = i >= bound;
    key[u] = __ldcs(&(is_next ? parts.keys_of(next) + there : keys)[i]);
    value[u] = values == NULL
                   ? (Value)(first + i)
                   : __ldcs(&(is_next ? parts.values_of(next) + there : values + here)[i]);
  }
}

// The tiles of a block.
template <MapKind kKind, int kThreads, int kItems, int kBits, class Value, class Parts,
          class Regions>
static __device__ __forceinline__ void split_pair_tiles(
    StableSplitShared<kThreads, kItems, kBits, Value> &shared, const PairSource<Parts> &source,
    const Regions &regions, int shift, const WideMap &map, Findings *findings) {
  typedef StableSplitShared<kThreads, kItems, kBits, Value> Shared;
  constexpr unsigned int kBins = Shared::kBins, kWarps = Shared::kWarps, kSums = Shared::kSums,
                         kEach = kWarps / kSums, kTile = kThreads * kItems,
                         kRows = kItems * WARP_SIZE;
  static_assert(kBins * 4 <= kThreads && kSums * kEach == kWarps && kBins % 8 == 0, "shapes");
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE,
                     part = blockIdx.x / source.blocks_of_part,
                     slice = blockIdx.x % source.blocks_of_part;
  const auto stop_without_space = [&] {
    atomicOr(&findings->stop, source.keys != NULL ? (unsigned int)STOP_IN_ORDER : 1u);
  };
  unsigned int first_piece;
  const unsigned int pieces = find_pieces(source, shared, &first_piece),
                     total = shared.begin[pieces], tiles = (total + kTile - 1) / kTile;
  if (threadIdx.x < kBins) shared.run[threadIdx.x] = make_uint4(0, 0, 0, 0);
  const bool encodes = source.keys != NULL && !is_plain(source.code);
  const auto digit_of = [&](Wide key) {
    return (unsigned int)(number_of<kKind>(map, key) >> 32) >> shift & (kBins - 1);
  };
  Wide key[kItems];
  Value value[kItems];
  load_rows(source, shared, pieces, first_piece, warp * kRows, total, key, value, findings);
  unsigned short *const mine = shared.of_warp + warp * kBins;
  unsigned int *const masks = shared.mask + warp * kBins;
  for (unsigned int i = lane; i < kBins; i += WARP_SIZE) masks[i] = 0;
  for (unsigned int tile = 0; tile < tiles; tile++) {
    const unsigned int at = tile * kTile + warp * kRows + lane;
    if (encodes) {
      bool minus_zero = false;
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        minus_zero |=
            source.code.negative != 0 && at + u * WARP_SIZE < total && key[u] == WIDE_MINUS_ZERO;
        key[u] = encode(source.code, key[u]);
      }
      if (minus_zero) atomicOr(&findings->stop, 1u);
    }
    for (unsigned int i = lane; i < kBins / 8; i += WARP_SIZE)
      ((uint4 *)mine)[i] = make_uint4(0, 0, 0, 0);
    __syncwarp();
    unsigned int rank[(kItems + 1) / 2], digits[(kItems + 3) / 4];  // some in a register
    const bool is_whole = (tile + 1) * kTile <= total;
    for_tile(is_whole, [&](auto whole) {
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        const bool exists = decltype(whole)::value || at + u * WARP_SIZE < total;
        const unsigned int digit = exists ? digit_of(key[u]) : 0,
                           before = rank_in_row(masks, mine, digit, exists);
        rank[u / 2] = u % 2 == 0 ? before : rank[u / 2] | before << 16;
        digits[u / 4] = with_byte(u % 4 == 0 ? 0 : digits[u / 4], u % 4, digit, 0);
      }
    });
    wait_for_copy_engine();
    __syncthreads();
    // A thread sums up the counts of a bin of some warps.
    const unsigned int bin = threadIdx.x % kBins, group = threadIdx.x / kBins;
    if (group < kSums) {
      unsigned int sum = 0;
#pragma unroll
      for (unsigned int e = 0; e < kEach; e++)
        sum += shared.of_warp[(group * kEach + e) * kBins + bin];
      shared.of_warps[group * kBins + bin] = sum;
    }
    __syncthreads();
    unsigned int count = 0, left = 0;
    uint4 last = make_uint4(0, 0, 0, 0);
    if (threadIdx.x < kBins) {
      last = shared.run[threadIdx.x];
      count = left = last.w;
#pragma unroll
      for (unsigned int g = 0; g < kSums; g++) count += shared.of_warps[g * kBins + threadIdx.x];
    }
    const unsigned int slots = (count + SECTOR - 1) / SECTOR * SECTOR,
                       slot = block_inclusive_scan_one_barrier(slots, shared.sums) - slots;
    if (threadIdx.x < kBins) {
      const unsigned int to = last.y + last.z;
      unsigned int sectors = count / SECTOR * SECTOR;
      if (to + sectors > regions.capacity) {
        stop_without_space();  // and nothing is written
        sectors = 0;
      }
      shared.first[threadIdx.x] = slot + left;
      shared.run[threadIdx.x] = make_uint4(slot, to, sectors, count % SECTOR);
      for (unsigned int j = 0; j < left; j++) {
        shared.key[slot + j] = shared.left_key[j * kBins + threadIdx.x];
        shared.value[slot + j] = shared.left_value[j * kBins + threadIdx.x];
      }
    }
    __syncthreads();
    if (group < kSums) {
      unsigned int next = shared.first[bin];
      for (unsigned int g = 0; g < group; g++) next += shared.of_warps[g * kBins + bin];
#pragma unroll
      for (unsigned int e = 0; e < kEach; e++) {
        unsigned short *const of_warp = &shared.of_warp[(group * kEach + e) * kBins + bin];
        const unsigned int of_this = *of_warp;
        *of_warp = (unsigned short)next;
        next += of_this;
      }
    }
    __syncthreads();
    for_tile(is_whole, [&](auto whole) {
#pragma unroll
      for (int u = 0; u < kItems; u++) {
        if (!decltype(whole)::value && at + u * WARP_SIZE >= total) continue;
        const unsigned int to =
            mine[byte_of(digits[u / 4], u % 4)] + (rank[u / 2] >> u % 2 * 16 & 0xffffu);
        shared.key[to] = key[u];
        shared.value[to] = value[u];
      }
    });
    publish_to_copy_engine();
    if (tile + 1 < tiles)
      load_rows(source, shared, pieces, first_piece, (tile + 1) * kTile + warp * kRows, total, key,
                value, findings);
    __syncthreads();
    // Some threads write the run of a bin.
    constexpr unsigned int kLanes = kThreads / kBins;
    const unsigned int b = threadIdx.x / kLanes, of_bin = threadIdx.x % kLanes;
    const uint4 run = shared.run[b];
    const unsigned int region = (part * kBins + b) * source.blocks_of_part + slice;
    const size_t to = regions.begin_of(region) + run.y;
    copy_from_shared(regions.keys_of(region) + to, &shared.key[run.x], run.z * sizeof(Wide), of_bin,
                     kLanes);
    copy_from_shared(regions.values_of(region) + to, &shared.value[run.x], run.z * sizeof(Value),
                     of_bin, kLanes);
    if (of_bin < run.w) {
      shared.left_key[of_bin * kBins + b] = shared.key[run.x + run.z + of_bin];
      shared.left_value[of_bin * kBins + b] = shared.value[run.x + run.z + of_bin];
    }
    // The next tile's runs are made behind barriers.
  }
  wait_for_copy_engine();
  __syncthreads();
  if (threadIdx.x >= kBins) return;
  const uint4 run = shared.run[threadIdx.x];
  const unsigned int region = (part * kBins + threadIdx.x) * source.blocks_of_part + slice,
                     to = run.y + run.z;
  if (to + run.w > regions.capacity) {
    stop_without_space();
    regions.count[region] = 0;
    return;
  }
  for (unsigned int j = 0; j < run.w; j++) {
    const size_t at = regions.begin_of(region) + to + j;
    regions.keys_of(region)[at] = shared.left_key[j * kBins + threadIdx.x];
    regions.values_of(region)[at] = shared.left_value[j * kBins + threadIdx.x];
  }
  regions.count[region] = to + run.w;
}

template <int kThreads, int kItems, int kBits, class Parts, class Regions>
static __global__ void __launch_bounds__(kThreads, 1)
    split_wide_pairs(PairSource<Parts> source, Regions regions, int shift,
                     const WideMap *map_of_keys, Findings *findings, bool tells_even,
                     volatile HostVerdict *host) {
  typedef StableSplitShared<kThreads, kItems, kBits, typename Parts::Value> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  wait_for_previous_kernel();
  if (source.keys != NULL) tell_samples(findings, tells_even, host);
  if (findings->first_sample != EVEN || findings->second_sample != EVEN) return;
  const bool stopped = *(volatile unsigned int *)&findings->stop != 0;
  if (source.keys == NULL && __syncthreads_or(stopped) != 0) return;
  const WideMap map = *map_of_keys;
  for_kind(map.kind, [&](auto kind) {
    split_pair_tiles<decltype(kind)::kind>(shared, source, regions, shift, map, findings);
  });
}

#endif
