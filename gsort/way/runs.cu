// Pairs whose first bits are even: sorted tiles, and gathered runs (kernel/runs.cuh).
#include "gsort/kernel/runs.cuh"
#include "gsort/way/run_state.cuh"
#include "gsort/way/sweeps.cuh"

// A kernel of a plan, and its blocks.
typedef struct RunStep {
  Shape shape;
  void (*kernel)(Elements, RunState);
} RunStep;

#define TILES(threads, items, bits, blocks)                                \
  {                                                                        \
    SHAPE(threads, items, bits, blocks, TileShared<threads, items, bits>), \
        sort_tiles<threads, items, bits, blocks>                           \
  }
#define RUNS(threads, items, bin_bits, few, blocks)                  \
  {                                                                  \
    SHAPE(threads, items, bin_bits, blocks,                          \
          PairBlockShared<threads, items, bin_bits, PARTLY_BY_BIN>), \
        gather_runs<threads, items, bin_bits, few, blocks>           \
  }

// How pairs are sorted.
typedef struct RunPlan {
  RunStep tiles, runs;
} RunPlan;

// By size: the first that suits. Runs of some 16 pairs, so that they fill sectors, and tiles for
// all SMs.
static const RunPlan run_plans[] = {
    {TILES(256, 16, 8, 2), RUNS(256, 9, 9, 10, 4)},
    {TILES(512, 16, 9, 2), RUNS(256, 9, 9, 10, 4)},
    {TILES(256, 32, 9, 2), RUNS(256, 12, 9, 12, 4)},
    {TILES(256, 32, 9, 2), RUNS(256, 18, 10, 10, 4)},
    {TILES(512, 32, 10, 1), RUNS(256, 12, 9, 12, 4)},
    {TILES(512, 32, 10, 1), RUNS(256, 18, 10, 10, 4)},
    {TILES(512, 32, 10, 1), RUNS(512, 12, 11, 10, 2)},
    {TILES(512, 32, 10, 1), RUNS(512, 18, 11, 10, 2)},
};
// Instead of tiles of 10 bits, if they take fewer rounds.
static const RunStep large_tiles = TILES(512, 40, 10, 1);

static bool may_be_large(const RunPlan *plan) {
  return plan->tiles.shape.bits == large_tiles.shape.bits;
}

// How long tiles take of which an SM holds one at a time: as many rounds as needed.
static size_t length_of_rounds(const Call *call, const Shape &tiles) {
  return (size_t)parts_of(parts_of(call->n, tiles.elements), call->device->multiprocessors) *
         tiles.elements;
}

static const RunStep *tiles_of_plan(const Call *call, const RunPlan *plan) {
  const bool large =
      may_be_large(plan) && fits(call, large_tiles.shape) &&
      length_of_rounds(call, large_tiles.shape) < length_of_rounds(call, plan->tiles.shape);
  return large ? &large_tiles : &plan->tiles;
}

// Whether keys of `range` suit a plan: buckets fit, and tiles are few.
static bool plan_suits(const Call *call, KeyRange range, const RunPlan *plan) {
  const Shape &tiles = plan->tiles.shape, &runs = plan->runs.shape;
  return parts_of(call->n, tiles.elements) <= MOST_TILES &&
         equals_that_fit(call->n, range.density, tiles.bits, runs.elements) >= range.equals;
}

// NULL if n, or this device's shared memory, suits no plan.
static const RunPlan *plan_runs(const Call *call, KeyRange range) {
  for (const RunPlan &plan : run_plans)
    if (plan_suits(call, range, &plan))
      return fits(call, plan.tiles.shape) && fits(call, plan.runs.shape) ? &plan : NULL;
  return NULL;
}

// What lies in the workspace, and what sweeps need, which take it over if keys suit nothing else.
// Small tiles and their table are written while other blocks may already count for sweeps, so with
// a sample they must not overlap with what the count uses; large ones are written later
// (stop_after_samples).
typedef struct RunLayout {
  RunState state;
  size_t for_sweeps, bytes;
} RunLayout;

