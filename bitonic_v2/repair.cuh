// Words that agree in their upper bits, but whose keys do not: puts the keys in order.
//
// Among n uniform keys few words agree: 8 pairs of 4,096, each of which is settled by the two
// threads that write it. Three or more take rounds of odd-even exchanges. If these are not enough,
// the tile is sorted by the keys' lower bits first and then, stably, by the upper ones.
#ifndef BITONIC_V2_REPAIR_CUH
#define BITONIC_V2_REPAIR_CUH

#include "bitonic_v2/tile.cuh"

enum { ODD_EVEN_ROUNDS = 4 };

// A tile of `count` pairs in shared memory: words at bank_place, pairs by index.
typedef struct PairTile {
  Pairs words, pairs;
  unsigned int count;
} PairTile;

template <int ITEM_BITS>
static __device__ __forceinline__ unsigned int word_at(PairTile tile, unsigned int i) {
  return tile.words.keys[bank_place<ITEM_BITS>(i)];
}

// Do the words i and i + 1 exist and agree in their upper bits? Without a branch.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ bool agree(PairTile tile, unsigned int i) {
  const unsigned int difference =
      word_at<ITEM_BITS>(tile, i & INDEX) ^ word_at<ITEM_BITS>(tile, (i + 1) & INDEX);
  return (i < tile.count - 1) & (difference <= INDEX);
}

// Are the keys of two words, which are neighbours, in the wrong order?
template <unsigned int INDEX>
static __device__ __forceinline__ bool misplaced(PairTile tile, unsigned int first,
                                                 unsigned int second) {
  return tile.pairs.keys[first & INDEX] > tile.pairs.keys[second & INDEX];
}

// The word that belongs at i if word i agrees with at most one other; otherwise word i, and
// wrong_order is set if its key is greater than the next.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ unsigned int settled_word(PairTile tile, unsigned int i,
                                                            bool *wrong_order) {
  const unsigned int word = word_at<ITEM_BITS>(tile, i);
  const bool with_next = agree<ITEM_BITS, INDEX>(tile, i);
  if (!with_next && !agree<ITEM_BITS, INDEX>(tile, i - 1)) return word;
  const unsigned int first = with_next ? i : i - 1;
  const unsigned int a = word_at<ITEM_BITS>(tile, first), b = word_at<ITEM_BITS>(tile, first + 1);
  if (!misplaced<INDEX>(tile, a, b)) return word;
  if (!agree<ITEM_BITS, INDEX>(tile, first - 1) && !agree<ITEM_BITS, INDEX>(tile, first + 1))
    return a ^ b ^ word;
  *wrong_order = true;
  return word;
}

// Reads the words that belong into the thread's columns. Returns whether they agree with too many
// others and their keys are in the wrong order.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ bool settle(PairTile tile, unsigned int *word) {
  constexpr unsigned int INDEX = (1u << (ITEM_BITS + THREAD_BITS)) - 1;
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
  bool agreed = false, wrong_order = false;
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = window_index(columns, e);
    word[e] = word_at<ITEM_BITS>(tile, i);
    agreed |= agree<ITEM_BITS, INDEX>(tile, i) | agree<ITEM_BITS, INDEX>(tile, i - 1);
  }
  if (!agreed) return false;
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    word[e] = settled_word<ITEM_BITS, INDEX>(tile, window_index(columns, e), &wrong_order);
  return wrong_order;
}

// Exchanges neighbours whose words agree and whose keys are in the wrong order, the even ones with
// the next, then the odd ones. Returns whether there were any; contains barriers, the last at its
// end.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ bool odd_even_round(PairTile tile) {
  bool exchanged = false;
  for (unsigned int odd = 0; odd < 2; odd++) {
    __syncthreads();
    for (unsigned int i = 2 * threadIdx.x + odd; i < tile.count; i += 2 * blockDim.x) {
      if (!agree<ITEM_BITS, INDEX>(tile, i)) continue;
      const unsigned int first = word_at<ITEM_BITS>(tile, i),
                         second = word_at<ITEM_BITS>(tile, i + 1);
      if (!misplaced<INDEX>(tile, first, second)) continue;
      tile.words.keys[bank_place<ITEM_BITS>(i)] = second;
      tile.words.keys[bank_place<ITEM_BITS>(i + 1)] = first;
      exchanged = true;
    }
  }
  return __syncthreads_or(exchanged) != 0;
}

// Puts the pairs into the order of their words. Contains barriers, the last at its end.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void permute(PairTile tile) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS), INDEX = TILE - 1;
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
  Element element[1 << ITEM_BITS];
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    get(&element[e], tile.pairs, word_at<ITEM_BITS>(tile, window_index(columns, e)) & INDEX);
  __syncthreads();
  store_window<ITEM_BITS, THREAD_BITS>(tile.pairs, element, TILE);
  __syncthreads();
}

// Sorts the words and, if need be, the pairs, so that the keys of the words are in order. shift:
// the bits that all keys share. Ends with a barrier.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void repair(PairTile tile, int shift) {
  constexpr int TILE_BITS = ITEM_BITS + THREAD_BITS, ITEMS = 1 << ITEM_BITS;
  constexpr unsigned int INDEX = (1u << TILE_BITS) - 1;
  for (int round = 0; round < ODD_EVEN_ROUNDS; round++)
    if (!odd_even_round<ITEM_BITS, INDEX>(tile)) return;
  enum { LOWER_BITS, UPPER_BITS };
#pragma unroll 1  // the code of one sort, not of two
  for (int pass = LOWER_BITS; pass <= UPPER_BITS; pass++) {
    unsigned int word[ITEMS];
#pragma unroll
    for (unsigned int e = 0; e < ITEMS; e++) {
      const unsigned int i = e << THREAD_BITS | threadIdx.x, key = tile.pairs.keys[i] << shift;
      word[e] = pass == LOWER_BITS ? (key & INDEX) << TILE_BITS | i : (key & ~INDEX) | i;
      if (i >= tile.count) word[e] = UINT32_MAX;
    }
    sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(word, tile.words);
    put_neighbours<ITEM_BITS>(tile.words, word);
    __syncthreads();
    if (pass == LOWER_BITS) permute<ITEM_BITS, THREAD_BITS>(tile);
  }
}

#endif
