// A stable pass over pairs by blocks that stay: one read, one write, indices by look-back.
//
//   * Pairs are in two arrays, as given and as returned, or between passes packed, the key's code
//     and the value side by side in 8 bytes. A run of packed pairs is one run of 8-byte stores
//     instead of two of 4-byte stores, so fewer sectors are written in parts.
//   * Once the pairs of a tile are in shared memory, their registers are free: the loads of the
//     block's next tile are under way while it looks back and writes this one.
//   * A multiprocessor's only block has the next tile brought into the L2 cache while it ranks this
//     one. Then the threads with a bin look back first: their loads would stand in the way.
//   * The digits that vary decide where a pass reads and writes (find_places); others are skipped.
#ifndef GSORT_BLOCK_PAIR_SWEEP_CUH
#define GSORT_BLOCK_PAIR_SWEEP_CUH

#include "gsort/block/look_back.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/pair_tile.cuh"

// Packed pairs in up to three pieces, so that two arrays of words can serve as one array of pairs.
// Pair i is first[i] for i < half, then second[i], and from `behind` on rest[i]: `second` and
// `rest` point before their memory. A tile lies in one piece.
// One piece: half = behind = NO_HALF.
typedef struct Packed {
  uint2 *first, *second, *rest;
  unsigned int half, behind;
} Packed;
static constexpr unsigned int NO_HALF = 0xffffffffu;

// The memory of one sort. Pairs travel input -> ... -> output by way of `scratch` and `halves`.
typedef struct PairBuffers {
  Elements input, output;
  KeyCode code;    // of the keys in these two
  Packed scratch;  // one piece
  Packed halves;   // two arrays of the call, and a little scratch memory behind them
} PairBuffers;

// Where a sweep reads and writes, computed on the device from the digits that vary.
enum PairPlace { AT_INPUT, AT_HALVES, AT_SCRATCH, AT_OUTPUT, NOWHERE };
typedef struct SweepRoute {
  const unsigned int *spread;  // [passes] DigitSpread of each digit
  int pass, passes;
  bool blocks_follow;  // block sorts read the result of the last sweep from `scratch`
} SweepRoute;

// Pairs change sides with each sweep whose digit varies; counted from the end, so that the last one
// writes to `output`, or to `scratch` for the block sorts. If no digit varies at all, the last
// sweep moves the pairs.
//   3 digits vary:   input -> halves -> scratch -> output
static __device__ __forceinline__ void find_places(SweepRoute route, int *from, int *to) {
  *from = *to = NOWHERE;
  int before = 0, after = route.blocks_follow ? 1 : 0;
  if (route.spread[route.pass] == DIGIT_UNUSED) return;
  bool varies = false;
  for (int pass = 0; pass < route.passes; pass++) {
    if (route.spread[pass] == DIGIT_CONSTANT) continue;
    before += pass < route.pass;
    after += pass > route.pass;
    varies |= pass == route.pass;
  }
  const bool only = before == 0 && route.pass == route.passes - 1;
  if (!varies && !only) return;
  *to = after == 0 ? AT_OUTPUT : after % 2 == 1 ? AT_SCRATCH : AT_HALVES;
  *from = before == 0 ? AT_INPUT : after % 2 == 0 ? AT_SCRATCH : AT_HALVES;
}

static __device__ __forceinline__ uint2 *piece_of(Packed packed, unsigned int i) {
  return i < packed.half ? packed.first : i < packed.behind ? packed.second : packed.rest;
}

// Packed pairs from `begin` on, of the piece that has them.
static __device__ __forceinline__ const uint2 *packed_at(const PairBuffers &buffers, int from,
                                                         unsigned int begin) {
  return (from == AT_SCRATCH ? buffers.scratch.first : piece_of(buffers.halves, begin)) + begin;
}

template <bool kFull, int kItems>
static __device__ __forceinline__ void load_packed(const uint2 *packed, unsigned int valid,
                                                   PairItems<kItems> &item) {
  const unsigned int first = first_item<kItems>();
  packed += first;
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    uint2 pair = make_uint2(~0u, 0);
    if (kFull || first + u * WARP_SIZE < valid) pair = __ldcs(&packed[u * WARP_SIZE]);
    item.key[u] = pair.x;
    item.value[u] = pair.y;
  }
}