// Keys are sampled if nothing is known of them.
static RunLayout run_layout(const Call *call, KeyRange range, const Shape &tiles, char *workspace) {
  RunLayout layout = {run_state(call, tiles), 0, 0};
  RunState *const state = &layout.state;
  state->sampled = is_whole(range);
  const DigitMemory digits = all_digits(call, NULL);
  Pieces pieces = {workspace, 0};
  take_pairs(state, &pieces);
  if (state->sampled && state->tile <= SMALL_TILE) {
    layout.for_sweeps = state->tile * sizeof(uint2);  // as much as padding may be
    pieces.bytes = layout.for_sweeps + digits.counted_bytes;
  }
  take_table(state, &pieces);
  layout.bytes = greatest_of(pieces.bytes, layout.for_sweeps + digits.bytes);
  return layout;
}

static size_t runs_bytes(const Call *call, const KeyRange *range) {
  const RunPlan *const plan = plan_runs(call, *range);
  if (plan == NULL) return 0;
  const size_t bytes = run_layout(call, *range, plan->tiles.shape, NULL).bytes;
  if (!may_be_large(plan)) return bytes;  // else for either, so that fewer pairs need less
  return greatest_of(bytes, run_layout(call, *range, large_tiles.shape, NULL).bytes);
}

// What the host knows after a sort by runs in the plan `used`. If a bucket was too full, which a
// sample would have shown of more than its group, larger ones may do: once.
static Finding finding_of_runs(const Call *call, const RunPlan *used, Known *known) {
  const volatile KeyRange *const found = &call->host->range;
  const Finding finding = (Finding)call->host->finding;
  if (finding == IN_RANGE) known->range = {found->density, found->equals};
  if (finding != OVERFULL) return finding == STOPPED ? UNEVEN : finding;
  if (!is_whole(known->range)) return UNEVEN;
  const double room = (double)used->runs.shape.elements * (1 << used->tiles.shape.bits);
  known->range = {(float)(1.1 * room / (double)call->n), 4};
  return IN_RANGE;
}

// The host waits for what the samples, or at last the buckets, show. If the samples leave only
// sweeps, those sort the pairs here.
static Finding runs_run(Call *call, Known *known) {
  const KeyRange range = known->range;
  const RunPlan *const plan = plan_runs(call, range);
  const RunStep *const tiles = tiles_of_plan(call, plan), *const runs = &plan->runs;
  fresh_verdict(call);
  RunLayout layout = run_layout(call, range, tiles->shape, call->workspace);
  RunState &state = layout.state;
  char *const for_sweeps = call->workspace + layout.for_sweeps;
  if (state.sampled) {
    const unsigned int cluster = call->device->hopper ? 4 : 1;
    state.sweeps = all_digits(call, for_sweeps).state;
    launch_as(call, false, cluster, sample_pairs, PAIR_SAMPLES * cluster, SAMPLE_THREADS, 0,
              call->input.keys, runs->shape.elements, cluster, state);
  } else {
    clear_words(call, call->findings, CLEARED_BYTES);  // what the samples have found stays
  }
  launch_shape(call, tiles->shape, tiles->kernel, blocks_for(call, tiles->shape, state.tiles),
               call->input, state);
  launch_shape(call, runs->shape, runs->kernel, 1u << state.bits, call->output, state);
  if (call->no_host_wait) return sweep_if_unsorted(call, for_sweeps, state.sampled);
  const Finding finding = wait_for_finding(call, UNKNOWN);
  if (state.sampled && finding == UNEVEN) {
    sweep_all_digits(call, for_sweeps);
    return SORTED;
  }
  return finding_of_runs(call, plan, known);
}

extern "C" const Way way_runs = {"runs", runs_bytes, runs_run};
