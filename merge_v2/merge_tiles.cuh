// A merge pass: a block per output tile gathers its pieces of the runs in shared memory, merges
// them there in pairs, and writes the tile once.
#ifndef MERGE_V2_MERGE_TILES_CUH
#define MERGE_V2_MERGE_TILES_CUH

#include "merge_v2/cut_runs.cuh"
#include "merge_v2/merge_path.cuh"

enum { MOST_WAYS = 8 };

// Elements of a tile: every pair of pieces begins at a multiple of ITEMS, so that no thread has a
// share of two pairs; each of the WAYS / 2 pairs may waste a thread.
static inline unsigned int merged_tile(int threads, int items) {
  return (unsigned int)((threads - MOST_WAYS / 2) * items);
}

// The pieces of runs of which a tile is made, in the order of the runs.
typedef struct Piece {
  unsigned int end;     // elements of this piece and of those before it
  unsigned int shift;   // index in the tile's buffer minus number of elements before
  size_t source_shift;  // index among all elements minus number of elements before
} Piece;

// Thread 0 lays the pieces out; run[j] is where piece j lies in the buffer. Returns the number of
// elements. All threads call it, with the same result.
template <int WAYS, int ITEMS>
static __device__ __forceinline__ unsigned int lay_out(const unsigned int *cuts, Pass pass,
                                                       unsigned int tile, Piece *pieces, Run *run) {
  const unsigned int group = tile / pass.tiles_per_group;
  const size_t first = (size_t)group * WAYS * pass.width;
  const bool last = tile + 1 == pass.tiles || (tile + 1) / pass.tiles_per_group != group;
  unsigned int count = 0, place = 0;
#pragma unroll
  for (int j = 0; j < WAYS; j++) {
    const size_t begin = first + j * pass.width;
    const unsigned int from = cuts[(size_t)tile * WAYS + j];
    const unsigned int to = last ? run_length(pass, begin) : cuts[(size_t)(tile + 1) * WAYS + j];
    if (j % 2 == 0) place = (place + ITEMS - 1) / ITEMS * ITEMS;
    const Run own = {place, to - from};
    run[j] = own;
    if (threadIdx.x == 0) {
      const Piece piece = {count + own.length, place - count, begin + from - count};
      pieces[j] = piece;
    }
    count += own.length;
    place += own.length;
  }
  return count;
}

// Reads the `count` elements of all pieces, and calls store(i, piece, element) for element i. All
// loads of a thread are on their way before the first element is stored.
template <int THREADS, int ITEMS, class Element, class Store>
static __device__ __forceinline__ void gather(const Element *from, const Piece *pieces,
                                              unsigned int count, Store store) {
  Element element[ITEMS];
  int in[ITEMS], j = 0;  // number of the element's piece
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    const unsigned int i = k * THREADS + threadIdx.x;
    if (i < count) {
      while (i >= pieces[j].end) j++;
      element[k] = from[i + pieces[j].source_shift];
    }
    in[k] = j;
  }
#pragma unroll
  for (unsigned int k = 0; k < ITEMS; k++) {
    const unsigned int i = k * THREADS + threadIdx.x;
    if (i < count) store(i, pieces[in[k]], element[k]);
  }
}

template <int THREADS, int ITEMS, int WAYS, bool PAIRS>
static __global__ void __launch_bounds__(THREADS)
    merge_tiles(Elements from, Elements to, const unsigned int *cuts, Pass pass) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Piece pieces[WAYS];
  wait_for_previous_kernel();
  const unsigned int tile = blockIdx.x, buffer = THREADS * ITEMS;
  Run run[WAYS];
  const unsigned int count = lay_out<WAYS, ITEMS>(cuts, pass, tile, pieces, run);
  Tile source = tile_buffer(shared, buffer, 1), merged = tile_buffer(shared, buffer, 0);
  __syncthreads();
  gather<THREADS, ITEMS>(from.keys, pieces, count,
                         [&](unsigned int i, const Piece &piece, Key key) {
                           merged.keys[i + piece.shift] = key;
                           if (PAIRS) merged.places[i + piece.shift] = (Place)i;
                         });
#pragma unroll
  for (int runs = WAYS; runs > 1; runs /= 2) {
    __syncthreads();
    swap_tiles(&source, &merged);
    Run a = {0, 0}, b = {0, 0};
    unsigned int begin = 0, rank = 0, threads = 0;  // taken by the pairs so far
#pragma unroll
    for (int pair = 0; pair < runs / 2; pair++) {
      const Run left = run[2 * pair], right = run[2 * pair + 1];
      const unsigned int both = left.length + right.length, first = threads;
      threads += (both + ITEMS - 1) / ITEMS;
      if (threadIdx.x >= first && threadIdx.x < threads) {
        a = left;
        b = right;
        begin = first * ITEMS;
        rank = (threadIdx.x - first) * ITEMS;
      }
      run[pair].begin = first * ITEMS;
      run[pair].length = both;
    }
    merge_share<ITEMS, PAIRS>(source, a, b, merged, begin, rank);
  }
  __syncthreads();
  unsigned int *const spare = (unsigned int *)source.keys;
  if (PAIRS) {
    gather<THREADS, ITEMS>(
        from.positions, pieces, count,
        [&](unsigned int i, const Piece &, unsigned int position) { spare[i] = position; });
    __syncthreads();
  }
  const size_t base = (size_t)(tile / pass.tiles_per_group) * WAYS * pass.width +
                      (size_t)(tile % pass.tiles_per_group) * pass.tile;
  const Elements output = {to.keys + base, PAIRS ? to.positions + base : NULL};
  write_tile<PAIRS>(output, merged, spare, count);
}

#endif
