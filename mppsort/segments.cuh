// The work of mppsort's kernels: segments of the array, and the lists that assign each block its
// part of a segment.
//
//   segments (1st level: one, the whole array)   [ segment 0                | segment 1     ]
//   each has tiles, a block each                 [ tile 0 | tile 1 | tile 2 | tile 3 | tile 4]
//   each has partitions, equal ranges of keys    p0 p1 .. p24               | p25 p26 .. p40
//   each has a matrix of counts, a cell for each of its tiles (rows) and partitions (columns)
#ifndef MPPSORT_SEGMENTS_CUH
#define MPPSORT_SEGMENTS_CUH

#include <stdint.h>

#include "common/pairs.cuh"

// How the work is divided; the same on all levels.
typedef struct Plan {
  unsigned int tile;            // elements per block of the histogram and the partition kernel
  unsigned int partition_size;  // elements per partition to aim at
  unsigned int most_partitions;
  unsigned int sort_size;  // a partition of more elements becomes a segment of the next level
} Plan;

// A stretch of the array whose keys are to be partitioned.
typedef struct Segment {
  unsigned int begin, length;
  unsigned int least, greatest;  // of its keys
  unsigned int partitions, tiles;
  unsigned int first_partition, first_tile, first_cell;  // indices of its first ones
} Segment;

// The size of a level: its number of segments, tiles, partitions and matrix cells.
typedef struct LevelSize {
  unsigned int segments, tiles, partitions, cells;
} LevelSize;

// The work of a level, in device memory.
typedef struct WorkList {
  Segment *segments;
  unsigned int *segment_of_tile;
} WorkList;

static __host__ __device__ __forceinline__ unsigned int ceil_div(unsigned int a, unsigned int b) {
  return a / b + (a % b != 0);
}

// Returns the size that a segment of `length` elements adds to its level.
static __host__ __device__ __forceinline__ LevelSize size_of_segment(unsigned int length,
                                                                     Plan plan) {
  const unsigned int wanted = ceil_div(length, plan.partition_size);
  const unsigned int tiles = ceil_div(length, plan.tile);
  const unsigned int partitions = wanted < plan.most_partitions ? wanted : plan.most_partitions;
  const LevelSize size = {1, tiles, partitions, tiles * partitions};
  return size;
}

// Writes a segment to a list. `at`: the size of the list before it.
static __device__ void put_segment(WorkList list, LevelSize at, unsigned int begin,
                                   unsigned int length, Plan plan) {
  const LevelSize size = size_of_segment(length, plan);
  const Segment segment = {begin,      length,        UINT32_MAX, 0,       size.partitions,
                           size.tiles, at.partitions, at.tiles,   at.cells};
  list.segments[at.segments] = segment;
  for (unsigned int t = 0; t < size.tiles; t++) list.segment_of_tile[at.tiles + t] = at.segments;
}

// Adds to a list from many threads, in any order.
static __device__ void add_segment(WorkList list, LevelSize *total, unsigned int begin,
                                   unsigned int length, Plan plan) {
  const LevelSize size = size_of_segment(length, plan);
  const LevelSize at = {
      atomicAdd(&total->segments, size.segments), atomicAdd(&total->tiles, size.tiles),
      atomicAdd(&total->partitions, size.partitions), atomicAdd(&total->cells, size.cells)};
  put_segment(list, at, begin, length, plan);
}

// The part of a segment that the calling block works on.
typedef struct Tile {
  unsigned int segment;        // its number
  unsigned int begin, length;  // in the array
  unsigned int first_cell;     // of its row in the matrix
} Tile;

static __device__ __forceinline__ Tile tile_of_block(WorkList list, Plan plan) {
  const unsigned int number = list.segment_of_tile[blockIdx.x];
  const Segment *const segment = &list.segments[number];
  const unsigned int row = blockIdx.x - segment->first_tile, before = row * plan.tile;
  const unsigned int rest = segment->length - before;
  const Tile tile = {number, segment->begin + before, rest < plan.tile ? rest : plan.tile,
                     segment->first_cell + row * segment->partitions};
  return tile;
}

// Ranges of equal width from a segment's least key to its greatest:
//   partition of a key = (key - least) * partitions / (greatest - least + 1)
// The quotient partitions / (..) is computed once per block, as a fixed-point number with 52 bits
// of fraction. The product fits into 64 bits, because it is less than partitions * 2^52.
//   least 10, greatest 19, 3 partitions: 10 11 12 13 | 14 15 16 | 17 18 19
typedef struct Ranges {
  unsigned int least;
  uint64_t scale;
} Ranges;

static __device__ __forceinline__ Ranges ranges_of(const Segment *segment) {
  const uint64_t keys = (uint64_t)segment->greatest - segment->least + 1;
  const Ranges ranges = {segment->least, ((uint64_t)segment->partitions << 52) / keys};
  return ranges;
}

static __device__ __forceinline__ unsigned int partition_of(unsigned int key, Ranges ranges) {
  return (unsigned int)((key - ranges.least) * ranges.scale >> 52);
}

#endif
