// Where pairs are while sweeps sort them: in two arrays, as given and as returned, or packed, the
// key's code and the value side by side in 8 bytes. A run of packed pairs is one run of 8-byte
// stores instead of two of 4-byte stores, so fewer sectors are written in parts.
#ifndef GSORT_BLOCK_PACKED_PAIRS_CUH
#define GSORT_BLOCK_PACKED_PAIRS_CUH

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

#endif
