// Two steps of wide keys to buckets between splitters of a sample (block/wide_splitters.cuh). The
// keys of each bin are counted first, so that any of them fit:
//
//   step 1   all blocks       in -> parts in scratch memory     8 + 16 bytes a key
//   step 2   a block a part   parts -> buckets in the output    8 + 16
//
// Values follow their keys. Bins of one value go to the output at once, and are done. If a single
// step is enough, it goes to buckets in the output.
//
// Bare keys may have any order inside a bin: atomics rank them, and blocks take places as they go.
// Pairs keep their order: a block reads a contiguous part of the input, ranks the pairs of a tile
// in their order (rank_in_row()), and puts those of a bin behind those of the parts before its own.
//
//   keys in bin   a b c       of block 0  2 0 1     of block 1  1 3 1
//   begin         0 3 6                   0 3 6                 2 3 7
#ifndef GSORT_KERNEL_SPLIT_BETWEEN_WIDE_CUH
#define GSORT_KERNEL_SPLIT_BETWEEN_WIDE_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/count.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/index.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/wide_splitters.cuh"
#include "gsort/warp/match.cuh"

enum {
  BETWEEN_WARPS = BETWEEN_THREADS / WARP_SIZE,
  BETWEEN_BLOCKS = 1,  // on a multiprocessor
  ONE_VALUE = 1 << 15
};

// Shared memory of a block. Value: None for bare keys.
template <class Value>
struct BetweenShared {
  static constexpr bool kPairs = !IS_NONE<Value>;
  static constexpr int kBinBits = kPairs ? 9 : 10, kBins = 1 << kBinBits;
  static constexpr int kItems = sizeof(Value) == 8 ? 8 : 10, kTile = BETWEEN_THREADS * kItems;
  static constexpr int kStep =
      kPairs ? (int)WARP_SIZE : (int)BETWEEN_THREADS;  // between a thread's items
  __align__(16) Wide tile[kTile];                      // of pairs, also masks of rank_in_row()
  // Keys of each warp in each bin; then those of the warps before it.
  __align__(16) unsigned short of_warp[kPairs ? BETWEEN_WARPS * kBins : 1];
  Value value[kPairs ? kTile : 1];
  WideBins bins;
  unsigned int count[kBins];  // of a tile; 0 between tiles
  unsigned int slot[kBins];   // of a bin's first key in the tile
  unsigned int to[kBins];     // index in the output minus slot
  unsigned int next[kBins];   // where the block's next key of a bin goes
  unsigned int sums[MAX_WARPS];
  unsigned short bin[kTile];  // of a slot; with ONE_VALUE
  // Where a thread's first item is in a tile.
  static __device__ __forceinline__ unsigned int first_item(void) {
    return kPairs ? threadIdx.x / WARP_SIZE * kItems * WARP_SIZE + threadIdx.x % WARP_SIZE
                  : threadIdx.x;
  }
};

// What a block reads: the tiles begin, begin + stride, .. of a source.
template <class Value>
struct BetweenSource {
  const Wide *keys;
  const Value *values;  // NULL: none, or indices
  WideCode code;
  size_t begin, end, stride;
};

// Where it writes: bins of one value, as keys, to `done`; others, as codes, to `out`.
template <class Value>
struct BetweenOutput {
  Wide *keys, *done_keys;
  Value *values, *done_values;
  WideCode done_code;
};

// Device memory between the launches.
typedef struct BetweenState {
  BinBetween *part;           // [parts]
  unsigned int *next;         // [parts] a count, 0 at first; then where its next key goes
  unsigned int *of_block;     // [blocks * parts] keys that each block has; of pairs only
  unsigned int *part_sample;  // [parts + 1] where the samples of each begin
  BinBetween *bucket;         // [buckets], if there are two steps
  Findings *findings;
  volatile HostVerdict *host;
} BetweenState;

