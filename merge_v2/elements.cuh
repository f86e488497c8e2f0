// Keys with or without positions, in device memory and in a block's shared memory.
#ifndef MERGE_V2_ELEMENTS_CUH
#define MERGE_V2_ELEMENTS_CUH

#include <stddef.h>

#include "merge_v2/order.cuh"

// n keys and their positions, in device memory or in shared memory; positions is NULL or not used
// for bare keys.
typedef struct Elements {
  Key *keys;
  unsigned int *positions;
} Elements;

template <bool PAIRS>
static __device__ __forceinline__ Elements elements_at(Elements elements, size_t index) {
  const Elements at = {elements.keys + index, PAIRS ? elements.positions + index : NULL};
  return at;
}

// A block's tile in shared memory has ITEMS elements for each thread and ITEMS more: a thread may
// read behind its share, but uses nothing of that.
template <int THREADS, int ITEMS>
struct TileSize {
  enum { OWN = THREADS * ITEMS, ALL = OWN + ITEMS };
};

// For __launch_bounds__: blocks of a multiprocessor, so that their threads keep their elements in
// registers, and no more than the smallest multiprocessor of the architecture can hold.
static __host__ __device__ constexpr int resident_blocks(int threads, int items, bool pairs) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  const int most = 1024;
#else
  const int most = 1536;
#endif
  const int registers = items * (pairs ? 2 : 1), resident = registers < 20 ? most : 1024;
  return threads < resident ? resident / threads : 1;
}

static inline size_t tile_bytes(size_t size, bool pairs) {
  return size * (sizeof(Key) + (pairs ? sizeof(unsigned int) : 0));
}

static __device__ __forceinline__ Elements tile_in(void *shared, unsigned int size) {
  const Elements tile = {(Key *)shared, (unsigned int *)((Key *)shared + size)};
  return tile;
}

// Element i of a tile for i = k * THREADS + threadIdx.x, k < ITEMS: element(k, i) for i < count,
// zero bits behind. All loads of a thread are on their way before the first element is stored.
template <int THREADS, int ITEMS, bool PAIRS, class Load>
static __device__ __forceinline__ void fill_tile(Elements tile, unsigned int count, Load load) {
  Key key[ITEMS];
  unsigned int position[ITEMS];
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    const unsigned int i = k * THREADS + threadIdx.x;
    key[k] = Key();
    position[k] = 0;
    if (i < count) load(i, &key[k], &position[k]);
  }
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    const unsigned int i = k * THREADS + threadIdx.x;
    tile.keys[i] = key[k];
    if (PAIRS) tile.positions[i] = position[k];
  }
  if (threadIdx.x < ITEMS) {
    tile.keys[TileSize<THREADS, ITEMS>::OWN + threadIdx.x] = Key();
    if (PAIRS) tile.positions[TileSize<THREADS, ITEMS>::OWN + threadIdx.x] = 0;
  }
}

// to[0 .. count) = tile[0 .. count). All threads of the block call it after a barrier.
template <int THREADS, int ITEMS, bool PAIRS>
static __device__ __forceinline__ void write_tile(Elements to, Elements tile, unsigned int count) {
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    const unsigned int i = k * THREADS + threadIdx.x;
    if (i < count) {
      to.keys[i] = tile.keys[i];
      if (PAIRS) to.positions[i] = tile.positions[i];
    }
  }
}

#endif
