// Two steps of wide bare keys to buckets between splitters of a sample (block/wide_splitters.cuh).
// The keys of each bin are counted first, so that any of them fit:
//
//   step 1   all blocks       in -> parts in scratch memory     8 + 16 bytes a key
//   step 2   a block a part   parts -> buckets in the output    8 + 16
//
// Bins of one value go to the output at once, and are done. If a single step is enough, it goes to
// buckets in the output.
#ifndef GSORT_KERNEL_SPLIT_BETWEEN_WIDE_CUH
#define GSORT_KERNEL_SPLIT_BETWEEN_WIDE_CUH

#include "gsort/block/bins.cuh"
#include "gsort/block/count.cuh"
#include "gsort/block/index.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/wide_splitters.cuh"

enum {
  BETWEEN_THREADS = 1024,
  BETWEEN_ITEMS = 10,
  BETWEEN_TILE = BETWEEN_THREADS * BETWEEN_ITEMS,
  BETWEEN_BLOCKS = 1,  // on a multiprocessor
  ONE_VALUE = 1 << 15
};

typedef struct BetweenShared {
  Wide tile[BETWEEN_TILE];
  WideBins bins;
  unsigned int count[MOST_WIDE_BINS];  // of a tile; 0 between tiles
  unsigned int slot[MOST_WIDE_BINS];   // of a bin's first key in the tile
  unsigned int to[MOST_WIDE_BINS];     // index in the output minus slot
  unsigned int next[MOST_WIDE_BINS];   // of a part: where the next key of a bin goes
  unsigned int sums[MAX_WARPS];
  unsigned short bin[BETWEEN_TILE];  // of a slot; with ONE_VALUE
} BetweenShared;

// Device memory between the launches.
typedef struct BetweenState {
  BinBetween *part;           // [parts]
  unsigned int *next;         // [parts] a count, 0 at first; then where its next key goes
  unsigned int *part_sample;  // [parts + 1] where the samples of each begin
  BinBetween *bucket;         // [buckets], if there are two steps
  Findings *findings;
  volatile HostVerdict *host;
} BetweenState;

// A thread's keys of a tile, BETWEEN_THREADS apart, of `left` keys; others are 0. Returns how many
// the tile has.
static __device__ __forceinline__ unsigned int load_tile(const Wide *from, size_t left,
                                                         Wide (&key)[BETWEEN_ITEMS]) {
  from += threadIdx.x;
  if (left >= BETWEEN_TILE) {
#pragma unroll
    for (int u = 0; u < BETWEEN_ITEMS; u++) key[u] = __ldcs(&from[u * BETWEEN_THREADS]);
    return BETWEEN_TILE;
  }
#pragma unroll
  for (int u = 0; u < BETWEEN_ITEMS; u++)
    key[u] = threadIdx.x + u * BETWEEN_THREADS < left ? __ldcs(&from[u * BETWEEN_THREADS]) : 0;
  return (unsigned int)left;
}

// Returns whether a key is -0.
static __device__ __forceinline__ bool encode_tile(WideCode code, Wide (&key)[BETWEEN_ITEMS]) {
  if (is_plain(code)) return false;
  bool minus_zero = false;
#pragma unroll
  for (int u = 0; u < BETWEEN_ITEMS; u++) {
    minus_zero |= code.negative != 0 && key[u] == WIDE_MINUS_ZERO;
    key[u] = encode(code, key[u]);
  }
  return minus_zero;
}

// Adds the tiles begin, begin + stride, .. to shared.count. All threads. Key: of the tree.
template <class Key>
static __device__ __noinline__ bool count_tiles_by(BetweenShared &shared, const Wide *keys,
                                                   size_t begin, size_t end, size_t stride,
                                                   WideCode code, const WideSample &sample) {
  bool minus_zero = false;
  for (; begin < end; begin += stride) {
    Wide key[BETWEEN_ITEMS];
    unsigned int bin[BETWEEN_ITEMS];
    const unsigned int valid = load_tile(keys + begin, end - begin, key);
    minus_zero |= encode_tile(code, key);
    find_bins<Key>(shared.bins, sample, key, bin);
    if (valid == BETWEEN_TILE && share_bin(bin[0])) {
      rank_in_order<BETWEEN_ITEMS>(
          shared.count, [&](int u) { return bin[u]; }, [](int, unsigned int) {});
      continue;
    }
    const int mine = (int)valid - (int)threadIdx.x;
#pragma unroll
    for (int u = 0; u < BETWEEN_ITEMS; u++)
      if (u * BETWEEN_THREADS < mine) atomicAdd(&shared.count[bin[u]], 1u);
  }
  return minus_zero;
}

