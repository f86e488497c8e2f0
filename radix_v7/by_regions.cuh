// Host side of regions.cuh: choice of the shapes by n, and the launches.
//
//   one step:    in -move-> regions in scratch memory -sort-> out
//   two steps:   in -move-> parts in `out` and behind the regions -split-> regions in scratch
//                memory -sort-> out
#ifndef RADIX_V7_BY_REGIONS_CUH
#define RADIX_V7_BY_REGIONS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v7/bucket_shapes.cuh"

enum { REGIONS_FROM = 100000, FEW_REGIONS_UP_TO = 2700000 };

typedef void MoveKernel(const unsigned int *, unsigned int *, unsigned int, Digit, Regions,
                        SweepState);
typedef void SplitKernel(const unsigned int *, unsigned int *, unsigned int, Digit, Regions,
                         Regions);

// A kernel move_to_regions<...> or split_parts<...>, and its blocks.
template <class Kernel>
struct StepShape {
  unsigned int threads, tile, counters;
  size_t shared_bytes;
  Kernel *kernel;
};
typedef StepShape<MoveKernel> MoveShape;
typedef StepShape<SplitKernel> SplitShape;

#define STEP_SHAPE(kernel, threads, items, each, max_bins, ...)  \
  {                                                              \
    threads, threads *items, threads *each,                      \
        sizeof(PartitionShared<threads, items, each, max_bins>), \
        kernel<threads, items, each, max_bins, __VA_ARGS__>      \
  }

// A single step, with small tiles where there are few keys for all multiprocessors; the first of
// two steps; the second, for less than 256 regions of a part and for 256, as in by_buckets.cuh.
static const MoveShape small_moves =
                           STEP_SHAPE(move_to_regions, 512, 16, 4, MOST_REGIONS, 2, REGIONS),
                       large_moves =
                           STEP_SHAPE(move_to_regions, 512, 40, 4, MOST_REGIONS, 2, REGIONS),
                       moves_to_parts =
                           STEP_SHAPE(move_to_regions, 512, 40, 4, MAX_PARTS, 2, REGIONS_IN_PIECES);
static const SplitShape splits = STEP_SHAPE(split_parts, 256, 44, 8, MAX_PARTS, 3),
                        splits_to_256 = STEP_SHAPE(split_parts, 512, 32, 4, MAX_PARTS, 2);
enum { SMALL_MOVES_UP_TO = 1500000 };

// How n keys are sorted.
typedef struct KeyRegionPlan {
  BucketBits bits;               // second: 0 if there is one step
  unsigned int part_room, room;  // of the regions of the two steps
  const MoveShape *move;
  const SplitShape *split;  // NULL if there is one step
  const BucketShape *sort;
} KeyRegionPlan;

// The smallest blocks for 2^bits buckets of n keys; NULL if none is large enough, or if twice as
// many buckets for blocks half as large are faster than those of which an SM holds three.
static const BucketShape *blocks_of_regions(size_t n, int bits) {
  const bool more_are_faster = bits > MOST_REGION_BITS && bits < MAX_BUCKET_BITS - 1;
  const int shapes = more_are_faster ? SHAPES_OF_FOUR : shapes_for(bits);
  for (int i = 0; i < shapes; i++)
    if (bucket_shapes[i].capacity >= region_room(n, bits)) return &bucket_shapes[i];
  return NULL;
}

// The plan for n keys and 2^(first + second) buckets; false if it does not suit n or the device.
static bool plan_region_bits(size_t n, BucketBits bits, KeyRegionPlan *plan) {
  const bool two_steps = bits.second > 0;
  const int all_bits = bits.first + bits.second;
  plan->bits = bits;
  plan->part_room = two_steps ? region_room(n, bits.first) : 0;
  plan->room = region_room(n, all_bits);
  plan->move = two_steps ? &moves_to_parts : n <= SMALL_MOVES_UP_TO ? &small_moves : &large_moves;
  plan->split = !two_steps ? NULL : bits.second < 8 ? &splits : &splits_to_256;
  plan->sort = blocks_of_regions(n, all_bits);
  const size_t limit = dynamic_shared_limit();
  return n >= REGIONS_FROM && plan->sort != NULL && plan->sort->shared_bytes <= limit &&
         plan->move->shared_bytes <= limit && (!two_steps || plan->split->shared_bytes <= limit);
}

