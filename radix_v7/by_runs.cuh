// Host side of runs.cuh: which tiles and blocks for how many pairs, and the launches.
#ifndef RADIX_V7_BY_RUNS_CUH
#define RADIX_V7_BY_RUNS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/gather_runs.cuh"
#include "radix_v7/sort_tiles.cuh"

typedef void TileKernel(Pairs, RunState, KeyRange);
typedef void RunKernel(Pairs, RunState, KeyRange);

// A kernel sort_tiles<...>: bits of its digit, threads, pairs of a tile, blocks of an SM.
typedef struct TileShape {
  int bits;
  unsigned int threads, tile, blocks_per_sm;
  size_t shared_bytes;
  TileKernel *kernel;
} TileShape;

#define TILE_SHAPE(threads, items, bits, blocks)                                     \
  {                                                                                  \
    bits, threads, threads *items, blocks, sizeof(TileShared<threads, items, bits>), \
        sort_tiles<threads, items, bits, blocks>                                     \
  }

// A kernel sort_runs<...>, and the most pairs of its bucket.
typedef struct RunShape {
  unsigned int threads, capacity;
  int bin_bits;
  size_t shared_bytes;
  RunKernel *kernel;
} RunShape;

#define RUN_SHAPE(threads, items, bin_bits, few, blocks)                  \
  {                                                                       \
    threads, threads *items, bin_bits,                                    \
        sizeof(PairBlockShared<threads, items, bin_bits, PARTLY_BY_BIN>), \
        sort_runs<threads, items, bin_bits, few, blocks>                  \
  }

// Runs of some 16 pairs, so that they fill sectors, and tiles for all SMs.
static const TileShape tiles_8 = TILE_SHAPE(256, 16, 8, 2),
                       small_tiles_9 = TILE_SHAPE(512, 16, 9, 2),
                       tiles_9 = TILE_SHAPE(256, 32, 9, 2), tiles_10 = TILE_SHAPE(512, 32, 10, 1),
                       large_tiles_10 = TILE_SHAPE(512, 40, 10, 1);
static const RunShape runs_256x9 = RUN_SHAPE(256, 9, 9, 10, 4),
                      runs_256x12 = RUN_SHAPE(256, 12, 9, 12, 4),
                      runs_256x18 = RUN_SHAPE(256, 18, 10, 10, 4),
                      runs_512x12 = RUN_SHAPE(512, 12, 11, 10, 2),
                      runs_512x18 = RUN_SHAPE(512, 18, 11, 10, 2);

// How pairs are sorted.
typedef struct RunPlan {
  const TileShape *tiles, *large_tiles;  // large_tiles: NULL, or if they take fewer rounds
  const RunShape *runs;
} RunPlan;

// By size.
static const RunPlan run_plans[] = {
    {&tiles_8, NULL, &runs_256x9},
    {&small_tiles_9, NULL, &runs_256x9},
    {&tiles_9, NULL, &runs_256x12},
    {&tiles_9, NULL, &runs_256x18},
    {&tiles_10, &large_tiles_10, &runs_256x12},
    {&tiles_10, &large_tiles_10, &runs_256x18},
    {&tiles_10, &large_tiles_10, &runs_512x12},
    {&tiles_10, &large_tiles_10, &runs_512x18},
};
enum { RUN_PLANS = sizeof run_plans / sizeof *run_plans };

