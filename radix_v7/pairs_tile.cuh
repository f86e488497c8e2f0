// A tile of pairs on its way through a sweep: loading it, ranking it by ballots, writing its runs.
//
// As radix_v6's rank.cuh, but key and position stay side by side, in registers, in shared memory
// and in device memory, and digits have any width up to 10 bits.
#ifndef RADIX_V7_PAIRS_TILE_CUH
#define RADIX_V7_PAIRS_TILE_CUH

#include "radix_v6/rank.cuh"
#include "radix_v7/frequent_values.cuh"
#include "radix_v7/pairs_layout.cuh"

enum { PAIR_BATCH = 4 };  // pairs of a thread under way at a time: more need more registers

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

// A tile's part of the input; pairs beyond the end are padded with the largest key.
template <int kItems>
struct PairItems {
  unsigned int key[kItems], position[kItems];
};

template <int kBits>
static __device__ __forceinline__ unsigned int pair_digit(unsigned int key, int shift) {
  return key >> shift & ((1u << kBits) - 1);
}

// pair_digit() as what the steps of a tile take: a function of a key and of its item's number.
template <int kBits>
struct PairDigitAt {
  int shift;
  __device__ __forceinline__ unsigned int operator()(unsigned int key, int) const {
    return pair_digit<kBits>(key, shift);
  }
};

// The lanes whose digit equals mine.
template <int kBits>
static __device__ __forceinline__ unsigned int lanes_with_pair_digit(unsigned int digit) {
#ifdef CUDA_CPU
  return __match_any_sync(0xffffffffu, digit);
#else
  static_assert(kBits <= 10, "bits of a digit");
  unsigned int lanes[10];
#pragma unroll
  for (int bit = 0; bit < 10; bit++)
    lanes[bit] = bit < kBits ? match_bit(digit, 1u << bit) : 0xffffffffu;
  const unsigned int of_nine =
      and3(and3(lanes[0], lanes[1], lanes[2]), and3(lanes[3], lanes[4], lanes[5]),
           and3(lanes[6], lanes[7], lanes[8]));
  return kBits > 9 ? of_nine & lanes[9] : of_nine;
#endif
}

static __device__ __forceinline__ uint2 *piece_of(Packed packed, unsigned int i) {
  return i < packed.half ? packed.first : i < packed.behind ? packed.second : packed.rest;
}

// Packed pairs from `begin` on, of the piece that has them.
static __device__ __forceinline__ const uint2 *packed_at(const PairBuffers &buffers, int from,
                                                         unsigned int begin) {
  return (from == AT_SCRATCH ? buffers.scratch.first : piece_of(buffers.halves, begin)) + begin;
}

// load: the tile that begins at `begin`. Pairs of a warp are neighbours, those of a lane WARP_SIZE
// apart: their order is that of rows, then lanes. kFull: no pair needs a test.
template <bool kFull, int kItems>
static __device__ __forceinline__ void load_tile(const PairBuffers &buffers, int from,
                                                 unsigned int begin, unsigned int valid,
                                                 PairItems<kItems> &item) {
  const unsigned int first = first_item<kItems>();
  if (from == AT_INPUT) {
    const unsigned int *const keys = buffers.input.keys + begin + first;
    const unsigned int *const positions = buffers.input.positions + begin + first;
#pragma unroll
    for (int u = 0; u < kItems; u++)
      item.key[u] = kFull || first + u * WARP_SIZE < valid ? __ldcs(&keys[u * WARP_SIZE]) : ~0u;
#pragma unroll
    for (int u = 0; u < kItems; u++)
      item.position[u] =
          kFull || first + u * WARP_SIZE < valid ? __ldcs(&positions[u * WARP_SIZE]) : 0;
  } else {
    const uint2 *const packed = packed_at(buffers, from, begin) + first;
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      uint2 pair = make_uint2(~0u, 0);
      if (kFull || first + u * WARP_SIZE < valid) pair = __ldcs(&packed[u * WARP_SIZE]);
      item.key[u] = pair.x;
      item.position[u] = pair.y;
    }
  }
}