// Those from the input are to be encoded yet.
template <int kThreads, int kItems>
static __device__ __forceinline__ void load_pairs_at(const PairBuffers &buffers, int from,
                                                     TileSpan span, PairItems<kItems> &item) {
  if (from == AT_INPUT)
    load_pairs<kThreads>(buffers.input, span, decode(buffers.code, ~0u), item);
  else if (span.valid == kThreads * kItems)
    load_packed<true>(packed_at(buffers, from, span.begin), kThreads * kItems, item);
  else
    load_packed<false>(packed_at(buffers, from, span.begin), span.valid, item);
}

// One thread: a full tile that will be loaded is to be in the L2 cache by then.
template <unsigned int kTile>
static __device__ __forceinline__ void prefetch_pairs_at(const PairBuffers &buffers, int from,
                                                         TileSpan span) {
  if (from == AT_INPUT)
    prefetch_pairs<kTile>(buffers.input, span);
  else if (span.valid == kTile)
    prefetch_to_l2(packed_at(buffers, from, span.begin), kTile * sizeof(uint2));
}

// Shared memory of a sweep.
template <int kThreads, int kItems, int kBits>
struct PairSweepShared {
  uint2 tile[kThreads * kItems];                            // pairs in order of their digits
  unsigned int warp_bin[kThreads / WARP_SIZE][1 << kBits];  // counts; then byte offsets
  unsigned int bin_shift[1 << kBits];  // from an index in the tile to an index in the output
  unsigned int warp_sums[MAX_WARPS];
  unsigned int next_tile;
  int from, to;  // PairPlace
};

// One pass.
typedef struct PairSweep {
  unsigned int n;              // pairs
  int shift;                   // of the digit
  const unsigned int *start;   // [bins] where the run of each bin starts, if they are counted
  unsigned int *tile_counter;  // deals out tile numbers; 0 before the launch
  unsigned int *look_back;     // [tiles][bins] words of look_back.cuh, cleared
  SweepRoute route;
  bool own_tiles;  // blocks have the tiles of their own numbers: there is one for each tile
} PairSweep;

// The shift of a bin that has no place for its pairs: nothing is written.
static constexpr unsigned int LOST = 1u << 31;

// What is added to a pair's place in the output: nothing.
struct NothingBefore {
  __device__ __forceinline__ unsigned int operator()(unsigned int) const { return 0; }
};

// write, to the output: element i of the tile goes to i plus its bin's shift, and what `before`, a
// function of a key, adds.
template <bool kCoded, int kThreads, int kItems, int kBits, class DigitOf, class Before>
static __device__ __forceinline__ void write_to_output(
    const PairBuffers &buffers, PairSweepShared<kThreads, kItems, kBits> &shared,
    unsigned int valid, DigitOf digit_of, Before before) {
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % PAIR_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * kThreads;
    const uint2 pair = shared.tile[i];
    const unsigned int at =
        *at_offset(shared.bin_shift, digit_of(pair.x, 0) * 4) + i + before(pair.x);
    if (i >= valid) continue;
    buffers.output.keys[at] = kCoded ? decode(buffers.code, pair.x) : pair.x;
    buffers.output.values[at] = pair.y;
  }
}

// write: a thread's elements are kThreads apart, so that a warp writes runs of neighbours. plain: a
// full tile, and no bin reaches the last of three pieces or is lost.
template <int kThreads, int kItems, int kBits, class DigitOf, class Before = NothingBefore>
static __device__ __forceinline__ void write_pairs(const PairBuffers &buffers, int to,
                                                   PairSweepShared<kThreads, kItems, kBits> &shared,
                                                   unsigned int valid, bool plain, DigitOf digit_of,
                                                   Before before = {}) {
  if (to == AT_OUTPUT) {
    if (is_plain(buffers.code))
      write_to_output<false>(buffers, shared, valid, digit_of, before);
    else
      write_to_output<true>(buffers, shared, valid, digit_of, before);
    return;
  }
  const Packed packed = to == AT_SCRATCH ? buffers.scratch : buffers.halves;
  if (!plain) {
    for (unsigned int i = threadIdx.x; i < valid; i += kThreads) {
      const uint2 pair = shared.tile[i];
      const unsigned int at = shared.bin_shift[digit_of(pair.x, 0)] + i;
      if (at < LOST) piece_of(packed, at)[at] = pair;
    }
    return;
  }
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % PAIR_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * kThreads;
    const uint2 pair = shared.tile[i];
    const unsigned int at = *at_offset(shared.bin_shift, digit_of(pair.x, 0) * 4) + i;
    (at < packed.half ? packed.first : packed.second)[at] = pair;
  }
}

