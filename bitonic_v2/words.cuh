// Sorts a tile of pairs by the network for bare keys. A pair becomes a *word* of 32 bits: the upper
// bits of its key, and below them its index in the tile. So all words are different, the sort is
// stable, and a comparison costs the same two instructions as one of keys.
//
//   keys  7a 31 7c 30, index of 2 bits:   word = key's upper bits | index
//         78+0 30+1 7c+2 30+3  ->  sorted 31 33 78 7e: pairs 1, 3, 0, 2: keys 31 30 7a 7c
//
// Bits that all keys of the tile share are shifted out first. Keys that agree in all the bits which
// a word holds, 31 and 30 above, are then put in order by odd-even exchanges. If two rounds are not
// enough, the tile is sorted by the keys' lower bits first and then, stably, by the upper ones.
#ifndef BITONIC_V2_WORDS_CUH
#define BITONIC_V2_WORDS_CUH

#include "bitonic_v2/tile.cuh"

enum { ODD_EVEN_ROUNDS = 3, MOST_WARPS = 32 };

// A tile in shared memory: words at bank_place, keys and positions by index, and MOST_WARPS
// elements.
typedef struct PairTile {
  unsigned int *words, *keys, *positions, *of_warp;
} PairTile;

static inline size_t pair_tile_bytes(size_t tile) {
  return (3 * tile + MOST_WARPS) * sizeof(unsigned int);
}

// Number of leading bits in which all keys agree, at most 31. `differences`: the bits in which the
// thread's keys differ from the tile's first; of_warp: shared memory of MOST_WARPS elements. All
// threads call it; contains a barrier.
static __device__ __forceinline__ int common_bits(unsigned int differences, unsigned int *of_warp) {
  const unsigned int lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
  for (int mask = WARP / 2; mask > 0; mask /= 2)
    differences |= __shfl_xor_sync(0xffffffffu, differences, mask);
  if (lane == 0) of_warp[threadIdx.x / WARP] = differences;
  __syncthreads();
  differences = of_warp[lane % warps];
  for (int mask = WARP / 2; mask > 0; mask /= 2)
    differences |= __shfl_xor_sync(0xffffffffu, differences, mask);
  return differences == 0 ? 31 : __clz((int)differences);
}

// One round of odd-even exchanges of neighbours whose words have the same upper bits. Returns
// whether any were exchanged; ends with a barrier.
template <int ITEM_BITS, int TILE_BITS>
static __device__ __forceinline__ bool odd_even_round(PairTile tile, unsigned int count) {
  constexpr unsigned int INDEX = (1u << TILE_BITS) - 1;
  bool exchanged = false;
  for (unsigned int odd = 0; odd < 2; odd++) {
    for (unsigned int i = 2 * threadIdx.x + odd; i + 1 < count; i += 2 * blockDim.x) {
      unsigned int *const a = &tile.words[bank_place<ITEM_BITS>(i)];
      unsigned int *const b = &tile.words[bank_place<ITEM_BITS>(i + 1)];
      const unsigned int first = *a, second = *b;
      if ((first ^ second) > INDEX || tile.keys[first & INDEX] <= tile.keys[second & INDEX])
        continue;
      *a = second;
      *b = first;
      exchanged = true;
    }
    if (odd == 0) __syncthreads();
  }
  return __syncthreads_or(exchanged) != 0;
}

// Fetches the pairs to which the sorted words of the thread's columns belong. Padding gets any
// pair.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void fetch(Element *element, PairTile tile) {
  constexpr unsigned int INDEX = (1u << (ITEM_BITS + THREAD_BITS)) - 1;
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int from = tile.words[window_place<ITEM_BITS>(columns, e)] & INDEX;
    element[e].key = tile.keys[from];
    element[e].position = tile.positions[from];
  }
}

// Puts keys and positions into the order of the sorted words. Ends with a barrier.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void permute(PairTile tile) {
  Element element[1 << ITEM_BITS];
  fetch<ITEM_BITS, THREAD_BITS>(element, tile);
  __syncthreads();
  const Pairs pairs = {tile.keys, tile.positions};
  store_window<ITEM_BITS, THREAD_BITS>(pairs, element, 1u << (ITEM_BITS + THREAD_BITS));
  __syncthreads();
}

// Puts the thread's words, which are neighbours, into shared memory. Ends with a barrier.
template <int ITEM_BITS>
static __device__ __forceinline__ void put_words(Pairs words, const unsigned int *word) {
  const Window neighbours = window_at<ITEM_BITS>(0, false);
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++)
    put(words, window_place<ITEM_BITS>(neighbours, e), word[e]);
  __syncthreads();
}

// Loads a tile into shared memory. Returns the number of leading bits in which all keys agree. Ends
// after a barrier.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ int load_pairs(PairTile tile, Pairs from, unsigned int count) {
  Element element[1 << ITEM_BITS];
  const unsigned int first_key = from.keys[0];
  unsigned int differences = 0;
  load_window<ITEM_BITS, THREAD_BITS>(element, from, count);
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = e << THREAD_BITS | threadIdx.x;
    tile.keys[i] = element[e].key;
    tile.positions[i] = element[e].position;
    if (i < count) differences |= element[e].key ^ first_key;
  }
  return common_bits(differences, tile.of_warp);
}

// Sorts count pairs from device memory to device memory; shared: pair_tile_bytes.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void sort_pairs(Pairs from, Pairs to, unsigned int count,
                                                  unsigned int *shared) {
  constexpr int TILE_BITS = ITEM_BITS + THREAD_BITS, ITEMS = 1 << ITEM_BITS;
  constexpr unsigned int TILE = 1u << TILE_BITS, INDEX = TILE - 1;
  const PairTile tile = {shared, shared + TILE, shared + 2 * TILE, shared + 3 * TILE};
  const Pairs words = {tile.words, NULL};
  const int shift = load_pairs<ITEM_BITS, THREAD_BITS>(tile, from, count);
  enum { UPPER_BITS, LOWER_BITS, UPPER_BITS_AGAIN };
#pragma unroll 1  // the code of one sort, not of three
  for (int pass = UPPER_BITS; pass <= UPPER_BITS_AGAIN; pass++) {
    unsigned int word[ITEMS];
#pragma unroll
    for (unsigned int e = 0; e < ITEMS; e++) {
      const unsigned int i = e << THREAD_BITS | threadIdx.x, key = tile.keys[i] << shift;
      word[e] = pass == LOWER_BITS ? (key & INDEX) << TILE_BITS | i : (key & ~INDEX) | i;
      if (i >= count) word[e] = UINT32_MAX;
    }
    sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(word, words);
    put_words<ITEM_BITS>(words, word);
    if (pass == LOWER_BITS) {
      permute<ITEM_BITS, THREAD_BITS>(tile);
      continue;
    }
    bool in_order = shift >= TILE_BITS || pass == UPPER_BITS_AGAIN;
    for (int round = 0; !in_order && round < ODD_EVEN_ROUNDS; round++)
      in_order = !odd_even_round<ITEM_BITS, TILE_BITS>(tile, count);
    if (in_order) break;
  }
  Element element[ITEMS];
  fetch<ITEM_BITS, THREAD_BITS>(element, tile);
  store_window<ITEM_BITS, THREAD_BITS>(to, element, count);
}

#endif