// As few buckets as fit, but 1,024 at least, or 512 for few keys: these have fewer regions, as the
// room to spare grows with the root of a region's keys. False if no plan suits n or the device.
static bool plan_key_regions(size_t n, KeyRegionPlan *plan) {
  int bits = n <= FEW_REGIONS_UP_TO ? MOST_REGION_BITS - 1 : MOST_REGION_BITS;
  while (bits < MAX_BUCKET_BITS && blocks_of_regions(n, bits) == NULL) bits++;
  const int first = bits <= MOST_REGION_BITS ? bits : (bits + 1) / 2;
  return plan_region_bits(n, {first, bits - first}, plan);
}

static Digit region_digit(int shift, int bits, unsigned int counters) {
  Digit digit = {shift, (1u << bits) - 1, 0, 0};
  while (digit.copy_bits < 5 && 2u << (bits + digit.copy_bits) <= counters) digit.copy_bits++;
  return digit;
}

// The words of a sort's scratch memory: the regions of the buckets, the parts that have no room in
// `out`, where the next key of each goes; or all that sweeps need. Behind it two verdicts, a flag.
typedef struct KeyRegionLayout {
  size_t buckets, parts;  // parts: 0 if there is one step
  size_t split;           // key i of the parts lies in `out` if i < split, else behind the regions
  size_t region_words, behind_words, words;  // words: before the verdicts
  size_t bytes;                              // all together
} KeyRegionLayout;

static KeyRegionLayout key_region_layout(size_t n, const KeyRegionPlan *plan) {
  const bool two_steps = plan->bits.second > 0;
  KeyRegionLayout layout = {};
  layout.buckets = (size_t)1 << (plan->bits.first + plan->bits.second);
  layout.region_words = layout.buckets * plan->room;
  if (two_steps) {
    layout.parts = (size_t)1 << plan->bits.first;
    layout.split = n / plan->part_room * plan->part_room;  // whole parts
    layout.behind_words = layout.parts * plan->part_room - layout.split;
  }
  layout.words = layout.region_words + layout.behind_words + layout.buckets + layout.parts;
  const size_t for_sweeps = sweeps_bytes(n, false) / sizeof(unsigned int);
  if (layout.words < for_sweeps) layout.words = for_sweeps;
  layout.bytes = (layout.words + 3) * sizeof(unsigned int);
  return layout;
}

// `memory` has layout.bytes bytes.
static RegionState key_region_state(size_t n, const KeyRegionPlan *plan, KeyRegionLayout layout,
                                    int most_skip, unsigned int *memory) {
  unsigned int *const behind = memory + layout.region_words,
                      *const next = behind + layout.behind_words,
                      *const next_of_part = next + layout.buckets,
                      *const hopeless = memory + layout.words, *const full = hopeless + 2;
  const unsigned int early = 2 * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  RegionState state = {};
  state.bits = plan->bits;
  state.hopeless = hopeless;
  state.host = fresh_host_verdict(n);
  state.most_large = state.host->most;
  state.most_skip = most_skip;
  state.regions = {plan->room, next, hopeless, full, early, 0, 0, NULL};
  if (layout.parts > 0)
    state.parts = {
        plan->part_room,      next_of_part, hopeless, full, early, 0, (unsigned int)layout.split,
        behind - layout.split};
  return state;
}

