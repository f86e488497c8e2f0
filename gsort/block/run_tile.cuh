// A block sorts tiles by their digits, in shared memory (run_index.cuh). Blocks stay: the loads of
// the next tile are under way while this one is written.
#ifndef GSORT_BLOCK_RUN_TILE_CUH
#define GSORT_BLOCK_RUN_TILE_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/pair_tile.cuh"
#include "gsort/block/range_map.cuh"
#include "gsort/block/run_index.cuh"
#include "gsort/block/scan.cuh"
#include "gsort/kernel/count_digits.cuh"

template <int kThreads, int kItems, int kBits>
struct TileShared {
  uint2 tile[kThreads * kItems];
  // Counts; then byte offsets.
  unsigned int warp_bin[kThreads / WARP_SIZE][SpreadBins<kBits>::kWords];
  unsigned int warp_sums[MAX_WARPS];
};

// Turns the warps' counts into the byte offsets of the last pair before each warp's own, and writes
// down where the runs of tile number `tile` begin. A thread has one bin or some neighbours.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void place_runs(TileShared<kThreads, kItems, kBits> &shared,
                                                  const RunState &state, unsigned int tile) {
  constexpr unsigned int kBins = 1u << kBits, kWarps = kThreads / WARP_SIZE;
  constexpr unsigned int kEach = kBins > kThreads ? kBins / kThreads : 1;
  typedef struct __align__(4 * kEach) Bins {
    unsigned int of[kEach];
  }
  Bins;
  typedef struct __align__(2 * kEach) Firsts {
    unsigned short of[kEach];
  }
  Firsts;
  const unsigned int bin = threadIdx.x * kEach, word = SpreadBins<kBits>::of(bin, 1, 2);
  const bool has_bins = bin < kBins;
  Bins count[kWarps] = {}, total = {}, last;
  Firsts first;
  unsigned int sum = 0;
  if (has_bins) {
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) {
      count[w] = *(const Bins *)&shared.warp_bin[w][word];
#pragma unroll
      for (unsigned int e = 0; e < kEach; e++) total.of[e] += count[w].of[e];
    }
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++) sum += total.of[e];
  }
  unsigned int before = block_inclusive_scan_one_barrier(sum, shared.warp_sums) - sum;
  if (!has_bins) return;
#pragma unroll
  for (unsigned int e = 0; e < kEach; e++) {
    first.of[e] = (unsigned short)before;
    last.of[e] = (before - 1) * (unsigned int)sizeof(uint2);  // before the very first: -8
    before += total.of[e];
  }
  *(Firsts *)&state.first[(size_t)tile * kBins + bin] = first;
#pragma unroll
  for (unsigned int w = 0; w < kWarps; w++) {
    *(Bins *)&shared.warp_bin[w][word] = last;
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++)
      last.of[e] += count[w].of[e] * (unsigned int)sizeof(uint2);
  }
}

// After the samples: whether tiles need not be sorted. The blocks then count, if only sweeps are
// left.
template <class Shared>
static __device__ __forceinline__ bool stop_after_samples(Shared &shared, Elements in,
                                                          const RunState &state) {
  wait_for_previous_kernel();
  if (!samples_end_runs(state)) return false;
  if (leave_only_sweeps(state.findings)) {
    // The first sample has told the host itself.
    if (global_index() == 0 && is_even(state.findings->first_sample)) state.host->finding = UNEVEN;
    count_instead(shared, in.keys, state.n, state.code, state.sweeps, gridDim.x);
  }
  return true;
}

// Sorts the calling block's tiles. digits: prepare(), called after the loads of the block's first
// tile; and of(item), which gives the digits of a tile: a function of a key and of its item's
// number. in: Elements, or what else load_pairs() and prefetch_pairs() are for.
template <int kThreads, int kItems, int kBits, class Source, class Digits>
static __device__ __forceinline__ void sort_tiles_of_block(
    TileShared<kThreads, kItems, kBits> &shared, const Source &in, const RunState &state,
    const Digits &digits) {
  constexpr unsigned int kTile = kThreads * kItems;
  const unsigned int padding = decode(state.code, ~0u);
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int tile = blockIdx.x;
  PairItems<kItems> item;
  load_pairs<kThreads>(in, span_of<kTile>(0, state.n, tile), padding, item);
  digits.prepare();
  // What is read and written before the samples are judged concerns no other kernel. A small tile
  // is sorted before that; a large one is only counted, as sorting it takes longer than a sample.
  constexpr bool kSmall = kTile <= SMALL_TILE, kMayBeSampled = Digits::kMayBeSampled;
  bool judges = kMayBeSampled && state.sampled;
  if (judges)
    let_next_kernel_begin();
  else
    wait_for_previous_kernel();
  const RangeMap *map = NULL;
  if (kMayBeSampled && !judges) map = range_map_of(state.findings);
  // After the samples: the block's first tile anew, if keys are to be mapped.
  const auto begins_again = [&] {
    map = range_map_of(state.findings);
    if (map == NULL) return false;
    tile = blockIdx.x;
    load_pairs<kThreads>(in, span_of<kTile>(0, state.n, tile), padding, item);
    return true;
  };
  while (tile < state.tiles) {
    bool unfit = encode_all(state.code, item.key);  // a -0
    if (kMayBeSampled) {
      const unsigned int valid = span_of<kTile>(0, state.n, tile).valid;
      unfit |= map_all(map, item.key,
                       [=](int u) { return first_item<kItems>() + u * WARP_SIZE < valid; });
    }
    const auto digit = digits.of(item);
    count_digits_of_warp<kBits, SpreadBins<kBits>>(bins, item, digit);
    __syncthreads();
    const bool judges_now = judges;
    judges = false;
    if constexpr (!kSmall && kMayBeSampled)
      if (judges_now) {
        if (stop_after_samples(shared, in, state)) return;
        if (begins_again()) continue;
      }
    place_runs(shared, state, tile);
    if (threadIdx.x == 0 && tile + gridDim.x < state.tiles)
      prefetch_pairs<kTile>(in, span_of<kTile>(0, state.n, tile + gridDim.x));
    __syncthreads();
    rank_pairs<kBits, SpreadBins<kBits>>(bins, shared.tile, item, digit);
    compiler_fence();
    const unsigned int begin = tile * kTile;
    tile += gridDim.x;
    if (tile < state.tiles)
      load_pairs<kThreads>(in, span_of<kTile>(0, state.n, tile), padding, item);
    compiler_fence();
    __syncthreads();
    // A whole tile, with its padding: there is memory for that.
    const uint4 *const from = (const uint4 *)shared.tile;
    uint4 *const to = (uint4 *)(state.pairs + begin);
#pragma unroll
    for (int u = 0; u < kItems / 2; u++) {
      if (u % PAIR_BATCH == 0) compiler_fence();
      to[threadIdx.x + u * kThreads] = from[threadIdx.x + u * kThreads];
    }
    if constexpr (kSmall && kMayBeSampled)
      if (judges_now) {
        if (stop_after_samples(shared, in, state)) return;
        if (begins_again()) continue;
      }
    if (unfit) state.findings->stop = STOP;
  }
}

#endif