static unsigned int sm_count(void) {
  return (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
}

// How long tiles take of which an SM holds one at a time: as many rounds as needed.
static size_t length_of_rounds(size_t n, const TileShape *tiles) {
  const unsigned int count = blocks_for(n, (int)tiles->tile), sms = sm_count();
  return (size_t)((count + sms - 1) / sms) * tiles->tile;
}

static const TileShape *tiles_of_plan(const RunPlan *plan, size_t n) {
  const bool fits =
      plan->large_tiles != NULL && plan->large_tiles->shared_bytes <= dynamic_shared_limit();
  return fits && length_of_rounds(n, plan->large_tiles) < length_of_rounds(n, plan->tiles)
             ? plan->large_tiles
             : plan->tiles;
}

// Whether n keys of `range` suit a plan: buckets fit, keys have enough bits, and tiles are few.
static inline bool runs_suit(size_t n, KeyRange range, const RunPlan *plan) {
  const int bits = plan->tiles->bits;
  return bits + plan->runs->bin_bits <= 32 - range.skip &&
         blocks_for(n, (int)plan->tiles->tile) <= MOST_TILES &&
         pair_buckets_fit(n, range, bits, plan->runs->capacity);
}

// NULL if n, or this device's shared memory, suits no plan. The knob runPlan, if not 0, decides.
static inline const RunPlan *plan_runs(size_t n, KeyRange range = WHOLE_RANGE) {
  const int wanted = knob("runPlan");
  const size_t limit = dynamic_shared_limit();
  for (int i = 0; i < RUN_PLANS; i++) {
    const RunPlan *const plan = &run_plans[i];
    if (wanted != 0 && wanted != i + 1) continue;
    if (!runs_suit(n, range, plan)) continue;
    return plan->tiles->shared_bytes <= limit && plan->runs->shared_bytes <= limit ? plan : NULL;
  }
  return NULL;
}

// The memory of one sort: the sorted tiles, and the table, behind which `start` lies.
static size_t run_pair_bytes(const RunState *state) {
  return scratch_aligned((size_t)state->tiles * state->tile * sizeof(uint2));
}

static size_t run_table_bytes(const RunState *state) {
  const size_t bins = (size_t)1 << state->bits;
  return state->tiles * bins * sizeof(unsigned short) + (bins + 1) * sizeof(unsigned int);
}

static void point_run_state(RunState *state, void *pairs, void *table) {
  const size_t bins = (size_t)1 << state->bits;
  state->pairs = (uint2 *)pairs;
  state->first = (unsigned short *)table;
  state->start = (unsigned int *)(state->first + state->tiles * bins);
}

// Where the parts of that memory lie, and what sweeps need, which take it over if keys suit nothing
// else. Small tiles and their table are written while other blocks may already count for sweeps, so
// after a look they must not overlap with what the count uses; large ones are not
// (stop_after_look).
typedef struct RunLayout {
  size_t for_sweeps, table, seen, bytes;
} RunLayout;

static RunLayout run_layout(const RunState *state, Pairs output, bool looked_at) {
  const size_t n = state->n, pair_bytes = run_pair_bytes(state),
               sweeps = all_digits_bytes(output, n),
               counted = sweeps - unused_before_sweeps(output, n);
  const bool apart = looked_at && state->tile <= SMALL_TILE;
  RunLayout layout;
  layout.for_sweeps = apart ? scratch_aligned(pair_bytes - n * sizeof(uint2)) : 0;
  layout.table = apart ? layout.for_sweeps + scratch_aligned(counted) : pair_bytes;
  const size_t sweeps_end = layout.for_sweeps + scratch_aligned(sweeps),
               table_end = layout.table + scratch_aligned(run_table_bytes(state));
  layout.seen = table_end > sweeps_end ? table_end : sweeps_end;
  layout.bytes = layout.seen + 2 * sizeof(unsigned int);
  return layout;
}

// Takes the large buckets out to `spare`, which has room for all.
static void unpack_large_runs(const RunState &state, Pairs spare) {
  stage_start("sweep");
  for (unsigned int i = 0; i < state.host->large; i++) {
    const size_t at = unpacked_at(state.host, i);
    unpack_runs<<<state.tiles, UNPACK_THREADS>>>(state, state.host->bucket[i].begin,
                                                 {spare.keys + at, spare.positions + at});
    LAUNCH_CHECK();
  }
  stage_stop();
}

// Sorts n pairs from input to output by `plan`: FITS. Else the input is as it was: FEW_VALUES,
// TO_RANGE with *found, or TOO_LARGE. range: what is known of the keys; they are sampled if that is
// nothing, and if the sample leaves only sweeps, those sort them. The host waits for that verdict,
// which comes before the last step.
static unsigned int sort_pairs_by_run_plan(const RunPlan *plan, Pairs input, Pairs output, size_t n,
                                           KeyRange range, KeyRange *found) {
  const TileShape *const tiles = tiles_of_plan(plan, n);
  const RunShape *const runs = plan->runs;
  RunState state = {};
  state.n = (unsigned int)n;
  state.tile = tiles->tile;
  state.tiles = blocks_for(n, (int)tiles->tile);
  state.bits = tiles->bits;
  state.host = fresh_host_verdict(n);
  state.most_large = state.host->most;
  const bool look = is_whole(range);
  const RunLayout layout = run_layout(&state, output, look);
  char *const memory = (char *)scratch_alloc(layout.bytes), *const for_sweeps =
                                                                memory + layout.for_sweeps;
  point_run_state(&state, memory, memory + layout.table);

  stage_start("hist");
  if (look) {
    state.seen = (unsigned int *)(memory + layout.seen);
    state.sweeps = all_digits_state(output, n, for_sweeps);
    look_at_runs<<<LOOKS * LOADING_BLOCKS, LOOK_THREADS>>>(input.keys, runs->capacity, state);
    LAUNCH_CHECK();
  }
  stage_stop();
  stage_start("sweep");
  allow_shared_memory(tiles->kernel, tiles->shared_bytes);
  allow_shared_memory(runs->kernel, runs->shared_bytes);
  const unsigned int most = tiles->blocks_per_sm * sm_count();
  launch_overlapped(tiles->kernel, state.tiles < most ? state.tiles : most, tiles->threads,
                    tiles->shared_bytes, input, state, range);
  launch_overlapped(runs->kernel, 1u << tiles->bits, runs->threads, runs->shared_bytes, output,
                    state, range);
  stage_stop();
  // With TO_COUNT, a few values are frequent: tiles are sorted all the same, and show how many.
  if (wait_for_verdict(state.host, UNKNOWN) == TO_COUNT) wait_for_verdict(state.host, TO_COUNT);
  if (state.host->verdict == FITS && state.host->large > 0) {
    unpack_large_runs(state, input);
    sort_large_pairs(state.host, input, output, memory);
  }
  const bool counted = look && state.host->verdict == TOO_LARGE;
  if (counted) sweep_all_digits(input, output, n, for_sweeps);
  scratch_free(memory);
  return counted ? (unsigned int)FITS : verdict_of_regions(state.host, found);
}

// The same by the plan for n keys of `range`; TO_COUNT if there is none.
static inline unsigned int sort_pairs_by_runs(Pairs input, Pairs output, size_t n, KeyRange range,
                                              KeyRange *found) {
  const RunPlan *const plan = plan_runs(n, range);
  if (plan == NULL) return TO_COUNT;
  return sort_pairs_by_run_plan(plan, input, output, n, range, found);
}

#endif