// A thread's keys of the tile that begins at `begin`; if there are no more, 0. Returns how many
// keys the tile has.
template <class Value>
static __device__ __forceinline__ unsigned int load_tile(
    const BetweenSource<Value> &source, size_t begin, Wide (&key)[BetweenShared<Value>::kItems]) {
  typedef BetweenShared<Value> Shared;
  const size_t left = source.end - begin;
  const Wide *const from = source.keys + begin + Shared::first_item();
  if (left >= Shared::kTile) {
#pragma unroll
    for (int u = 0; u < Shared::kItems; u++) key[u] = __ldcs(&from[u * Shared::kStep]);
    return Shared::kTile;
  }
#pragma unroll
  for (int u = 0; u < Shared::kItems; u++)
    key[u] = Shared::first_item() + u * Shared::kStep < left ? __ldcs(&from[u * Shared::kStep]) : 0;
  return (unsigned int)left;
}

// Counts the keys of a thread in shared.count. bin[u] receives, in its upper half, how many keys of
// the bin are counted before key u. mine: how far the tile's end is from the thread's first key.
template <class Value>
static __device__ __forceinline__ void count_keys(BetweenShared<Value> &shared,
                                                  unsigned int (&bin)[BetweenShared<Value>::kItems],
                                                  int mine, bool whole) {
  typedef BetweenShared<Value> Shared;
  if (whole && share_bin(bin[0]))
    rank_in_order<Shared::kItems>(
        shared.count, [&](int u) { return bin[u]; },
        [&](int u, unsigned int rank) { bin[u] |= rank << 16; });
  else
    for_tile(whole, [&](auto all) {
#pragma unroll
      for (int u = 0; u < Shared::kItems; u++)
        if (decltype(all)::value || u * Shared::kStep < mine)
          bin[u] |= atomicAdd(&shared.count[bin[u]], 1u) << 16;
    });
}

// Adds the tiles of a block to shared.count. All threads.
template <bool kByValue, class Value>
static __device__ __noinline__ bool count_tiles_by(BetweenShared<Value> &shared,
                                                   const BetweenSource<Value> source,
                                                   const WideSample &sample) {
  typedef BetweenShared<Value> Shared;
  bool minus_zero = false;
  for (size_t begin = source.begin; begin < source.end; begin += source.stride) {
    Wide key[Shared::kItems];
    unsigned int bin[Shared::kItems];
    const unsigned int valid = load_tile(source, begin, key);
    minus_zero |= encode_all(source.code, key);
    find_bins<kByValue>(shared.bins, sample.bins - 1, key, bin);
    count_keys(shared, bin, (int)valid - (int)Shared::first_item(), valid == Shared::kTile);
  }
  return minus_zero;
}

template <class Value>
static __device__ __forceinline__ bool count_tiles(BetweenShared<Value> &shared,
                                                   const BetweenSource<Value> &source,
                                                   const WideSample &sample) {
  return shared.bins.map.by_value ? count_tiles_by<true>(shared, source, sample)
                                  : count_tiles_by<false>(shared, source, sample);
}

// The same among the keys of the warp, in the order of the tile; shared.of_warp receives the
// counts.
template <class Value>
static __device__ __forceinline__ void rank_in_warp(
    BetweenShared<Value> &shared, unsigned int (&bin)[BetweenShared<Value>::kItems], int mine) {
  typedef BetweenShared<Value> Shared;
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  unsigned short *const counts = shared.of_warp + warp * Shared::kBins;
  unsigned int *const masks = (unsigned int *)shared.tile + warp * Shared::kBins;
  static_assert(sizeof shared.tile >= BETWEEN_WARPS * Shared::kBins * sizeof *masks, "too small");
  for (unsigned int i = lane; i < Shared::kBins / 8; i += WARP_SIZE)
    ((uint4 *)counts)[i] = make_uint4(0, 0, 0, 0);
  for (unsigned int i = lane; i < Shared::kBins / 4; i += WARP_SIZE)
    ((uint4 *)masks)[i] = make_uint4(0, 0, 0, 0);
  __syncwarp();
#pragma unroll
  for (int u = 0; u < Shared::kItems; u++)
    bin[u] |= rank_in_row(masks, counts, bin[u], u * Shared::kStep < mine) << 16;
}

