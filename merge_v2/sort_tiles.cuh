// The first pass: a block per tile sorts it in shared memory. Each thread sorts a few neighbours in
// registers, then runs are merged in pairs until one is left.
#ifndef MERGE_V2_SORT_TILES_CUH
#define MERGE_V2_SORT_TILES_CUH

#include "common/overlap.cuh"
#include "merge_v2/merge_path.cuh"

// Sorts ITEMS elements in registers by odd-even transposition. Only neighbours are exchanged, and
// only if the right one is less: the order of equal keys is kept.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void sort_in_registers(Key *key, Place *place) {
#pragma unroll
  for (int round = 0; round < ITEMS; round++)
#pragma unroll
    for (int i = round % 2; i + 1 < ITEMS; i += 2) {
      const bool exchange = less(key[i + 1], key[i]);
      const Key low = exchange ? key[i + 1] : key[i], high = exchange ? key[i] : key[i + 1];
      key[i] = low;
      key[i + 1] = high;
      if (PAIRS) {
        const Place first = exchange ? place[i + 1] : place[i];
        place[i + 1] = exchange ? place[i] : place[i + 1];
        place[i] = first;
      }
    }
}

// Sorts the `own` elements from `begin` on, at most ITEMS, from one buffer to the other. Missing
// ones are replaced by copies of the greatest, which a stable sort leaves behind it.
template <int ITEMS, bool PAIRS>
static __device__ __forceinline__ void sort_neighbours(Tile from, Tile to, unsigned int begin,
                                                       unsigned int own) {
  Key key[ITEMS], greatest = from.keys[begin];
  Place place[ITEMS];
#pragma unroll
  for (unsigned int i = 0; i < ITEMS; i++) {
    key[i] = i < own ? from.keys[begin + i] : greatest;
    if (less(greatest, key[i])) greatest = key[i];
    place[i] = (Place)(begin + i);
  }
  sort_in_registers<ITEMS, PAIRS>(key, place);
#pragma unroll
  for (unsigned int i = 0; i < ITEMS; i++)
    if (i < own) {
      to.keys[begin + i] = key[i];
      if (PAIRS) to.places[begin + i] = place[i];
    }
}

// to[0 .. count) = from[0 .. count), count <= THREADS * ITEMS. All loads of a thread are on their
// way before the first element is stored.
template <int THREADS, int ITEMS, class Element>
static __device__ __forceinline__ void read_tile(Element *to, const Element *from,
                                                 unsigned int count) {
  Element element[ITEMS];
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++)
    if (k * THREADS + threadIdx.x < count) element[k] = from[k * THREADS + threadIdx.x];
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++)
    if (k * THREADS + threadIdx.x < count) to[k * THREADS + threadIdx.x] = element[k];
}

// Block b sorts elements b * tile to (b + 1) * tile - 1 of n; `to` may be `from`. tile <=
// THREADS * ITEMS and a multiple of ITEMS.
template <int THREADS, int ITEMS, bool PAIRS>
static __global__ void __launch_bounds__(THREADS)
    sort_tiles(Elements from, Elements to, size_t n, unsigned int tile) {
  extern __shared__ __align__(16) unsigned char shared[];
  wait_for_previous_kernel();
  const size_t base = (size_t)blockIdx.x * tile;
  const unsigned int count = (unsigned int)(n - base < tile ? n - base : tile);
  Tile source = tile_buffer(shared, tile, 1), sorted = tile_buffer(shared, tile, 0);
  read_tile<THREADS, ITEMS>(source.keys, from.keys + base, count);
  __syncthreads();
  const unsigned int begin = threadIdx.x * ITEMS;
  if (begin < count)
    sort_neighbours<ITEMS, PAIRS>(source, sorted, begin,
                                  count - begin < ITEMS ? count - begin : ITEMS);
  // Runs of `threads` threads each.
  for (unsigned int threads = 1; threads * ITEMS < count; threads *= 2) {
    __syncthreads();
    swap_tiles(&source, &sorted);
    const unsigned int width = threads * ITEMS;
    const unsigned int first = threadIdx.x / (2 * threads) * 2 * width;  // of the pair of runs
    if (begin < count) {
      const unsigned int both = count - first < 2 * width ? count - first : 2 * width;
      const Run a = {first, both < width ? both : width};
      const Run b = {first + a.length, both - a.length};
      merge_share<ITEMS, PAIRS>(source, a, b, sorted, first, begin - first);
    }
  }
  __syncthreads();
  // The keys of the other buffer have been merged, so the positions go there.
  unsigned int *const spare = (unsigned int *)source.keys;
  if (PAIRS) {
    read_tile<THREADS, ITEMS>(spare, from.positions + base, count);
    __syncthreads();
  }
  const Elements output = {to.keys + base, PAIRS ? to.positions + base : NULL};
  write_tile<PAIRS>(output, sorted, spare, count);
}

#endif