// A thread per bin: publishes the tile's count and turns the warps' counts into the byte offsets of
// the last pair before each warp's own. Returns the index of the bin's first pair, in *total the
// count, and in *same whether all pairs of a full tile share a digit. The last bin's count is less
// by `padding`, pairs that do not exist.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ unsigned int publish_and_place(
    PairSweepShared<kThreads, kItems, kBits> &shared, unsigned int *look_back, unsigned int tile,
    unsigned int padding, unsigned int *total, bool *same) {
  constexpr unsigned int kBins = 1u << kBits, kWarps = kThreads / WARP_SIZE;
  const unsigned int bin = threadIdx.x, warp = threadIdx.x / WARP_SIZE;
  unsigned int counts[kWarps] = {}, count = 0;
  *total = 0;
  if (bin < kBins) {
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) count += counts[w] = shared.warp_bin[w][bin];
    *total = count - (bin == kBins - 1 ? padding : 0);
    look_back_publish(&look_back[(size_t)tile * kBins + bin],
                      *total | (tile == 0 ? LOOK_BACK_INCLUSIVE : LOOK_BACK_PARTIAL));
  }
  unsigned int scanned = warp_inclusive_scan(count);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) shared.warp_sums[warp] = scanned;
  *same = __syncthreads_or(count == kThreads * kItems) != 0;
  for (unsigned int w = 0; w < warp; w++) scanned += shared.warp_sums[w];
  const unsigned int first = scanned - count;
  if (bin < kBins) {
    unsigned int last = (first - 1) * (unsigned int)sizeof(uint2);  // before the very first: -8
#pragma unroll
    for (unsigned int w = 0; w < kWarps; w++) {
      shared.warp_bin[w][bin] = last;
      last += counts[w] * (unsigned int)sizeof(uint2);
    }
  }
  return first;
}

// What sweep_tiles() asks of a sweep: pairs one behind the other, in the bins of a digit that
// have been counted. Other kinds of sweeps replace some of these functions.
template <unsigned int kTileSize, int kBits>
struct CountedBins {
  static constexpr unsigned int kTile = kTileSize;
  const PairBuffers &buffers;
  const PairSweep &sweep;

  __device__ __forceinline__ unsigned int tiles(void) const {
    return (sweep.n + kTile - 1) / kTile;
  }
  __device__ __forceinline__ TileSpan span(unsigned int tile) const {
    return span_of<kTile>(0, sweep.n, tile);
  }
  // Where the run of a bin starts.
  __device__ __forceinline__ unsigned int start(unsigned int bin) const { return sweep.start[bin]; }
  // One thread: no more tiles are to be taken.
  __device__ __forceinline__ bool is_ended(void) const { return false; }
  // Pairs of a tile that the count of the last bin leaves out. Only the last tile has any, unless
  // there are several regions.
  __device__ __forceinline__ unsigned int padding(unsigned int) const { return 0; }
  // The keys of a tile, before they are counted: `valid` of them, and whether one of the thread's
  // is -0.
  template <int kItems>
  __device__ __forceinline__ void see(unsigned int (&)[kItems], unsigned int, bool) {}
  // The bins of a tile's keys: a function of a key and of its item's number. Called anew for each
  // use: bins that were kept would take registers.
  __device__ __forceinline__ PairDigitAt<kBits> bins(void) const {
    return {(int)opaque((unsigned int)sweep.shift)};
  }
  // A thread per bin: its first pair of the tile is number `first` there, and its pairs are those
  // from `before` to `up_to_here` of all. False if they have no place.
  __device__ __forceinline__ bool note_run(unsigned int, unsigned int, unsigned int,
                                           unsigned int) const {
    return true;
  }
  template <class Shared>
  __device__ __forceinline__ void write(Shared &shared, int to, unsigned int valid,
                                        bool plain) const {
    write_pairs(buffers, to, shared, valid, plain, bins());
  }
};

// One thread, before sweep_tiles(), with shared.from and shared.to; a barrier has to follow.
template <class Shared>
static __device__ __forceinline__ void take_first_tile(Shared &shared, const PairSweep &sweep) {
  shared.next_tile = sweep.own_tiles ? blockIdx.x : atomicAdd(sweep.tile_counter, 1u);
}

