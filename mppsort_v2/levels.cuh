// The whole sort: level 0 partitions everything, each further level what was too large before.
#ifndef MPPSORT_V2_LEVELS_CUH
#define MPPSORT_V2_LEVELS_CUH

#include <stdlib.h>

#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "mppsort_v2/move.cuh"
#include "mppsort_v2/sort_group.cuh"

enum { FEW_FINE_BITS = 13, BLOCKS_PER_SM = 2 };

// Scratch memory for all segments; they use it one after the other.
typedef struct Workspace {
  Ranges ranges;
  unsigned int *table;
  LargeList list;
  Large *host_list;  // the large ones of the level in work
} Workspace;

static unsigned int *alloc_uints(size_t count) {
  return (unsigned int *)scratch_alloc(count * sizeof(unsigned int));
}

// Most groups of a segment: each stretch may begin one, and each fine range that is not joined to
// those before it.
static unsigned int most_groups(Segment segment) {
  const unsigned int stretch = stretch_of(segment.capacity);
  const unsigned int alone = segment.length / (segment.capacity - stretch);
  const unsigned int groups = segment.length / stretch + alone + 2;
  return min(groups, 1u << segment.fine_bits);
}

static unsigned int most_tiles(void) {
  return (unsigned int)(device_attribute(cudaDevAttrMultiProcessorCount) * BLOCKS_PER_SM);
}

static Tiles plan_tiles(Segment segment, unsigned int *table) {
  const unsigned int rounds = (segment.length - 1) / ROUND + 1, most = most_tiles();
  Tiles tiles = {0, (rounds + most - 1) / most * ROUND, most_groups(segment), table};
  tiles.count = (segment.length - 1) / tiles.size + 1;
  return tiles;
}

// fine_bits 0: enough that a fine range of uniform keys is a quarter of a group, from 13 on.
static Segment make_segment(unsigned int begin, unsigned int length, int fine_bits,
                            unsigned int capacity) {
  Segment segment = {begin, length, fine_bits, capacity};
  if (fine_bits == 0) {
    segment.fine_bits = FEW_FINE_BITS;
    while (segment.fine_bits < MOST_FINE_BITS && length >> segment.fine_bits > capacity / 4)
      segment.fine_bits++;
  }
  // Older GPUs have too little shared memory for the most.
  while (move_shared_bytes(1u << segment.fine_bits) > dynamic_shared_limit()) segment.fine_bits--;
  return segment;
}

static Workspace workspace_alloc(Segment all) {
  const size_t fine = (size_t)1 << all.fine_bits, large = all.length / all.capacity + 1;
  const Tiles tiles = plan_tiles(all, NULL);
  Workspace w = {};
  w.ranges.extremes = alloc_uints(2 + fine);
  w.ranges.fine_count = w.ranges.extremes + 2;
  w.ranges.groups = alloc_uints(fine + 2);
  w.ranges.group_start = w.ranges.groups + 1;
  w.ranges.group_of_fine = (unsigned short *)scratch_alloc(fine * sizeof(unsigned short));
  w.table = alloc_uints((size_t)tiles.count * tiles.pitch);
  w.list.count = alloc_uints(1);
  w.list.large = (Large *)scratch_alloc(large * sizeof(Large));
  w.host_list = (Large *)MEMORY_CHECK(malloc(large * sizeof(Large)));
  return w;
}

static void workspace_free(Workspace w) {
  free(w.host_list);
  scratch_free(w.list.large);
  scratch_free(w.list.count);
  scratch_free(w.table);
  scratch_free(w.ranges.group_of_fine);
  scratch_free(w.ranges.groups);
  scratch_free(w.ranges.extremes);
}

static Pairs behind(Pairs pairs, size_t begin) {
  const Pairs rest = {pairs.keys + begin, pairs.positions == NULL ? NULL : pairs.positions + begin};
  return rest;
}