// The second step: from `parts`, and those behind them, to `regions`.
static void launch_split(const KeyRegionPlan *plan, const unsigned int *parts,
                         unsigned int *regions, RegionState state) {
  const SplitShape *const split = plan->split;
  const BucketBits bits = plan->bits;
  const unsigned int tiles_of_part = blocks_for(plan->part_room, (int)split->tile);
  allow_shared_memory(split->kernel, split->shared_bytes);
  launch_overlapped(split->kernel, tiles_of_part << bits.first, split->threads, split->shared_bytes,
                    parts, regions, tiles_of_part,
                    region_digit(32 - bits.first - bits.second, bits.second, split->counters),
                    state.parts, state.regions);
}

// Sorts n keys from `in` to `out` by `plan`, or by sweeps if a sample leaves only these and keys
// are few: FITS. Else `in` is as it was: TOO_LARGE if the keys are not even, TO_COUNT if they may
// still suit by_buckets.cuh, TO_RANGE if that with *range. The host waits for that verdict, which
// comes before the last step; and, if there are two steps, for the sample's while the first one
// runs, as uneven keys need no second. most_skip: no TO_RANGE if keys share more first bits.
static unsigned int sort_by_region_plan(const KeyRegionPlan *plan, unsigned int *in,
                                        unsigned int *out, size_t n, KeyRange *range,
                                        int most_skip = ANY_SKIP) {
  const BucketBits bits = plan->bits;
  const MoveShape *const move = plan->move;
  const BucketShape *const sort = plan->sort;
  const bool two_steps = bits.second > 0;
  const KeyRegionLayout layout = key_region_layout(n, plan);
  unsigned int *const spare = (unsigned int *)scratch_alloc(layout.bytes);
  // Blocks that count instead of moving keys have to be few.
  enum { COUNTED_TILES = 400 };
  const unsigned int tiles = blocks_for(n, (int)move->tile);
  const bool counts = !two_steps && tiles <= COUNTED_TILES;
  const RegionState state = key_region_state(n, plan, layout, most_skip, spare);
  allow_shared_memory(move->kernel, move->shared_bytes);
  allow_shared_memory(sort->by_regions, sort->shared_bytes);
  stage_start("hist");
  if (n < SECOND_BLOCKS_FROM)
    look_at_sample<true><<<LOOKS * LOADING_BLOCKS, LOOK_THREADS>>>(in, n, state);
  else
    look_at_sample<false><<<1 + second_blocks(n), LOOK_THREADS>>>(in, n, state);
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  launch_overlapped(move->kernel, tiles, move->threads, move->shared_bytes, in,
                    two_steps ? out : spare, (unsigned int)n,
                    region_digit(32 - bits.first, bits.first, move->counters),
                    two_steps ? state.parts : state.regions,
                    counts ? sweep_state(n, false, spare) : SweepState());
  const bool even = !two_steps || wait_for_verdict(state.host, UNKNOWN) == SEEMS_EVEN;
  if (even) {
    if (two_steps) launch_split(plan, out, spare, state);
    launch_overlapped(sort->by_regions, 1u << (bits.first + bits.second), sort->threads,
                      sort->shared_bytes, (const unsigned int *)spare, out, state);
  }
  stage_stop();
  if (even) wait_for_verdict(state.host, two_steps ? SEEMS_EVEN : UNKNOWN);
  const bool counted = counts && state.host->verdict == TOO_LARGE;
  if (counted) sweep_all({in, NULL}, {out, NULL}, n, spare);
  scratch_free(spare);
  return counted ? (unsigned int)FITS : verdict_of_regions(state.host, range);
}

// The same by the plan for n; TO_COUNT if there is none.
static unsigned int sort_by_regions(unsigned int *in, unsigned int *out, size_t n, KeyRange *range,
                                    int most_skip = ANY_SKIP) {
  KeyRegionPlan plan;
  if (!plan_key_regions(n, &plan)) return TO_COUNT;
  return sort_by_region_plan(&plan, in, out, n, range, most_skip);
}

#endif
