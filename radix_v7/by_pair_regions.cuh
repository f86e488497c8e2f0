// Host side of pairs_regions.cuh: memory for the regions, and the launches.
#ifndef RADIX_V7_BY_PAIR_REGIONS_CUH
#define RADIX_V7_BY_PAIR_REGIONS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/pairs_regions.cuh"
#include "radix_v7/prefix_plans.cuh"

enum { LOOK_FROM = 2 * LOOK_THREADS * LOOK_EACH };

// The regions of both sweeps.
typedef struct RegionPlan {
  const PrefixPlan *prefix;
  const PairSweepShape *low_shape, *high_shape;
  SweepRegions low, high;
} RegionPlan;

// The plan for n pairs, but for its pointers; false if there is none. The knob prefixPlan, if not
// 0, decides.
static bool plan_pair_regions(size_t n, RegionPlan *plan) {
  const PrefixPlan *const prefix = plan_prefix(n);
  if (prefix == NULL || n < LOOK_FROM) return false;
  *plan = (RegionPlan){prefix, shape_for(prefix->low, n), shape_for(prefix->high, n), {}, {}};
  SweepRegions *const low = &plan->low, *const high = &plan->high;
  low->room = region_room(n, prefix->bits.low);
  low->sources = 1;
  low->tiles_of_source = blocks_for(n, (int)plan->low_shape->tile);
  high->room = region_room(n, prefix->bits.high);
  high->sources = 1u << prefix->bits.low;
  high->source_room = low->room;
  high->tiles_of_source = blocks_for(low->room, (int)plan->high_shape->tile);
  high->capacity = prefix->block->capacity;
  return true;
}

// The last index of packed pairs up to i at which a tile begins.
static size_t tile_up_to(const RegionPlan *plan, size_t i) {
  const size_t room = plan->low.room, tile = plan->high_shape->tile;
  return i / room * room + i % room / tile * tile;
}

// Cuts the packed pairs between two sweeps into pieces. Returns how many are in the last one, which
// lies behind `scratch`.
static size_t cut_region_halves(const RegionPlan *plan, PairBuffers *buffers, size_t n) {
  const size_t all = (size_t)plan->low.room << plan->prefix->bits.low;
  const size_t fit = hold_packed_pairs(buffers->output) ? n / 2 : 0, half = tile_up_to(plan, fit);
  const size_t behind = tile_up_to(plan, half + fit);
  buffers->halves.half = (unsigned int)half;
  buffers->halves.behind = (unsigned int)behind;
  return all - behind;
}

// The number of words that the first kernel clears: the `look_back` words of the look-back, and the
// starts of the first sweep, which the second sweep reads even if the first has moved nothing.
static size_t words_to_clear(const RegionPlan *plan, size_t look_back) {
  return (look_back + ((size_t)2 << plan->prefix->bits.low) + 3) / 4 * 4;
}

static size_t high_starts(const RegionPlan *plan) {
  return (((size_t)1 << plan->prefix->bits.low) + 1) << plan->prefix->bits.high;
}

// Bytes of what a PairRegionState and `plan` point to.
static size_t region_state_bytes(const RegionPlan *plan, size_t look_back) {
  const size_t high_bins = (size_t)1 << plan->prefix->bits.high;
  return (words_to_clear(plan, look_back) + high_starts(plan) + high_bins + 2) *
             sizeof(unsigned int) +
         sizeof(RegionFindings);
}

// The state for n pairs, and what `plan` points to. `memory` has region_state_bytes() bytes.
static PairRegionState region_state(RegionPlan *plan, size_t n, size_t look_back, void *memory) {
  unsigned int *const words = (unsigned int *)memory;
  const size_t cleared = words_to_clear(plan, look_back);
  PairRegionState state = {words, cleared, words + cleared, NULL, 0, fresh_host_verdict(n)};
  state.most_large = state.host->most;
  state.findings = (RegionFindings *)(state.tile_counter + 2);
  plan->low.findings = plan->high.findings = state.findings;
  plan->low.start = words + look_back;
  plan->high.source_start = plan->low.start;
  plan->high.start = (unsigned int *)(state.findings + 1);
  plan->high.base = plan->high.start + high_starts(plan);
  return state;
}