// Partitions a segment of `from` to `to`, and sorts to `output` all groups that fit into a block.
template <bool PAIRS>
static void do_segment(Workspace w, Segment segment, Pairs from, Pairs to, Pairs output) {
  from = behind(from, segment.begin);
  to = behind(to, segment.begin);
  output = behind(output, segment.begin);
  const Ranges ranges = w.ranges;
  const Tiles tiles = plan_tiles(segment, w.table);
  const unsigned int fine = 1u << segment.fine_bits;
  const size_t fine_bytes = fine * sizeof(unsigned int);
  const size_t group_bytes = tiles.pitch * sizeof(unsigned int);
  allow_shared_memory(count_fine, fine_bytes);
  allow_shared_memory(count_groups, group_bytes);
  allow_shared_memory(move_to_groups<PAIRS>, move_shared_bytes(tiles.pitch));
  allow_shared_memory(sort_groups<PAIRS>, sort_shared_bytes(PAIRS));

  stage_start("ranges");
  CUDA_CHECK(cudaMemsetAsync(ranges.extremes, 0, 2 * sizeof(unsigned int) + fine_bytes, 0));
  launch_overlapped(find_extremes, tiles.count, RANGE_THREADS, 0, from.keys, segment.length,
                    ranges.extremes);
  launch_overlapped(count_fine, tiles.count, RANGE_THREADS, fine_bytes, from.keys, segment, ranges);
  launch_overlapped(join_ranges, 1, GROUP_THREADS, 0, segment, ranges, w.list);
  stage_stop();
  stage_start("move");
  launch_overlapped(count_groups, tiles.count, MOVE_THREADS, group_bytes, from.keys, segment,
                    ranges, tiles);
  enum { PLACE_THREADS = 64 };
  launch_overlapped(place_tiles, blocks_for(tiles.pitch, PLACE_THREADS), PLACE_THREADS, 0, ranges,
                    tiles);
  launch_overlapped(move_to_groups<PAIRS>, tiles.count, MOVE_THREADS,
                    move_shared_bytes(tiles.pitch), from, to, segment, ranges, tiles);
  stage_stop();
  stage_start("sort");
  launch_overlapped(sort_groups<PAIRS>, tiles.pitch, SORT_THREADS, sort_shared_bytes(PAIRS), to,
                    output, segment, (const unsigned int *)ranges.groups,
                    (const unsigned int *)ranges.group_start);
  stage_stop();
}

// Reads the list of large ones into w.host_list and returns their number.
static unsigned int read_list(Workspace w) {
  unsigned int count = 0;
  CUDA_CHECK(cudaMemcpy(&count, w.list.count, sizeof count, cudaMemcpyDeviceToHost));
  if (count > 0)
    CUDA_CHECK(
        cudaMemcpy(w.host_list, w.list.large, count * sizeof(Large), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemsetAsync(w.list.count, 0, sizeof count, 0));
  return count;
}

// Sorts n >= 1 elements from `input`, which is overwritten, to `output`. fine_bits: 1 to 15, or 0;
// capacity: most elements of a group, 64 to MOST_IN_GROUP.
template <bool PAIRS>
static void sort_by_ranges(Pairs input, Pairs output, unsigned int n, int fine_bits,
                           unsigned int capacity) {
  const Segment all = make_segment(0, n, fine_bits, capacity);
  if (n <= capacity) {
    stage_start("sort");
    allow_shared_memory(sort_groups<PAIRS>, sort_shared_bytes(PAIRS));
    launch_overlapped(sort_groups<PAIRS>, 1, SORT_THREADS, sort_shared_bytes(PAIRS), input, output,
                      all, (const unsigned int *)NULL, (const unsigned int *)NULL);
    stage_stop();
    return;
  }
  const Workspace w = workspace_alloc(all);
  CUDA_CHECK(cudaMemsetAsync(w.list.count, 0, sizeof(unsigned int), 0));
  Pairs from = input, to = output;
  do_segment<PAIRS>(w, all, from, to, output);
  for (unsigned int count = read_list(w); count > 0; count = read_list(w)) {
    for (unsigned int i = 0; i < count; i++) {
      const Large large = w.host_list[i];
      if (large.kind == PARTITION_AGAIN) {
        const Segment segment = make_segment(large.begin, large.length, fine_bits, capacity);
        do_segment<PAIRS>(w, segment, to, from, output);
      } else {
        const Pairs source = large.kind == MOVED_EQUAL ? to : from;
        copy_pairs(behind(output, large.begin), behind(source, large.begin), large.length);
      }
    }
    swap_pairs(&from, &to);
  }
  workspace_free(w);
}

#endif
