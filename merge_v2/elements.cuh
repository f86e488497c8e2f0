// Keys with or without positions, in device memory and in a block's shared memory.
#ifndef MERGE_V2_ELEMENTS_CUH
#define MERGE_V2_ELEMENTS_CUH

#include <stddef.h>

#include "merge_v2/order.cuh"

// n keys on the device and their positions; positions is NULL for bare keys.
typedef struct Elements {
  Key *keys;
  unsigned int *positions;
} Elements;

// Index of an element of a tile: two bytes move through the merges instead of a position of four.
typedef unsigned short Place;

// One of two buffers of a tile in shared memory. `places` is not used for bare keys.
typedef struct Tile {
  Key *keys;
  Place *places;
} Tile;

// Bytes of shared memory for both buffers of `size` elements.
static inline size_t tile_bytes(size_t size, bool pairs) {
  return 2 * size * (sizeof(Key) + (pairs ? sizeof(Place) : 0));
}

// Buffer 0 or 1 in a block's shared memory: the keys of both first, because they are aligned more
// strictly.
static __device__ __forceinline__ Tile tile_buffer(void *shared, unsigned int size, int buffer) {
  Key *const keys = (Key *)shared;
  Place *const places = (Place *)(keys + 2 * size);
  const Tile tile = {keys + buffer * size, places + buffer * size};
  return tile;
}

static __device__ __forceinline__ void swap_tiles(Tile *a, Tile *b) {
  const Tile c = *a;
  *a = *b;
  *b = c;
}

// Writes a sorted tile of `count` elements to to[0 .. count). The positions are read from `spare`
// at the indices `tile.places`. All threads of the block call it after a barrier.
template <bool PAIRS>
static __device__ __forceinline__ void write_tile(Elements to, Tile tile, const unsigned int *spare,
                                                  unsigned int count) {
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
    to.keys[i] = tile.keys[i];
    if (PAIRS) to.positions[i] = spare[tile.places[i]];
  }
}

#endif
