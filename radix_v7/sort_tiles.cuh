// First step of runs.cuh: a block sorts tiles by their digits, in shared memory. Blocks stay: the
// loads of the next tile are under way while this one is written.
#ifndef RADIX_V7_SORT_TILES_CUH
#define RADIX_V7_SORT_TILES_CUH

#include "radix_v7/pairs_tile.cuh"
#include "radix_v7/runs.cuh"

// Two bins share a word: the counts of 16 bits leave room for larger tiles.
template <int kThreads, int kItems, int kBits>
struct TileShared {
  static constexpr unsigned int kWords = 1u << (kBits - 1), kWarps = kThreads / WARP_SIZE;
  uint2 tile[kThreads * kItems];
  unsigned int warp_bin[kWarps][kWords];  // counts; then pairs before the warp's own
  unsigned int warp_sums[MAX_WARPS];
};

// count: by digit, each warp in bins of its own.
template <int kBits, int kItems>
static __device__ __forceinline__ void count_two_in_word(unsigned int *words,
                                                         const PairItems<kItems> &item,
                                                         PairDigitAt<kBits> digit_of) {
#pragma unroll
  for (unsigned int i = 0; i < 1u << (kBits - 1); i += WARP_SIZE)
    words[threadIdx.x % WARP_SIZE + i] = 0;
  __syncwarp();
  const int shift = digit_of.shift - 1;
  constexpr unsigned int kMask = (2u << kBits) - 4;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(at_offset(words, item.key[u] >> shift & kMask),
              (item.key[u] >> shift & 2) != 0 ? 1u << 16 : 1u);
}

// Turns the warps' counts into the pairs before each warp's own, and writes down where the runs of
// tile number `tile` begin. The last bin has `padding` pairs that do not exist.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void place_runs(TileShared<kThreads, kItems, kBits> &shared,
                                                  const RunState &state, unsigned int tile,
                                                  unsigned int padding) {
  typedef TileShared<kThreads, kItems, kBits> Shared;
  constexpr unsigned int kWords = Shared::kWords, kWarps = Shared::kWarps;
  constexpr unsigned int kEach = kWords > kThreads ? kWords / kThreads : 1;  // words of a thread
  typedef struct __align__(4 * kEach) Words {
    unsigned int of[kEach];
  }
  Words;
  const unsigned int word = threadIdx.x * kEach;
  const bool has_bins = word < kWords;
  Words count[kWarps] = {}, total = {}, first;
  unsigned int sum = 0;
  if (has_bins) {
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) {
      count[w] = *(const Words *)&shared.warp_bin[w][word];
#pragma unroll
      for (unsigned int e = 0; e < kEach; e++) total.of[e] += count[w].of[e];
    }
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++) sum += (total.of[e] & 0xffffu) + (total.of[e] >> 16);
  }
  unsigned int before = block_inclusive_scan_one_barrier(sum, shared.warp_sums) - sum;
  if (!has_bins) return;
#pragma unroll
  for (unsigned int e = 0; e < kEach; e++) {
    const unsigned int low = total.of[e] & 0xffffu, all_high = total.of[e] >> 16,
                       high = all_high - (word + e == kWords - 1 ? padding : 0),
                       bin = 2 * (word + e);
    first.of[e] = before | (before + low) << 16;
    before += low + all_high;
    if (low > 0) atomicAdd(&run_totals[bin], low);
    if (high > 0) atomicAdd(&run_totals[bin + 1], high);
  }
  ((Words *)state.first)[((size_t)tile * kWords + word) / kEach] = first;
#pragma unroll
  for (unsigned int w = 0; w < kWarps; w++) {
    *(Words *)&shared.warp_bin[w][word] = first;
#pragma unroll
    for (unsigned int e = 0; e < kEach; e++) first.of[e] += count[w].of[e];
  }
}

// The last block, after all tiles: where buckets begin, and whether they fit into blocks for
// `capacity` pairs.
static __device__ void finish_runs(const RunState &state, unsigned int capacity, KeyRange range,
                                   unsigned int *warp_sums) {
  __shared__ LargeBuckets large;
  const unsigned int buckets = 1u << state.bits;
  const bool hopeless = is_hopeless();
  if (threadIdx.x == 0) large.found = 0;
  unsigned int before = 0;
  __syncthreads();
  for (unsigned int base = 0; base < buckets; base += blockDim.x) {
    const unsigned int b = base + threadIdx.x;
    const unsigned int count = b < buckets ? *(volatile unsigned int *)&run_totals[b] : 0;
    const unsigned int up_to_here = before + block_inclusive_scan(count, warp_sums);
    if (b < buckets) {
      run_totals[b] = 0;  // for the next sort
      state.start[b] = up_to_here - count;
      note_if_large(&large, up_to_here - count, count, capacity);
    }
    before += warp_sums[blockDim.x / WARP_SIZE - 1];
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  state.start[buckets] = state.n;
  const bool fits = !hopeless && tell_large(&large, state.n, state.host);
  *state.unfit = !fits;
  if (hopeless)
    tell_if_wider(range, hopeless_bits(), state.host);
  else
    state.host->verdict = fits ? FITS : OVERFULL;
  count_hopeless = 0;
}

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_tiles(Pairs in, RunState state, unsigned int capacity, KeyRange range) {
  constexpr unsigned int kTile = kThreads * kItems;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  typedef TileShared<kThreads, kItems, kBits> Shared;
  Shared &shared = *(Shared *)shared_memory;
  const PairBuffers buffers = {in, {}, {}, {}};
  const PairDigitAt<kBits> digit = {32 - kBits - range.skip};
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  unsigned int tile = blockIdx.x, differing = 0;
  PairItems<kItems> item;
  load_pairs<kThreads>(buffers, AT_INPUT, span_of<kTile>(0, state.n, tile), item);
  while (tile < state.tiles) {
    const unsigned int valid = span_of<kTile>(0, state.n, tile).valid;
    count_two_in_word<kBits>(bins, item, digit);
    if (range.skip > 0) {
#pragma unroll
      for (int u = 0; u < kItems; u++)
        if (valid == kTile || first_item<kItems>() + u * WARP_SIZE < valid)
          differing |= item.key[u] ^ range.common;
    }
    __syncthreads();
    if (tile == blockIdx.x) {  // what is read before needs no kernel's work
      wait_for_previous_kernel();
      if (state.seen != NULL && *state.seen != FITS) return;
    }
    place_runs(shared, state, tile, kTile - valid);
    if (threadIdx.x == 0 && tile + gridDim.x < state.tiles)
      prefetch_pairs<kTile>(buffers, AT_INPUT, span_of<kTile>(0, state.n, tile + gridDim.x));
    __syncthreads();
    rank_pairs<kBits>((unsigned short *)bins, shared.tile, item, digit);
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
  }
  differing &= ~(~0u >> range.skip);
  if (differing != 0) atomicOr(&count_hopeless, differing);
  if (is_last_block(&run_blocks_arrived)) finish_runs(state, capacity, range, shared.warp_sums);
}

#endif