// Makes the counts of the warps in bin b those before each warp's; returns their sum.
template <class Value>
static __device__ __forceinline__ unsigned int sum_up_warps(BetweenShared<Value> &shared,
                                                            unsigned int b) {
  unsigned int sum = 0;
#pragma unroll 8
  for (unsigned int w = 0; w < BETWEEN_WARPS; w++) {
    unsigned short *const of_warp = &shared.of_warp[w * BetweenShared<Value>::kBins + b];
    const unsigned int count = *of_warp;
    *of_warp = (unsigned short)sum;
    sum += count;
  }
  return sum;
}

// Moves the tiles of a block. next[b]: where the next key of a bin goes.
template <bool kByValue, class Value>
static __device__ __noinline__ void move_tiles_by(BetweenShared<Value> &shared,
                                                  const BetweenSource<Value> source,
                                                  const BetweenOutput<Value> output,
                                                  const WideSample &sample, unsigned int *next) {
  typedef BetweenShared<Value> Shared;
  static_assert((int)Shared::kBins <= (int)BETWEEN_THREADS, "a thread for each bin");
  const unsigned int bins = sample.bins, first = Shared::first_item();
  Wide key[Shared::kItems];
  unsigned int valid = source.begin < source.end ? load_tile(source, source.begin, key) : 0;
  for (size_t begin = source.begin; begin < source.end; begin += source.stride) {
    unsigned int bin[Shared::kItems];  // and, in the upper half, the rank in it
    [[maybe_unused]] Value value[Shared::kItems] = {};
    encode_all(source.code, key);
    find_bins<kByValue>(shared.bins, sample.bins - 1, key, bin);
    const int mine = (int)valid - (int)first;
    if constexpr (Shared::kPairs) {
      rank_in_warp(shared, bin, mine);
#pragma unroll
      for (int u = 0; u < Shared::kItems; u++) {
        if (u * Shared::kStep >= mine) continue;
        const size_t i = begin + first + u * Shared::kStep;
        value[u] = source.values == NULL ? (Value)i : __ldcs(&source.values[i]);
      }
    } else {
      count_keys(shared, bin, mine, valid == Shared::kTile);
    }
    __syncthreads();
    const unsigned int own = threadIdx.x;
    unsigned int count = 0;
    if (own < bins) count = Shared::kPairs ? sum_up_warps(shared, own) : shared.count[own];
    const unsigned int to = count > 0 ? atomicAdd(&next[own], count) : 0;
    const unsigned int slot = block_inclusive_scan_one_barrier(count, shared.sums) - count;
    if (own < bins) {
      shared.slot[own] = shared.bins.is_one_value[own] ? slot | ONE_VALUE : slot;
      shared.to[own] = to - slot;
      shared.count[own] = 0;
    }
    __syncthreads();
    for_tile(valid == Shared::kTile, [&](auto all) {
#pragma unroll
      for (int u = 0; u < Shared::kItems; u++) {
        if (!decltype(all)::value && u * Shared::kStep >= mine) continue;
        const unsigned int b = bin[u] & 0xffffu, slot_of_bin = shared.slot[b];
        unsigned int i = (slot_of_bin & (ONE_VALUE - 1)) + (bin[u] >> 16);
        if constexpr (Shared::kPairs) {
          i += shared.of_warp[threadIdx.x / WARP_SIZE * Shared::kBins + b];
          shared.value[i] = value[u];
        }
        shared.tile[i] = key[u];
        shared.bin[i] = (unsigned short)(b | (slot_of_bin & ONE_VALUE));
      }
    });
    const unsigned int count_of_tile = valid;
    if (source.end - begin > source.stride) valid = load_tile(source, begin + source.stride, key);
    __syncthreads();
    for_tile(count_of_tile == Shared::kTile, [&](auto all) {
#pragma unroll
      for (int u = 0; u < Shared::kItems; u++) {
        const unsigned int i = threadIdx.x + u * BETWEEN_THREADS;
        if (!decltype(all)::value && i >= count_of_tile) continue;
        const unsigned int b = shared.bin[i], at = shared.to[b & (ONE_VALUE - 1)] + i;
        const Wide moved = shared.tile[i];
        if (b < ONE_VALUE)
          output.keys[at] = moved;
        else
          output.done_keys[at] = decode(output.done_code, moved);
        if constexpr (Shared::kPairs)
          (b < ONE_VALUE ? output.values : output.done_values)[at] = shared.value[i];
      }
    });
    if constexpr (Shared::kPairs) __syncthreads();
  }
}

