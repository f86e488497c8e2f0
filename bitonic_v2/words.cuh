// Sorts a tile of pairs by the network for bare keys. A pair becomes a *word* of 32 bits: the upper
// bits of its key, and below them its index in the tile. So all words are different, the sort is
// stable, and a comparison costs the same two instructions as one of keys.
//
//   keys  7a 31 7c 30, index of 2 bits:   word = key's upper bits | index
//         78+0 30+1 7c+2 30+3  ->  sorted 31 33 78 7e: pairs 1, 3, 0, 2: keys 31 30 7a 7c
//
// Bits that all keys of the tile share are shifted out first. Keys that agree in all the bits which
// a word holds, 31 and 30 above, may still be in the wrong order (repair.cuh).
#ifndef BITONIC_V2_WORDS_CUH
#define BITONIC_V2_WORDS_CUH

#include "bitonic_v2/repair.cuh"

// Bitwise or over the lanes of a warp.
static __device__ __forceinline__ unsigned int warp_or(unsigned int value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (int mask = WARP / 2; mask > 0; mask /= 2) value |= __shfl_xor_sync(0xffffffffu, value, mask);
  return value;
#else
  return __reduce_or_sync(0xffffffffu, value);
#endif
}

// Number of leading bits in which all keys agree, at most 31. `differences`: the bits in which the
// thread's keys differ from the tile's first; of_warp: shared memory, an element for each warp. All
// threads call it; contains barriers, the last at its end.
static __device__ __forceinline__ int common_bits(unsigned int differences, unsigned int *of_warp) {
  const unsigned int lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
  differences = warp_or(differences);
  if (lane == 0) of_warp[threadIdx.x / WARP] = differences;
  __syncthreads();
  differences = warp_or(of_warp[lane % warps]);
  __syncthreads();
  return differences == 0 ? 31 : __clz((int)differences);
}

// Sorts count pairs from device memory to device memory; shared: three elements for each of a tile.
template <int ITEM_BITS, int THREAD_BITS>
static __device__ __forceinline__ void sort_pairs(Pairs from, Pairs to, unsigned int count,
                                                  unsigned int *shared) {
  constexpr int TILE_BITS = ITEM_BITS + THREAD_BITS, ITEMS = 1 << ITEM_BITS;
  constexpr unsigned int TILE = 1u << TILE_BITS, INDEX = TILE - 1;
  const PairTile tile = {shared, (uint2 *)(shared + TILE), count};
  const Pairs words = {shared, NULL};
  const unsigned int first_key = from.keys[0];
  Element element[ITEMS];
  unsigned int word[ITEMS], differences = 0;
  load_window<ITEM_BITS, THREAD_BITS>(element, from, count);
#pragma unroll
  for (unsigned int e = 0; e < ITEMS; e++) {
    const unsigned int i = e << THREAD_BITS | threadIdx.x;
    tile.pairs[i] = make_uint2(element[e].key, element[e].position);
    if (i < count) differences |= element[e].key ^ first_key;
  }
  const int shift = common_bits(differences, tile.words);
#pragma unroll
  for (unsigned int e = 0; e < ITEMS; e++) {
    const unsigned int i = e << THREAD_BITS | threadIdx.x;
    word[e] = i < count ? (element[e].key << shift & ~INDEX) | i : UINT32_MAX;
  }
  sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(word, words);
  put_neighbours<ITEM_BITS>(words, word);
  __syncthreads();
  if (shift < TILE_BITS) repair<ITEM_BITS, THREAD_BITS>(tile, word, shift);
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
#pragma unroll
  for (unsigned int e = 0; e < ITEMS; e++) {
    const uint2 pair = tile.pairs[word_at<ITEM_BITS>(tile, window_index(columns, e)) & INDEX];
    element[e].key = pair.x;
    element[e].position = pair.y;
  }
  store_window<ITEM_BITS, THREAD_BITS>(to, element, count);
}

#endif
