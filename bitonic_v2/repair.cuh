// Words that agree in their upper bits, but whose keys do not: puts the keys in order.
//
// Among uniform keys few words agree: 8 pairs of 4,096. If no three neighbours agree, each pair is
// exchanged if need be. Otherwise rounds of odd-even exchanges; if some rounds do not suffice, the
// tile is sorted by the keys' lower bits first and then, stably, by the upper ones.
#ifndef BITONIC_V2_REPAIR_CUH
#define BITONIC_V2_REPAIR_CUH

#include "bitonic_v2/tile.cuh"

enum { ODD_EVEN_ROUNDS = 4 };

// A tile of `count` pairs in shared memory: words at bank_place, pairs (x: key, y: position) by
// index.
typedef struct PairTile {
  unsigned int *words;
  uint2 *pairs;
  unsigned int count;
} PairTile;

template <int ITEM_BITS>
static __device__ __forceinline__ unsigned int word_at(PairTile tile, unsigned int i) {
  return tile.words[bank_place<ITEM_BITS>(i)];
}

// Bit e: word e of the thread's neighbours agrees with the next one in the upper bits. To be called
// after the barrier behind the words: the last lane of a warp reads the next one.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ unsigned int agreeing(PairTile tile, const unsigned int *word) {
  constexpr int ITEMS = 1 << ITEM_BITS;
  const int left = (int)tile.count - 1 - (int)(threadIdx.x << ITEM_BITS);
  unsigned int after = __shfl_down_sync(0xffffffffu, word[0], 1), bits = 0;
  if (threadIdx.x % WARP == WARP - 1 && left >= ITEMS)
    after = word_at<ITEM_BITS>(tile, (threadIdx.x + 1) << ITEM_BITS);
#pragma unroll
  for (int e = 0; e < ITEMS; e++)
    if ((word[e] ^ (e + 1 < ITEMS ? word[e + 1] : after)) <= INDEX) bits |= 1u << e;
  if (left < ITEMS) bits &= left > 0 ? (1u << left) - 1 : 0u;  // padding
  return bits;
}

// May three neighbours agree, of which the first is the thread's? The last lane of a warp does not
// know.
template <int ITEM_BITS>
static __device__ __forceinline__ bool three_agree(unsigned int bits) {
  const unsigned int after = __shfl_down_sync(0xffffffffu, bits & 1u, 1);
  const bool last = threadIdx.x % WARP == WARP - 1;
  return (bits & (bits >> 1 | (last ? 1u : after) << ((1 << ITEM_BITS) - 1))) != 0;
}

// Exchanges word i and the next if they agree and their keys are in the wrong order.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ bool exchange_if_wrong(PairTile tile, unsigned int i) {
  unsigned int *const a = &tile.words[bank_place<ITEM_BITS>(i)];
  unsigned int *const b = &tile.words[bank_place<ITEM_BITS>(i + 1)];
  const unsigned int first = *a, second = *b;
  const bool wrong =
      (first ^ second) <= INDEX && tile.pairs[first & INDEX].x > tile.pairs[second & INDEX].x;
  if (wrong) *a = second, *b = first;
  return wrong;
}

// Exchanges agreeing neighbours whose keys are in the wrong order, those with an even first index
// before the others. Returns whether there were any; contains barriers, the last at its end.
template <int ITEM_BITS, unsigned int INDEX>
static __device__ __forceinline__ bool odd_even_round(PairTile tile, unsigned int bits) {
  bool exchanged = false;
#pragma unroll 1
  for (int odd = 0; odd < 2; odd++) {
    __syncthreads();
    for (unsigned int left = bits & 0x55555555u << odd; left != 0; left &= left - 1) {
      const unsigned int e = (unsigned int)__ffs((int)left) - 1;
      exchanged |= exchange_if_wrong<ITEM_BITS, INDEX>(tile, threadIdx.x << ITEM_BITS | e);
    }
  }
  return __syncthreads_or(exchanged) != 0;
}

// Puts the pairs into the order of their words. Contains barriers, the last at its end.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void permute(PairTile tile) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS), INDEX = TILE - 1;
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
  uint2 pair[1 << ITEM_BITS];
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    pair[e] = tile.pairs[word_at<ITEM_BITS>(tile, window_index(columns, e)) & INDEX];
  __syncthreads();
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) tile.pairs[window_index(columns, e)] = pair[e];
  __syncthreads();
}

// Sorts the pairs by the lower bits of their keys, then their words by the upper ones. shift: the
// bits that all keys share. Contains barriers, the last at its end.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void sort_by_halves(PairTile tile, int shift) {
  constexpr int TILE_BITS = ITEM_BITS + THREAD_BITS, ITEMS = 1 << ITEM_BITS;
  constexpr unsigned int INDEX = (1u << TILE_BITS) - 1;
  enum { LOWER_BITS, UPPER_BITS };
#pragma unroll 1  // the code of one sort, not of two
  for (int pass = LOWER_BITS; pass <= UPPER_BITS; pass++) {
    unsigned int word[ITEMS];
#pragma unroll
    for (unsigned int e = 0; e < ITEMS; e++) {
      const unsigned int i = e << THREAD_BITS | threadIdx.x, key = tile.pairs[i].x << shift;
      word[e] = pass == LOWER_BITS ? (key & INDEX) << TILE_BITS | i : (key & ~INDEX) | i;
      if (i >= tile.count) word[e] = UINT32_MAX;
    }
    const Pairs words = {tile.words, NULL};
    sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(word, words);
    put_neighbours<ITEM_BITS>(words, word);
    __syncthreads();
    if (pass == LOWER_BITS) permute<ITEM_BITS, THREAD_BITS>(tile);
  }
}

// Puts the keys of the words in order, where words agree. `word`: the thread's, which are in the
// tile, too. To be called after a barrier; contains barriers, the last at its end.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void repair(PairTile tile, const unsigned int *word, int shift) {
  constexpr unsigned int INDEX = (1u << (ITEM_BITS + THREAD_BITS)) - 1;
  const unsigned int bits = agreeing<ITEM_BITS, INDEX>(tile, word);
  if (__syncthreads_or(three_agree<ITEM_BITS>(bits)) == 0) {
    for (unsigned int left = bits; left != 0; left &= left - 1)
      exchange_if_wrong<ITEM_BITS, INDEX>(
          tile, threadIdx.x << ITEM_BITS | ((unsigned int)__ffs((int)left) - 1));
    __syncthreads();
    return;
  }
#pragma unroll 1
  for (int round = 0; round < ODD_EVEN_ROUNDS; round++)
    if (!odd_even_round<ITEM_BITS, INDEX>(tile, bits)) return;
  sort_by_halves<ITEM_BITS, THREAD_BITS>(tile, shift);
}

#endif