template <class Value>
static __device__ __forceinline__ void move_tiles(BetweenShared<Value> &shared,
                                                  const BetweenSource<Value> &source,
                                                  const BetweenOutput<Value> &output,
                                                  const WideSample &sample, unsigned int *next) {
  if (shared.bins.map.by_value)
    move_tiles_by<true>(shared, source, output, sample, next);
  else
    move_tiles_by<false>(shared, source, output, sample, next);
}

template <class Value>
static __device__ __forceinline__ BetweenShared<Value> &prepare_between(void *memory) {
  BetweenShared<Value> &shared = *(BetweenShared<Value> *)memory;
  for (unsigned int b = threadIdx.x; b < shared.kBins; b += BETWEEN_THREADS) shared.count[b] = 0;
  return shared;
}

// What a block of the first step reads of n elements.
template <class Value>
static __device__ __forceinline__ BetweenSource<Value> source_of_block(const Wide *keys,
                                                                       const Value *values,
                                                                       size_t n, WideCode code) {
  constexpr size_t kTile = BetweenShared<Value>::kTile;
  const size_t block = blockIdx.x, blocks = gridDim.x;
  if constexpr (IS_NONE<Value>)
    return {keys, values, code, block * kTile, n, blocks * kTile};
  else
    return {keys, values, code, n * block / blocks, n * (block + 1) / blocks, kTile};
}

// Not volatile: no block of the steps behind the count changes that, and blocks that find it in the
// first-level cache return sooner.
static __device__ __forceinline__ bool has_stopped(const BetweenState &state) {
  return state.findings->stop != 0;
}

// All threads of a block, after a barrier: notes the bins that make_bins() has made, for keys from
// `begin` on and codes from `least` to `most`. next: receives where each begins, too.
template <class Value, class CountOf>
static __device__ __forceinline__ void note_bins(BetweenShared<Value> &shared, unsigned int bins,
                                                 unsigned int begin, Wide least, Wide most,
                                                 CountOf count_of, unsigned int *next,
                                                 BinBetween *noted) {
  const unsigned int b = threadIdx.x, count = b < bins ? count_of(b) : 0,
                     at = begin + block_inclusive_scan_one_barrier(count, shared.sums) - count;
  if (b >= bins) return;
  next[b] = noted[b].begin = at;
  noted[b].count = shared.bins.is_one_value[b] ? 0 : count;
  const Wide from = b == 0 ? least : shared.bins.at(b - 1),
             to = b + 1 < bins ? shared.bins.at(b) : most;
  WideMap map = {};
  make_affine(from, from < to ? to : from + 1, &map);
  noted[b].map = map;
}