// A tile of one array, or of a region of it: where it begins, and its pairs; the rest is padding.
typedef struct TileSpan {
  unsigned int begin, valid;
} TileSpan;

// Of `count` pairs from index `first` on, tile number `tile`.
template <unsigned int kTile>
static __device__ __forceinline__ TileSpan span_of(unsigned int first, unsigned int count,
                                                   unsigned int tile) {
  const unsigned int before = tile * kTile, behind = count > before ? count - before : 0;
  return {first + before, behind < kTile ? behind : kTile};
}

template <int kThreads, int kItems>
static __device__ __forceinline__ void load_pairs(const PairBuffers &buffers, int from,
                                                  TileSpan span, PairItems<kItems> &item) {
  if (span.valid == kThreads * kItems)
    load_tile<true>(buffers, from, span.begin, kThreads * kItems, item);
  else
    load_tile<false>(buffers, from, span.begin, span.valid, item);
}

// One thread: a full tile that will be loaded is to be in the L2 cache by then.
template <unsigned int kTile>
static __device__ __forceinline__ void prefetch_pairs(const PairBuffers &buffers, int from,
                                                      TileSpan span) {
  if (span.valid < kTile) return;
  if (from == AT_INPUT) {
    prefetch_to_l2(buffers.input.keys + span.begin, kTile * sizeof(unsigned int));
    prefetch_to_l2(buffers.input.positions + span.begin, kTile * sizeof(unsigned int));
  } else {
    prefetch_to_l2(packed_at(buffers, from, span.begin), kTile * sizeof(uint2));
  }
}

// Where the counter of a digit is among those of its warp, in bytes; four and eight are opaque().
// Side by side.
template <int kBits>
struct BinsSideBySide {
  static constexpr unsigned int kWords = 1u << kBits;
  static __device__ __forceinline__ unsigned int of(unsigned int digit, unsigned int four,
                                                    unsigned int) {
    return digit * four;
  }
};

// The same with two words left empty behind each 64 counters. Keys in some order have digits that
// are a power of two apart; side by side, these would all lie in one bank of shared memory.
template <int kBits>
struct SpreadBins {
  static constexpr unsigned int kWords = (1u << kBits) + (2u << kBits) / 64;
  static __device__ __forceinline__ unsigned int of(unsigned int digit, unsigned int four,
                                                    unsigned int eight) {
    return digit / 64 * eight + digit * four;
  }
};

// count: by digit, each warp in bins of its own.
template <int kBits, class Bins = BinsSideBySide<kBits>, int kItems, class DigitOf>
static __device__ __forceinline__ void count_digits_of_warp(unsigned int *bins,
                                                            const PairItems<kItems> &item,
                                                            DigitOf digit_of) {
#pragma unroll
  for (unsigned int i = 0; i < Bins::kWords; i += WARP_SIZE)
    if (i + WARP_SIZE <= Bins::kWords || threadIdx.x % WARP_SIZE < Bins::kWords - i)
      bins[threadIdx.x % WARP_SIZE + i] = 0;
  __syncwarp();
  const unsigned int four = opaque(4), eight = opaque(8);
#pragma unroll
  for (int u = 0; u < kItems; u++)
    atomicAdd(at_offset(bins, Bins::of(digit_of(item.key[u], u), four, eight)), 1u);
}

// rank: puts the warp's pairs into the tile, in order of their digits. `bins` hold the byte offset
// of the last pair before the warp's own.
template <int kBits, class Bins = BinsSideBySide<kBits>, int kItems, class DigitOf>
static __device__ __forceinline__ void rank_pairs(unsigned int *bins, uint2 *tile,
                                                  const PairItems<kItems> &item, DigitOf digit_of) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, four = opaque(4), eight = opaque(8);
  const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - lane), above = ~up_to_me;
  static_assert(kItems % PAIR_BATCH == 0, "tile shape");
