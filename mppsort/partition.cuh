// Kernels 1 to 4 of mppsort: they move every element to the partition of its range of keys.
//
//   2 tiles    [17 10 14 19 | 12 11 16 13]     least key 10, greatest 19, 3 partitions:
//   matrix     1 1 2                           10 .. 13, 14 .. 16, 17 .. 19
//              3 1 0
//   histogram  4 2 2    scanned: 0 4 6
//   matrix     0 4 6    scanned downwards from there
//              1 5 8
//   moved      [10 12 11 13 | 14 16 | 17 19]   (inside a partition in any order)
#ifndef MPPSORT_PARTITION_CUH
#define MPPSORT_PARTITION_CUH

#include "common/pairs.cuh"
#include "gsort/block/scan.cuh"
#include "mppsort/segments.cuh"

// ---- kernel 1: histogram ------------------------------------------------------------------------

// Finds every segment's least and greatest key.
static __global__ void find_range(WorkList list, Plan plan, const unsigned int *keys) {
  __shared__ unsigned int block_least, block_greatest;
  const Tile tile = tile_of_block(list, plan);
  if (threadIdx.x == 0) {
    block_least = UINT32_MAX;
    block_greatest = 0;
  }
  __syncthreads();
  unsigned int least = UINT32_MAX, greatest = 0;
  for (unsigned int i = threadIdx.x; i < tile.length; i += blockDim.x) {
    const unsigned int key = keys[tile.begin + i];
    least = min(least, key);
    greatest = max(greatest, key);
  }
  least = warp_min(least, warp_mask());
  greatest = ~warp_min(~greatest, warp_mask());
  if (threadIdx.x % WARP_SIZE == 0) {
    atomicMin(&block_least, least);
    atomicMax(&block_greatest, greatest);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  atomicMin(&list.segments[tile.segment].least, block_least);
  atomicMax(&list.segments[tile.segment].greatest, block_greatest);
}

// Counts the elements of each partition: in the tile, for the tile's row of the matrix, and in the
// segment. A segment of equal keys is in order: its counts stay 0, and it is not partitioned.
static __global__ void count_partitions(WorkList list, Plan plan, const unsigned int *keys,
                                        unsigned int *hist, unsigned int *matrix) {
  extern __shared__ unsigned int count[];  // one per partition
  const Tile tile = tile_of_block(list, plan);
  const Segment *const segment = &list.segments[tile.segment];
  if (segment->least == segment->greatest) return;
  const unsigned int partitions = segment->partitions;
  const Ranges ranges = ranges_of(segment);
  for (unsigned int p = threadIdx.x; p < partitions; p += blockDim.x) count[p] = 0;
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < tile.length; i += blockDim.x)
    atomicAdd(&count[partition_of(keys[tile.begin + i], ranges)], 1u);
  __syncthreads();
  for (unsigned int p = threadIdx.x; p < partitions; p += blockDim.x) {
    matrix[tile.first_cell + p] = count[p];
    if (count[p] > 0) atomicAdd(&hist[segment->first_partition + p], count[p]);
  }
}

// ---- kernel 2: scan of the histogram ------------------------------------------------------------

// A block per segment, a thread per partition: where in the array each partition starts. Partitions
// too large to sort go to the next level.
//   hist  [3 1 0 2], segment that begins at 10  ->  start [10 13 14 14]
static __global__ void scan_histogram(WorkList list, Plan plan, const unsigned int *hist,
                                      unsigned int *start, unsigned int *segment_of_partition,
                                      WorkList next, LevelSize *next_size) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  const Segment segment = list.segments[blockIdx.x];
  const unsigned int partition = segment.first_partition + threadIdx.x;
  const bool exists = threadIdx.x < segment.partitions;
  const unsigned int length = exists ? hist[partition] : 0;
  const unsigned int end = segment.begin + block_inclusive_scan(length, warp_sums);
  if (!exists) return;
  start[partition] = end - length;
  segment_of_partition[partition] = blockIdx.x;
  if (length > plan.sort_size) add_segment(next, next_size, end - length, length, plan);
}

// ---- kernel 3: vertical scan of the matrix ------------------------------------------------------

// A warp per partition: replaces each tile's count in its column by the place of the first of them.
//   column [2 0 1], start 13  ->  [13 15 15]
static __global__ void scan_vertically(WorkList list, const unsigned int *hist,
                                       const unsigned int *start,
                                       const unsigned int *segment_of_partition,
                                       unsigned int *matrix, unsigned int partitions) {
  const size_t partition = global_index() / WARP_SIZE;
  if (partition >= partitions || hist[partition] == 0) return;
  const Segment *const segment = &list.segments[segment_of_partition[partition]];
  const unsigned int columns = segment->partitions, rows = segment->tiles;
  const unsigned int column = (unsigned int)partition - segment->first_partition;
  unsigned int *const cells = matrix + segment->first_cell + column;
  unsigned int before = start[partition];
  for (unsigned int first = 0; first < rows; first += WARP_SIZE) {
    const unsigned int row = first + threadIdx.x % WARP_SIZE;
    const unsigned int count = row < rows ? cells[row * columns] : 0;
    const unsigned int scanned = warp_inclusive_scan(count);
    if (row < rows) cells[row * columns] = before + scanned - count;
    before += __shfl_sync(0xffffffffu, scanned, WARP_SIZE - 1);
  }
}

// ---- kernel 4: partition ------------------------------------------------------------------------

// Moves every element to its partition; equal keys go to the output as they are.
static __global__ void move_to_partitions(WorkList list, Plan plan, Pairs from, Pairs to,
                                          const unsigned int *matrix, bool to_is_output) {
  extern __shared__ unsigned int next_place[];  // one per partition
  const Tile tile = tile_of_block(list, plan);
  const Segment *const segment = &list.segments[tile.segment];
  if (segment->least == segment->greatest) {  // if `to` is not the output, `from` is
    for (unsigned int i = threadIdx.x; to_is_output && i < tile.length; i += blockDim.x)
      move_pair(to, tile.begin + i, from, tile.begin + i);
    return;
  }
  const Ranges ranges = ranges_of(segment);
  for (unsigned int p = threadIdx.x; p < segment->partitions; p += blockDim.x)
    next_place[p] = matrix[tile.first_cell + p];
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < tile.length; i += blockDim.x) {
    const unsigned int partition = partition_of(from.keys[tile.begin + i], ranges);
    move_pair(to, atomicAdd(&next_place[partition], 1u), from, tile.begin + i);
  }
}

#endif