// By the kind of tree that there is.
static __device__ __forceinline__ bool count_tiles(BetweenShared &shared, const Wide *keys,
                                                   size_t begin, size_t end, size_t stride,
                                                   WideCode code, const WideSample &sample) {
  return shared.bins.has_words
             ? count_tiles_by<unsigned int>(shared, keys, begin, end, stride, code, sample)
             : count_tiles_by<Wide>(shared, keys, begin, end, stride, code, sample);
}

// Moves the same tiles: bins of one value, as keys by done_code, to `done`; others, as codes, to
// `out`. next[b]: where the next key of a bin goes. shared.count is 0 before.
template <class Key>
static __device__ __noinline__ void move_tiles_by(BetweenShared &shared, const Wide *keys,
                                                  size_t begin, size_t end, size_t stride,
                                                  WideCode code, WideCode done_code,
                                                  const WideSample &sample, unsigned int *next,
                                                  Wide *out, Wide *done) {
  static_assert((int)MOST_WIDE_BINS == (int)BETWEEN_THREADS, "a thread for each bin");
  const unsigned int bins = sample.bins;
  Wide key[BETWEEN_ITEMS];
  unsigned int valid = begin < end ? load_tile(keys + begin, end - begin, key) : 0;
  for (; begin < end; begin += stride) {
    unsigned int bin[BETWEEN_ITEMS];  // and, in the upper half, the rank in it
    encode_tile(code, key);
    find_bins<Key>(shared.bins, sample, key, bin);
    const int mine = (int)valid - (int)threadIdx.x;
    if (valid == BETWEEN_TILE && share_bin(bin[0])) {
      rank_in_order<BETWEEN_ITEMS>(
          shared.count, [&](int u) { return bin[u]; },
          [&](int u, unsigned int rank) { bin[u] |= rank << 16; });
    } else {
#pragma unroll
      for (int u = 0; u < BETWEEN_ITEMS; u++)
        if (u * BETWEEN_THREADS < mine) bin[u] |= atomicAdd(&shared.count[bin[u]], 1u) << 16;
    }
    __syncthreads();
    const unsigned int own = threadIdx.x, count = own < bins ? shared.count[own] : 0;
    const unsigned int to = count > 0 ? atomicAdd(&next[own], count) : 0;
    const unsigned int slot = block_inclusive_scan_one_barrier(count, shared.sums) - count;
    if (own < bins) {
      shared.slot[own] = slot;
      shared.to[own] = to - slot;
      shared.count[own] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < BETWEEN_ITEMS; u++) {
      if (u * BETWEEN_THREADS >= mine) continue;
      const unsigned int b = bin[u] & 0xffffu, i = shared.slot[b] + (bin[u] >> 16);
      shared.tile[i] = key[u];
      shared.bin[i] = (unsigned short)(shared.bins.is_one_value[b] ? b | ONE_VALUE : b);
    }
    if (end - begin > stride) valid = load_tile(keys + begin + stride, end - begin - stride, key);
    __syncthreads();
#pragma unroll
    for (int u = 0; u < BETWEEN_ITEMS; u++) {
      const unsigned int i = threadIdx.x + u * BETWEEN_THREADS;
      if (u * BETWEEN_THREADS >= mine) continue;
      const unsigned int b = shared.bin[i], at = shared.to[b & (ONE_VALUE - 1)] + i;
      const Wide moved = shared.tile[i];
      if (b < ONE_VALUE)
        out[at] = moved;
      else
        done[at] = decode(done_code, moved);
    }
  }
}

static __device__ __forceinline__ void move_tiles(BetweenShared &shared, const Wide *keys,
                                                  size_t begin, size_t end, size_t stride,
                                                  WideCode code, WideCode done_code,
                                                  const WideSample &sample, unsigned int *next,
                                                  Wide *out, Wide *done) {
  if (shared.bins.has_words)
    move_tiles_by<unsigned int>(shared, keys, begin, end, stride, code, done_code, sample, next,
                                out, done);
  else
    move_tiles_by<Wide>(shared, keys, begin, end, stride, code, done_code, sample, next, out, done);
}

static __device__ __forceinline__ BetweenShared &prepare_between(void *memory) {
  BetweenShared &shared = *(BetweenShared *)memory;
  for (unsigned int b = threadIdx.x; b < MOST_WIDE_BINS; b += BETWEEN_THREADS) shared.count[b] = 0;
  return shared;
}

static __device__ __forceinline__ bool has_stopped(const BetweenState &state) {
  return *(const volatile unsigned int *)&state.findings->stop != 0;
}

