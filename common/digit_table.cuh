// The digits of a pass and the table that counts them tile by tile, shared by radix_v2 to radix_v4.
//
// The table has a row per bin and a column per block: hist[b * g + blk] is the count of bin b in
// the tile of block blk, of g blocks. Row by row it lists the runs in the order of the output, so
// one exclusive scan over the whole table gives the start of each run.
//
//   digit [0 1 3 0 | 2 3 1 0]       two tiles of four, four bins
//   hist  [2 1 | 1 1 | 0 1 | 1 1]
//   start [0 2 | 3 4 | 5 5 | 6 7]
#ifndef COMMON_DIGIT_TABLE_CUH
#define COMMON_DIGIT_TABLE_CUH

#include <cuda_runtime.h>

#include "common/pairs.cuh"
#include "common/scratch.h"

// Device memory that the kernels of a pass share, for n elements in `tiles` tiles.
typedef struct DigitArrays {
  unsigned int *digit, *rank;  // n elements
  unsigned int *hist, *start;  // the table; its exclusive scan, of table + 1 elements
  unsigned int tiles;
  size_t table;  // elements of the table
} DigitArrays;

// Scratch memory for a pass over n elements with `bins` digits, in tiles of tile_size elements;
// digit_arrays_free returns it.
static inline DigitArrays digit_arrays_alloc(size_t n, unsigned int bins, int tile_size) {
  const unsigned int tiles = blocks_for(n, tile_size);
  const size_t table = (size_t)bins * tiles, bytes = sizeof(unsigned int);
  const DigitArrays arrays = {.digit = (unsigned int *)scratch_alloc(n * bytes),
                              .rank = (unsigned int *)scratch_alloc(n * bytes),
                              .hist = (unsigned int *)scratch_alloc(table * bytes),
                              .start = (unsigned int *)scratch_alloc((table + 1) * bytes),
                              .tiles = tiles,
                              .table = table};
  return arrays;
}

static inline void digit_arrays_free(DigitArrays arrays) {
  scratch_free(arrays.start);
  scratch_free(arrays.hist);
  scratch_free(arrays.rank);
  scratch_free(arrays.digit);
}

// digit[i] = bits `shift` and up of keys[i], under the mask.
//   shift 4, mask 0xf:  0x1234  ->  0x3
static __global__ void take_digit(const unsigned int *keys, unsigned int *digit, size_t n,
                                  int shift, unsigned int mask) {
  const size_t i = global_index();
  if (i < n) digit[i] = keys[i] >> shift & mask;
}

// Moves every element to the start of its tile's run of its digit, plus its rank in that run.
static __global__ void scatter(Pairs from, Pairs to, const unsigned int *digit,
                               const unsigned int *start, const unsigned int *rank, size_t n) {
  const size_t i = global_index();
  if (i >= n) return;
  move_pair(to, start[(size_t)digit[i] * gridDim.x + blockIdx.x] + rank[i], from, i);
}

#endif