// Counts the keys of the parts, and finds their samples. Tells the host: STOPPED if there is a -0.
template <class Value>
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    count_between(const Wide *keys, size_t n, WideCode code, WideSample sample,
                  BetweenState state) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  BetweenShared<Value> &shared = prepare_between<Value>(shared_memory);
  wait_for_previous_kernel();
  // Not has_stopped(): a block may find -0 before another one begins.
  if (needs_no_splitters(state.findings)) return;
  const unsigned int bins = sample.bins;
  make_bins(sample, code.negative != 0, shared.bins, shared.sums);
  const BetweenSource<Value> source = source_of_block(keys, (const Value *)NULL, n, code);
  if (count_tiles(shared, source, sample)) atomicOr(&state.findings->stop, 1u);
  for (size_t p = global_index(); p <= bins; p += (size_t)gridDim.x * BETWEEN_THREADS)
    state.part_sample[p] = p == 0      ? 0
                           : p == bins ? sample.count
                                       : lower_bound_of(sample, shared.bins.at(p - 1));
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < bins; b += BETWEEN_THREADS) {
    const unsigned int count = shared.count[b];
    if constexpr (BetweenShared<Value>::kPairs) state.of_block[blockIdx.x * bins + b] = count;
    if (count > 0) atomicAdd(&state.next[b], count);
  }
  if (!is_last_block(&state.findings->arrived)) return;
  note_bins(
      shared, bins, 0, 0, ~0ull, [&](unsigned int b) { return __ldcg(&state.next[b]); }, state.next,
      state.part);
  if (threadIdx.x > 0) return;
  state.host->finding = has_stopped(state) ? STOPPED : SORTED;
}

// The first step, to parts, or buckets in the output.
template <class Value>
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    split_between(const Wide *keys, const Value *values, size_t n, WideCode code, WideSample sample,
                  BetweenOutput<Value> output, BetweenState state) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  BetweenShared<Value> &shared = prepare_between<Value>(shared_memory);
  wait_for_previous_kernel();
  if (has_stopped(state)) return;
  make_bins(sample, code.negative != 0, shared.bins, shared.sums);
  unsigned int *next = state.next;
  if constexpr (BetweenShared<Value>::kPairs) {
    next = shared.next;
    for (unsigned int b = threadIdx.x; b < sample.bins; b += BETWEEN_THREADS) {
      unsigned int before = state.next[b];
#pragma unroll 8
      for (unsigned int block = 0; block < blockIdx.x; block++)
        before += state.of_block[block * sample.bins + b];
      next[b] = before;
    }
  }
  __syncthreads();
  move_tiles(shared, source_of_block(keys, values, n, code), output, sample, next);
}

// The second step: a block for each part, whose samples are some of all. sample: all; bins of a
// part. A part of one value has no keys left.
template <class Value>
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    split_parts_between(const Wide *parts, const Value *values, WideSample sample,
                        BetweenOutput<Value> output, BetweenState state) {
  typedef BetweenShared<Value> Shared;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared &shared = prepare_between<Value>(shared_memory);
  const unsigned int part = blockIdx.x;
  BinBetween *const bucket = state.bucket + (size_t)part * sample.bins;
  wait_for_previous_kernel();
  if (has_stopped(state)) return;
  const BinBetween of_part = state.part[part];
  const size_t begin = of_part.begin, end = begin + of_part.count;
  if (begin == end) {
    for (unsigned int b = threadIdx.x; b < sample.bins; b += BETWEEN_THREADS) bucket[b].count = 0;
    return;
  }
  // A part has a sample, or the last one serves.
  const unsigned int first_sample = min(state.part_sample[part], sample.count - 1);
  sample.sorted += first_sample;
  sample.count = state.part_sample[part + 1] - first_sample;
  __syncthreads();
  make_bins(sample, output.done_code.negative != 0, shared.bins, shared.sums);
  const BetweenSource<Value> source = {parts, values, {0, 0}, begin, end, Shared::kTile};
  count_tiles(shared, source, sample);
  __syncthreads();
  note_bins(
      shared, sample.bins, of_part.begin, of_part.map.least, of_part.map.most,
      [&](unsigned int b) { return shared.count[b]; }, shared.next, bucket);
  for (unsigned int b = threadIdx.x; b < Shared::kBins; b += BETWEEN_THREADS) shared.count[b] = 0;
  __syncthreads();
  move_tiles(shared, source, output, sample, shared.next);
}

#endif
