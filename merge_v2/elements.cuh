// Keys with or without positions, in device memory and in a block's shared memory.
#ifndef MERGE_V2_ELEMENTS_CUH
#define MERGE_V2_ELEMENTS_CUH

#include <stddef.h>

#include "gsort/block/digits.cuh"
#include "merge_v2/order.cuh"

// Keys and their positions, in device memory or in shared memory; positions is not used for bare
// keys.
typedef struct KeyArrays {
  Key *keys;
  unsigned int *positions;
} KeyArrays;

template <bool PAIRS>
static __device__ __forceinline__ KeyArrays elements_at(KeyArrays elements, size_t index) {
  const KeyArrays at = {elements.keys + index, PAIRS ? elements.positions + index : NULL};
  return at;
}

// A block's tile in shared memory has ITEMS elements for each thread and ITEMS more: a thread may
// read behind its share, but uses nothing of that.
template <int THREADS, int ITEMS>
struct TileSize {
  enum { OWN = THREADS * ITEMS, ALL = OWN + ITEMS };
};

// Blocks of a multiprocessor, for __launch_bounds__: few enough for each thread to keep its
// elements in registers, and no more than the smallest multiprocessor of the architecture can hold.
static __host__ __device__ constexpr int resident_blocks(int threads, int items, bool pairs) {
  const int registers = items * (pairs ? 2 : 1);
  const int resident = registers < 20 ? 1536 : registers < 35 ? 1024 : 768;
  return resident_blocks(threads, threads < resident ? resident / threads : 1);
}

static inline size_t tile_bytes(size_t size, bool pairs) {
  return size * (sizeof(Key) + (pairs ? sizeof(unsigned int) : 0));
}

static __device__ __forceinline__ KeyArrays tile_in(void *shared, unsigned int size) {
  const KeyArrays tile = {(Key *)shared, (unsigned int *)((Key *)shared + size)};
  return tile;
}

// Copies an element from device to shared memory; it has arrived after wait_for_copies() and a
// barrier. From compute capability 8.0 on no register holds it in between, so a thread may have any
// number of copies under way (PTX ISA, "cp.async").
template <class Element>
static __device__ __forceinline__ void start_copy(Element *to, const Element *from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(CUDA_CPU)
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
      "l"(from), "n"(sizeof(Element))
      : "memory");
#else
  *to = *from;
#endif
}

static __device__ __forceinline__ void wait_for_copies(void) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && !defined(CUDA_CPU)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Starts to copy elements *i, *i + THREADS, .. below `end` of a tile from the same places of
// `from`, and leaves in *i the first one that it did not copy.
template <int THREADS, bool PAIRS>
static __device__ __forceinline__ void start_copies(KeyArrays tile, KeyArrays from, unsigned int *i,
                                                    unsigned int end) {
  for (; *i < end; *i += THREADS) {
    start_copy(&tile.keys[*i], &from.keys[*i]);
    if (PAIRS) start_copy(&tile.positions[*i], &from.positions[*i]);
  }
}

// Clears the rest of a tile behind `count` elements.
template <int THREADS, int ITEMS, bool PAIRS>
static __device__ __forceinline__ void clear_rest(KeyArrays tile, unsigned int count) {
  for (unsigned int i = count + threadIdx.x; i < TileSize<THREADS, ITEMS>::ALL; i += THREADS) {
    tile.keys[i] = Key();
    if (PAIRS) tile.positions[i] = 0;
  }
}

// to[0 .. count) = tile[0 .. count). All threads of the block call it after a barrier.
template <int THREADS, int ITEMS, bool PAIRS>
static __device__ __forceinline__ void write_tile(KeyArrays to, KeyArrays tile,
                                                  unsigned int count) {
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
