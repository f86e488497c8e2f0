// Host side of regions.cuh: choice of the shapes by n, and the launches.
#ifndef RADIX_V7_BY_REGIONS_CUH
#define RADIX_V7_BY_REGIONS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/regions.cuh"

enum { REGIONS_FROM = 100000, FEW_REGIONS_UP_TO = 2700000 };

typedef void MoveKernel(const unsigned int *, unsigned int *, unsigned int, Digit, Regions);
typedef void RegionKernel(const unsigned int *, unsigned int *, RegionState);

// A kernel move_to_regions<...> for n <= up_to.
typedef struct MoveShape {
  size_t up_to;
  unsigned int threads, tile, counters;
  size_t shared_bytes;
  MoveKernel *kernel;
} MoveShape;

#define MOVE_SHAPE(up_to, items)                                                            \
  {                                                                                         \
    up_to, 512, 512 * items, 512 * 4, sizeof(PartitionShared<512, items, 4, MOST_REGIONS>), \
        move_to_regions<512, items, 4, MOST_REGIONS, 2>                                     \
  }

static const MoveShape move_shapes[] = {MOVE_SHAPE(1500000, 16), MOVE_SHAPE(SIZE_MAX, 40)};

typedef BlockShape<RegionKernel> RegionShape;
static const RegionShape region_shapes[] = {BLOCK_SHAPES(sort_regions)};
enum { REGION_SHAPES = sizeof region_shapes / sizeof *region_shapes };

// Few keys take few regions: the room to spare grows with the root of a region's keys.
static int region_bits(size_t n) {
  return n <= FEW_REGIONS_UP_TO ? MOST_REGION_BITS - 1 : MOST_REGION_BITS;
}

// The shapes for n keys; false if none suits n or the device.
static bool plan_regions(size_t n, const MoveShape **move, const RegionShape **sort) {
  *sort = region_shapes;
  while (*sort < region_shapes + REGION_SHAPES &&
         (*sort)->capacity < region_room(n, region_bits(n)))
    ++*sort;
  *move = move_shapes;
  while (n > (*move)->up_to) ++*move;
  const size_t limit = dynamic_shared_limit();
  return n >= REGIONS_FROM && *sort < region_shapes + REGION_SHAPES &&
         (*sort)->shared_bytes <= limit && (*move)->shared_bytes <= limit;
}

// Sorts n keys from `in` to `out`: FITS. Else `in` is as it was: TOO_LARGE if the keys are not
// even, TO_COUNT if they may still suit by_buckets.cuh, TO_RANGE if that with *range. The host
// waits for that verdict, which comes before the last step. Takes `least` bytes of scratch memory,
// or more.
static unsigned int sort_by_regions(const unsigned int *in, unsigned int *out, size_t n,
                                    KeyRange *range, size_t least = 0) {
  const MoveShape *move;
  const RegionShape *sort;
  if (!plan_regions(n, &move, &sort)) return TO_COUNT;
  const int bits = region_bits(n);
  const unsigned int room = region_room(n, bits);
  const size_t regions = (size_t)1 << bits;
  const size_t bytes = (regions * (room + 1) + 2) * sizeof(unsigned int);
  unsigned int *const spare = (unsigned int *)scratch_alloc(bytes > least ? bytes : least);
  unsigned int *const next = spare + regions * room;
  unsigned int *const hopeless = next + regions, *const full = hopeless + 1;
  const unsigned int early = 2 * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  const RegionState state = {
      {room, next, hopeless, full, early}, bits, hopeless, fresh_host_verdict(n)};
  Digit digit = {32 - bits, (1u << bits) - 1, 0, 0};
  while (2u << (bits + digit.copy_bits) <= move->counters) digit.copy_bits++;
  allow_shared_memory(move->kernel, move->shared_bytes);
  allow_shared_memory(sort->kernel, sort->shared_bytes);
  stage_start("hist");
  look_at_sample<<<1, LOOK_THREADS>>>(in, n, state);
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  launch_overlapped(move->kernel, blocks_for(n, (int)move->tile), move->threads, move->shared_bytes,
                    in, spare, (unsigned int)n, digit, state.regions);
  launch_overlapped(sort->kernel, 1u << bits, sort->threads, sort->shared_bytes, spare, out, state);
  stage_stop();
  verdict_fits(state.host);
  *range = range_of(state.host);
  scratch_free(spare);
  return state.host->verdict;
}

#endif