#pragma unroll
  for (int first = 0; first < kItems; first += PAIR_BATCH) {
    compiler_fence();
    unsigned int digit[PAIR_BATCH], lanes[PAIR_BATCH], place[PAIR_BATCH];
#pragma unroll
    for (int q = 0; q < PAIR_BATCH; q++) {
      digit[q] = digit_of(item.key[first + q], first + q);
      lanes[q] = lanes_with_pair_digit<kBits>(digit[q]);
    }
#pragma unroll
    for (int q = 0; q < PAIR_BATCH; q++) {
      unsigned int *const bin = at_offset(bins, Bins::of(digit[q], four, eight));
      place[q] = (unsigned int)__popc((int)(lanes[q] & up_to_me)) * eight + *bin;
      __syncwarp();
      // The last lane with this digit has counted them all.
      store_shared_if_zero(lanes[q] & above, bin, place[q]);
      __syncwarp();
    }
#pragma unroll
    for (int q = 0; q < PAIR_BATCH; q++)
      *(uint2 *)((char *)tile + place[q]) =
          make_uint2(item.key[first + q], item.position[first + q]);
  }
}

// The same for a tile whose pairs share one digit: they stay where they are.
template <int kItems>
static __device__ __forceinline__ void keep_pairs(uint2 *tile, const PairItems<kItems> &item) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    tile[first_item<kItems>() + u * WARP_SIZE] = make_uint2(item.key[u], item.position[u]);
}

// What is added to a pair's place in the output: nothing.
struct NothingBefore {
  __device__ __forceinline__ unsigned int operator()(unsigned int) const { return 0; }
};

// The shift of a bin whose region has no room for it: nothing is written.
static constexpr unsigned int LOST = 1u << 31;

// write: element i of the tile goes to i plus its bin's shift. A thread's elements are kThreads
// apart, so that a warp writes runs of neighbours. plain: a full tile, and no bin reaches the last
// of three pieces or is lost. before: a function of a key.
template <int kThreads, int kItems, int kBits, class DigitOf, class Before = NothingBefore>
static __device__ __forceinline__ void write_pairs(const PairBuffers &buffers, int to,
                                                   PairSweepShared<kThreads, kItems, kBits> &shared,
                                                   unsigned int valid, bool plain, DigitOf digit_of,
                                                   Before before = {}) {
  if (to == AT_OUTPUT) {
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      if (u % PAIR_BATCH == 0) compiler_fence();
      const unsigned int i = threadIdx.x + u * kThreads;
      const uint2 pair = shared.tile[i];
      const unsigned int at =
          *at_offset(shared.bin_shift, digit_of(pair.x, 0) * 4) + i + before(pair.x);
      if (i >= valid) continue;
      buffers.output.keys[at] = pair.x;
      buffers.output.positions[at] = pair.y;
    }
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

// The same for a sweep that takes frequent values out: bins from BINS on, of which the first pair
// is number `rest` of the tile, go to the output, all others to scratch memory.
template <int kThreads, int kItems, int kBits>
static __device__ __forceinline__ void write_to_both(
    const PairBuffers &buffers, PairSweepShared<kThreads, kItems, kBits> &shared,
    unsigned int valid, unsigned int rest) {
  const DigitOrSlot bin = {opaque(HASH_FACTOR)};
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    if (u % PAIR_BATCH == 0) compiler_fence();
    const unsigned int i = threadIdx.x + u * kThreads;
    const uint2 pair = shared.tile[i];
    const unsigned int at = *at_offset(shared.bin_shift, bin(pair.x, i >= rest) * 4) + i;
    if (i >= valid) continue;
    if (i < rest) {
      buffers.scratch.first[at] = pair;
    } else {
      buffers.output.keys[at] = pair.x;
      buffers.output.positions[at] = pair.y;
    }
  }
}

#endif
