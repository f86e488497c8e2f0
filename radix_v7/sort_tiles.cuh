// First step of runs.cuh: a block sorts tiles by their digits, in shared memory. Blocks stay: the
// loads of the next tile are under way while this one is written.
#ifndef RADIX_V7_SORT_TILES_CUH
#define RADIX_V7_SORT_TILES_CUH

#include "radix_v7/pairs_tile.cuh"
#include "radix_v7/runs.cuh"

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

enum { SMALL_TILE = 8192 };

// Digits are the first bits of the keys of a range. Keys beyond it are noted.
template <int kBits>
struct UpperDigits {
  static constexpr bool kMayBeLookedAt = true;
  KeyRange range;

  // After the loads of the block's first tile. Nothing here: that tile is counted before the
  // previous kernel has ended.
  __device__ __forceinline__ void prepare(void) const {}

  // What gives the digits of a tile with `valid` pairs: a function of a key and of its item's
  // number.
  template <int kItems>
  __device__ __forceinline__ PairDigitAt<kBits> of(const PairItems<kItems> &item,
                                                   unsigned int valid) const {
    if (range.skip > 0) note_beyond(item, valid);
    return {32 - kBits - range.skip};
  }

 private:
  // Notes bits in which some key is not in the range.
  template <int kItems>
  __device__ __forceinline__ void note_beyond(const PairItems<kItems> &item,
                                              unsigned int valid) const {
    unsigned int differing = 0;
#pragma unroll
    for (int u = 0; u < kItems; u++)
      if (first_item<kItems>() + u * WARP_SIZE < valid) differing |= item.key[u] ^ range.common;
    differing &= ~(~0u >> range.skip);
    if (differing != 0) atomicOr(&count_hopeless, differing);
  }
};

// After the look: whether tiles need not be sorted. The blocks then count, if only sweeps are left.
template <class Shared>
static __device__ __forceinline__ bool stop_after_look(Shared &shared, Pairs in,
                                                       const RunState &state) {
  wait_for_previous_kernel();
  if (!is_useless(state)) return false;
  if (leave_only_sweeps(state.seen[0], state.seen[1])) {
    if (global_index() == 0) state.host->verdict = TOO_LARGE;
    count_instead(shared, in.keys, state.n, state.sweeps);
  }
  return true;
}

// Sorts the calling block's tiles; digits: UpperDigits or the like.
template <int kThreads, int kItems, int kBits, class Digits>
static __device__ __forceinline__ void sort_tiles_of_block(
    TileShared<kThreads, kItems, kBits> &shared, Pairs in, const RunState &state,
    const Digits &digits) {
  constexpr unsigned int kTile = kThreads * kItems;
  const PairBuffers buffers = {in, {}, {}, {}};
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int tile = blockIdx.x;
  PairItems<kItems> item;
  load_pairs<kThreads>(buffers, AT_INPUT, span_of<kTile>(0, state.n, tile), item);
  digits.prepare();
  // What is read and written before the look has ended concerns no other kernel. A small tile is
  // sorted before that; a large one is only counted, as sorting it takes longer than the look.
  constexpr bool kSmall = kTile <= SMALL_TILE;
  const bool looked_at = Digits::kMayBeLookedAt && state.seen != NULL;
  if (looked_at)
    let_next_kernel_begin();
  else
    wait_for_previous_kernel();
  while (tile < state.tiles) {
    const auto digit = digits.of(item, span_of<kTile>(0, state.n, tile).valid);
    count_digits_of_warp<kBits, SpreadBins<kBits>>(bins, item, digit);
    __syncthreads();
    const bool is_first = looked_at && tile == blockIdx.x;
    if constexpr (!kSmall && Digits::kMayBeLookedAt)
      if (is_first && stop_after_look(shared, in, state)) return;
    place_runs(shared, state, tile);
    if (threadIdx.x == 0 && tile + gridDim.x < state.tiles)
      prefetch_pairs<kTile>(buffers, AT_INPUT, span_of<kTile>(0, state.n, tile + gridDim.x));
    __syncthreads();
    rank_pairs<kBits, SpreadBins<kBits>>(bins, shared.tile, item, digit);
    compiler_fence();
    const unsigned int begin = tile * kTile;
    tile += gridDim.x;
    if (tile < state.tiles)
      load_pairs<kThreads>(buffers, AT_INPUT, span_of<kTile>(0, state.n, tile), item);
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
    if constexpr (kSmall && Digits::kMayBeLookedAt)
      if (is_first && stop_after_look(shared, in, state)) return;
  }
}

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_tiles(Pairs in, RunState state, KeyRange range) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef TileShared<kThreads, kItems, kBits> Shared;
  sort_tiles_of_block(*(Shared *)shared_memory, in, state, UpperDigits<kBits>{range});
}

#endif
