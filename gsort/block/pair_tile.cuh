// A tile of pairs: loaded, counted, and ranked by ballots in order of its digits, which have any
// width up to 10 bits. Key and value stay side by side, in registers and in shared memory.
#ifndef GSORT_BLOCK_PAIR_TILE_CUH
#define GSORT_BLOCK_PAIR_TILE_CUH

#include "gsort/block/rank.cuh"

enum { PAIR_BATCH = 4 };  // pairs of a thread under way at a time: more need more registers

// A tile's part of the input; pairs beyond the end are padded with the largest key.
template <int kItems>
struct PairItems {
  unsigned int key[kItems], value[kItems];
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

// The tile of the input that begins at `begin`, in the type of the caller: encode_all() has to
// follow. Pairs of a warp are neighbours, pairs of a lane are WARP_SIZE apart: their order is by
// rows, then by lanes. kFull: no pair needs a test. padding: the key whose code is the largest
// number.
template <bool kFull, int kItems>
static __device__ __forceinline__ void load_tile(Elements in, unsigned int begin,
                                                 unsigned int valid, unsigned int padding,
                                                 PairItems<kItems> &item) {
  const unsigned int first = first_item<kItems>();
  const unsigned int *const keys = in.keys + begin + first, *const values =
                                                                in.values + begin + first;
#pragma unroll
  for (int u = 0; u < kItems; u++)
    item.key[u] = kFull || first + u * WARP_SIZE < valid ? __ldcs(&keys[u * WARP_SIZE]) : padding;
  if (in.values == NULL) {  // indices
#pragma unroll
    for (int u = 0; u < kItems; u++) item.value[u] = begin + first + u * WARP_SIZE;
  } else {
#pragma unroll
    for (int u = 0; u < kItems; u++)
      item.value[u] = kFull || first + u * WARP_SIZE < valid ? __ldcs(&values[u * WARP_SIZE]) : 0;
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
static __device__ __forceinline__ void load_pairs(Elements in, TileSpan span, unsigned int padding,
                                                  PairItems<kItems> &item) {
  if (span.valid == kThreads * kItems)
    load_tile<true>(in, span.begin, kThreads * kItems, padding, item);
  else
    load_tile<false>(in, span.begin, span.valid, padding, item);
}

// One thread: a full tile that will be loaded is to be in the L2 cache by then.
template <unsigned int kTile>
static __device__ __forceinline__ void prefetch_pairs(Elements in, TileSpan span) {
  if (span.valid < kTile) return;
  prefetch_to_l2(in.keys + span.begin, kTile * sizeof(unsigned int));
  if (in.values != NULL) prefetch_to_l2(in.values + span.begin, kTile * sizeof(unsigned int));
}

// Where the counter of a digit is among its warp's counters, in bytes; four and eight are opaque().
// The counters lie side by side.
template <int kBits>
struct BinsSideBySide {
  static constexpr unsigned int kWords = 1u << kBits;
  static __device__ __forceinline__ unsigned int of(unsigned int digit, unsigned int four,
                                                    unsigned int) {
    return digit * four;
  }
};

// As BinsSideBySide, but two words are left empty behind each 64 counters. Keys in some order have
// digits that are a power of two apart; side by side, these would all lie in one bank of shared
// memory.
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
  const unsigned int four = opaque(4), eight = opaque(8);
  const auto bin_of = [&](unsigned int digit) {
    return at_offset(bins, Bins::of(digit, four, eight));
  };
  static_assert(kItems % PAIR_BATCH == 0, "tile shape");
#pragma unroll
  for (int first = 0; first < kItems; first += PAIR_BATCH) {
    compiler_fence();
    unsigned int digit[PAIR_BATCH], place[PAIR_BATCH];
    const auto digit_at = [&](int q) { return digit_of(item.key[first + q], first + q); };
    take_slots<kBits>(eight, digit_at, bin_of, digit, place);
#pragma unroll
    for (int q = 0; q < PAIR_BATCH; q++)
      *(uint2 *)((char *)tile + place[q]) = make_uint2(item.key[first + q], item.value[first + q]);
  }
}

// The same for a tile whose pairs share one digit: they stay where they are.
template <int kItems>
static __device__ __forceinline__ void keep_pairs(uint2 *tile, const PairItems<kItems> &item) {
#pragma unroll
  for (int u = 0; u < kItems; u++)
    tile[first_item<kItems>() + u * WARP_SIZE] = make_uint2(item.key[u], item.value[u]);
}

#endif