// All threads of a block, after a barrier: notes the bins that make_bins() has made, for keys from
// `begin` on and codes from `least` to `most`. The tile still has the bounds. next: receives where
// each begins, too.
template <class CountOf>
static __device__ __forceinline__ void note_bins(BetweenShared &shared, unsigned int bins,
                                                 unsigned int begin, Wide least, Wide most,
                                                 CountOf count_of, unsigned int *next,
                                                 BinBetween *noted) {
  const unsigned int b = threadIdx.x, count = b < bins ? count_of(b) : 0,
                     at = begin + block_inclusive_scan_one_barrier(count, shared.sums) - count;
  if (b >= bins) return;
  const Wide *const bound = shared.tile;
  next[b] = noted[b].begin = at;
  noted[b].count = shared.bins.is_one_value[b] ? 0 : count;
  const Wide from = b == 0 ? least : bound[b - 1], to = b + 1 < bins ? bound[b] : most;
  WideMap map = {};
  make_affine(from, from < to ? to : from + 1, &map);
  noted[b].map = map;
}

// Counts the keys of the parts, and finds their samples. Tells the host: STOPPED if there is a -0.
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    count_between(const Wide *keys, size_t n, WideCode code, WideSample sample,
                  BetweenState state) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  BetweenShared &shared = prepare_between(shared_memory);
  wait_for_previous_kernel();
  const unsigned int bins = sample.bins;
  make_bins(sample, shared.tile, shared.bins);
  __syncthreads();
  if (count_tiles(shared, keys, (size_t)blockIdx.x * BETWEEN_TILE, n,
                  (size_t)gridDim.x * BETWEEN_TILE, code, sample))
    atomicOr(&state.findings->stop, 1u);
  for (size_t p = global_index(); p <= bins; p += (size_t)gridDim.x * BETWEEN_THREADS)
    state.part_sample[p] = p == 0      ? 0
                           : p == bins ? sample.count
                                       : lower_bound_of(sample, shared.tile[p - 1]);
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < bins; b += BETWEEN_THREADS)
    if (shared.count[b] > 0) atomicAdd(&state.next[b], shared.count[b]);
  if (!is_last_block(&state.findings->arrived)) return;
  note_bins(
      shared, bins, 0, 0, ~0ull, [&](unsigned int b) { return __ldcg(&state.next[b]); }, state.next,
      state.part);
  if (threadIdx.x > 0) return;
  state.host->finding = has_stopped(state) ? STOPPED : SORTED;
}

// The first step. to: parts, or buckets in the output; done: the output.
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    split_between(const Wide *keys, size_t n, WideCode code, WideSample sample, Wide *to,
                  Wide *done, BetweenState state) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  BetweenShared &shared = prepare_between(shared_memory);
  wait_for_previous_kernel();
  if (has_stopped(state)) return;
  make_bins(sample, shared.tile, shared.bins);
  __syncthreads();
  move_tiles(shared, keys, (size_t)blockIdx.x * BETWEEN_TILE, n, (size_t)gridDim.x * BETWEEN_TILE,
             code, code, sample, state.next, to, done);
}

// The second step: a block for each part, whose samples are some of all. sample: all; bins of a
// part. A part of one value has no keys left.
static __global__ void __launch_bounds__(BETWEEN_THREADS, BETWEEN_BLOCKS)
    split_parts_between(const Wide *parts, WideCode code, WideSample sample, Wide *out,
                        BetweenState state) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  BetweenShared &shared = prepare_between(shared_memory);
  const unsigned int part = blockIdx.x;
  BinBetween *const bucket = state.bucket + (size_t)part * sample.bins;
  wait_for_previous_kernel();
  if (has_stopped(state)) return;
  const BinBetween of_part = state.part[part];
  const unsigned int begin = of_part.begin, end = begin + of_part.count;
  if (begin == end) {
    for (unsigned int b = threadIdx.x; b < sample.bins; b += BETWEEN_THREADS) bucket[b].count = 0;
    return;
  }
  // A part has a sample, or the last one serves.
  const unsigned int first_sample = min(state.part_sample[part], sample.count - 1);
  sample.sorted += first_sample;
  sample.count = state.part_sample[part + 1] - first_sample;
  __syncthreads();
  make_bins(sample, shared.tile, shared.bins);
  __syncthreads();
  count_tiles(shared, parts, begin, end, BETWEEN_TILE, {0, 0}, sample);
  __syncthreads();
  note_bins(
      shared, sample.bins, begin, of_part.map.least, of_part.map.most,
      [&](unsigned int b) { return shared.count[b]; }, shared.next, bucket);
  for (unsigned int b = threadIdx.x; b < MOST_WIDE_BINS; b += BETWEEN_THREADS) shared.count[b] = 0;
  __syncthreads();
  move_tiles(shared, parts, begin, end, BETWEEN_TILE, {0, 0}, code, sample, shared.next, out, out);
}

#endif