// Whether sort_pairs_by_regions() looks at a sample of n pairs, and for frequent values, too.
static inline bool regions_look(size_t n) {
  RegionPlan plan;
  return plan_pair_regions(n, &plan);
}

static void launch_look(const unsigned int *keys, size_t n, const RegionPlan *plan,
                        PairRegionState state) {
  const int bins_of_group = 1 << (plan->prefix->bits.high - LOOK_GROUP_BITS);
  const float room = (float)plan->high.room * (float)bins_of_group;
  const unsigned int second = second_blocks(n), third = may_be_frequent(n) ? 1 : 0,
                     looking = 1 + second + third,
                     most = (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount),
                     wanted = looking + blocks_for(state.look_back_size / 4, LOOK_THREADS),
                     blocks = wanted < most    ? wanted
                              : most > looking ? most
                                               : looking + 1;
  look_at_pairs<<<blocks, LOOK_THREADS>>>(keys, n, room, second, third, state);
  LAUNCH_CHECK();
}

// Sorts n pairs from input to output: FITS. Else the input is as it was: TOO_LARGE if the keys are
// not even, TO_COUNT if they may still suit by_prefix.cuh, TO_RANGE if that with *range. The host
// waits for the look's verdict while the first sweep runs, as uneven keys need nothing more; then
// for that on all keys, which comes before the last step.
static unsigned int sort_pairs_by_regions(Pairs input, Pairs output, size_t n, KeyRange *range) {
  RegionPlan plan;
  if (!plan_pair_regions(n, &plan)) return TO_COUNT;
  const PrefixPlan *const prefix = plan.prefix;
  const PrefixBits bits = prefix->bits;
  const int low_bits = 32 - bits.low - bits.high;
  const size_t look_back_low = (size_t)tiles_of(plan.low) << bits.low,
               look_back_high = (size_t)tiles_of(plan.high) << bits.high;
  PairBuffers buffers = {input, output, {}, {}};
  const size_t in_scratch = (size_t)plan.high.room << bits.high,
               rest = cut_region_halves(&plan, &buffers, n),
               pair_bytes = scratch_aligned((in_scratch + rest) * sizeof(uint2)),
               look_back = look_back_low + look_back_high;
  char *const memory =
      (char *)pair_scratch(pair_bytes + region_state_bytes(&plan, look_back), output, n);
  point_to_halves(&buffers, output, in_scratch, memory);
  const PairRegionState state = region_state(&plan, n, look_back, memory + pair_bytes);

  stage_start("hist");
  launch_look(input.keys, n, &plan, state);
  stage_stop();
  stage_start("sweep");
  const SweepRoute route = {NULL, 0, 2, true, state.host};
  PairSweep sweep = {low_bits, NULL, state.tile_counter, state.look_back, route, plan.low, false};
  launch_sweep(plan.low_shape, buffers, n, sweep);
  if (wait_for_verdict(state.host, UNKNOWN) == SEEMS_EVEN) {
    sweep.shift += bits.low;
    sweep.tile_counter++;
    sweep.look_back += look_back_low;
    sweep.route.pass = 1;
    sweep.regions = plan.high;
    launch_sweep(plan.high_shape, buffers, n, sweep);
    allow_shared_memory(prefix->block->by_regions, prefix->block->shared_bytes);
    launch_overlapped(prefix->block->by_regions, 1u << (bits.low + bits.high),
                      prefix->block->threads, prefix->block->shared_bytes, buffers.scratch.first,
                      output, plan.high, low_bits);
    wait_for_verdict(state.host, SEEMS_EVEN);
  }
  stage_stop();
  scratch_free(memory);
  return verdict_of_regions(state.host, range);
}

#endif