// First statement of a kernel that sweeps. The input is no kernel's work, and can be read before
// the count or the sample is there: true if the block's first tile is on its way. find: finds
// shared.from and shared.to, in one thread; a barrier has to follow.
template <int kThreads, int kItems, int kBits, class Find>
static __device__ __forceinline__ bool begin_sweep(PairSweepShared<kThreads, kItems, kBits> &shared,
                                                   const PairBuffers &buffers,
                                                   const PairSweep &sweep, PairItems<kItems> &item,
                                                   Find find) {
  const bool early = sweep.own_tiles && sweep.route.pass == 0;
  if (early)
    load_pairs_at<kThreads>(buffers, AT_INPUT, span_of<kThreads * kItems>(0, sweep.n, blockIdx.x),
                            item);
  wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    find();
    if (shared.to != NOWHERE)
      take_first_tile(shared, sweep);  // tile numbers are left to a kernel behind
  }
  return early;
}

// The tiles of the calling block. early: its first one is in `item`. Kind: as CountedBins.
template <bool kAlone, int kThreads, int kItems, int kBits, class Kind>
static __device__ __forceinline__ void sweep_tiles(PairSweepShared<kThreads, kItems, kBits> &shared,
                                                   const PairBuffers &buffers,
                                                   const PairSweep &sweep, bool early,
                                                   PairItems<kItems> &item, Kind kind) {
  constexpr unsigned int kTile = kThreads * kItems, kBins = 1u << kBits;
  static_assert(kThreads >= (int)kBins, "a thread per bin");
  const unsigned int bin = threadIdx.x, tiles = kind.tiles();
  unsigned int *const bins = shared.warp_bin[threadIdx.x / WARP_SIZE];
  const int from = shared.from, to = shared.to;
  unsigned int tile = shared.next_tile;
  if (to == NOWHERE) tile = tiles;
  if (!early && tile < tiles) load_pairs_at<kThreads>(buffers, from, kind.span(tile), item);
  const unsigned int start = bin < kBins ? kind.start(bin) : 0;
  const unsigned int rest = to == AT_HALVES ? buffers.halves.behind : NO_HALF;

  while (tile < tiles) {
    const unsigned int valid = kind.span(tile).valid;
    unsigned int next = 0, count = 0;
    bool same;
    if (threadIdx.x == 0)
      next = sweep.own_tiles || kind.is_ended() ? tiles : atomicAdd(sweep.tile_counter, 1u);
    const bool minus_zero = from == AT_INPUT && encode_all(buffers.code, item.key);
    kind.see(item.key, valid, minus_zero);
    count_digits_of_warp<kBits>(bins, item, kind.bins());
    __syncthreads();
    const unsigned int first =
        publish_and_place(shared, sweep.look_back, tile, kind.padding(valid), &count, &same);
    if (threadIdx.x == 0) {
      shared.next_tile = next;
      if (kAlone && next < tiles) prefetch_pairs_at<kTile>(buffers, from, kind.span(next));
    }
    __syncthreads();

    if (__any_sync(0xffffffffu, same))  // the compiler knows: all lanes go the same way
      keep_pairs(shared.tile, item);
    else
      rank_pairs<kBits>(bins, shared.tile, item, kind.bins());
    compiler_fence();
    const unsigned int this_tile = tile;
    tile = shared.next_tile;
    const auto load_next = [&] {
      if (tile < tiles) load_pairs_at<kThreads>(buffers, from, kind.span(tile), item);
      compiler_fence();
    };
    if (!kAlone) load_next();

    bool not_plain = false;
    if (bin < kBins) {
      const unsigned int before = look_back_sum(sweep.look_back + bin, kBins, this_tile);
      if (this_tile > 0)
        look_back_publish(&sweep.look_back[(size_t)this_tile * kBins + bin],
                          (before + count) | LOOK_BACK_INCLUSIVE);
      const bool fits = kind.note_run(this_tile, first, before, before + count);
      shared.bin_shift[bin] = fits ? start + before - first : LOST;
      not_plain = !fits || (count > 0 && start + before + count > rest);
    }
    compiler_fence();
    if (kAlone) load_next();
    const bool plain = __syncthreads_or(not_plain) == 0 && valid == kTile;
    kind.write(shared, to, valid, plain);
  }
}

#endif
