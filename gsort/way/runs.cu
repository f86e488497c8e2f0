// Pairs whose first bits are even: sorted tiles, and gathered runs (block/runs.cuh).
#include "gsort/kernel/gather_runs.cuh"
#include "gsort/kernel/sample_pairs.cuh"
#include "gsort/kernel/sort_tiles.cuh"
#include "gsort/way/run_state.cuh"

// A kernel sort_tiles<...>: bits of its digit, threads, pairs of a tile, blocks of an SM.
typedef struct TileShape {
  int bits;
  unsigned int threads, tile, blocks_per_sm;
  size_t shared_bytes;
  void (*kernel)(Elements, RunState, KeyRange);
} TileShape;

#define TILE_SHAPE(threads, items, bits, blocks)                                     \
  {                                                                                  \
    bits, threads, threads *items, blocks, sizeof(TileShared<threads, items, bits>), \
        sort_tiles<threads, items, bits, blocks>                                     \
  }

// A kernel gather_runs<...>, and the most pairs of its bucket.
typedef struct RunShape {
  unsigned int threads, capacity;
  int bin_bits;
  size_t shared_bytes;
  void (*kernel)(Elements, RunState, KeyRange);
} RunShape;

#define RUN_SHAPE(threads, items, bin_bits, few, blocks)                  \
  {                                                                       \
    threads, threads *items, bin_bits,                                    \
        sizeof(PairBlockShared<threads, items, bin_bits, PARTLY_BY_BIN>), \
        gather_runs<threads, items, bin_bits, few, blocks>                \
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

// By size: the first that suits.
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

// How long tiles take of which an SM holds one at a time: as many rounds as needed.
static size_t length_of_rounds(const Call *call, const TileShape *tiles) {
  return (size_t)parts_of(parts_of(call->n, tiles->tile), call->device->multiprocessors) *
         tiles->tile;
}

static const TileShape *tiles_of_plan(const Call *call, const RunPlan *plan) {
  const bool fits =
      plan->large_tiles != NULL && plan->large_tiles->shared_bytes <= call->device->shared_limit;
  return fits && length_of_rounds(call, plan->large_tiles) < length_of_rounds(call, plan->tiles)
             ? plan->large_tiles
             : plan->tiles;
}

// Whether keys of `range` suit a plan: buckets fit, keys have enough bits, and tiles are few.
static bool plan_suits(const Call *call, KeyRange range, const RunPlan *plan) {
  const int bits = plan->tiles->bits;
  return bits + plan->runs->bin_bits <= 32 - range.skip &&
         parts_of(call->n, plan->tiles->tile) <= MOST_TILES &&
         pair_buckets_fit(call->n, range, bits, plan->runs->capacity);
}

// NULL if n, or this device's shared memory, suits no plan.
static const RunPlan *plan_runs(const Call *call, KeyRange range) {
  const size_t limit = call->device->shared_limit;
  for (size_t i = 0; i < sizeof run_plans / sizeof *run_plans; i++) {
    const RunPlan *const plan = &run_plans[i];
    if (!plan_suits(call, range, plan)) continue;
    return plan->tiles->shared_bytes <= limit && plan->runs->shared_bytes <= limit ? plan : NULL;
  }
  return NULL;
}

// Where the parts of the memory lie, and what sweeps need, which take it over if keys suit nothing
// else. Small tiles and their table are written while other blocks may already count for sweeps, so
// with a sample they must not overlap with what the count uses; large ones are written later
// (stop_after_samples).
typedef struct RunLayout {
  size_t for_sweeps, table, bytes;
} RunLayout;

static RunLayout run_layout(const Call *call, const RunState &state) {
  const bool apart = state.sampled && state.tile <= SMALL_TILE;
  RunLayout layout;
  layout.for_sweeps = apart ? state.tile * sizeof(uint2) : 0;  // as much as padding may be
  layout.table = apart ? layout.for_sweeps + aligned_bytes(all_digits_counted_bytes(call))
                       : run_pair_bytes(state);
  layout.bytes = greatest_of(layout.table + run_table_bytes(state),
                             layout.for_sweeps + all_digits_bytes(call));
  return layout;
}

// Keys are sampled if nothing is known of them.
static RunState state_of_tiles(const Call *call, KeyRange range, const TileShape *tiles) {
  RunState state = run_state(call, tiles->tile, tiles->bits);
  state.sampled = is_whole(range);
  state.most_large = most_large(call);
  return state;
}

static size_t runs_bytes(const Call *call, const KeyRange *range) {
  const RunPlan *const plan = plan_runs(call, *range);
  if (plan == NULL) return 0;
  const size_t bytes = run_layout(call, state_of_tiles(call, *range, plan->tiles)).bytes;
  if (plan->large_tiles == NULL) return bytes;  // else for either, so that fewer pairs need less
  return greatest_of(bytes,
                     run_layout(call, state_of_tiles(call, *range, plan->large_tiles)).bytes);
}

// The host waits for what the samples, or at last the buckets, show. If the samples leave only
// sweeps, those sort the pairs here.
static Finding runs_run(Call *call, Known *known) {
  const KeyRange range = known->range;
  const RunPlan *const plan = plan_runs(call, range);
  const TileShape *const tiles = tiles_of_plan(call, plan);
  const RunShape *const runs = plan->runs;
  volatile HostVerdict *const host = fresh_verdict(call);
  RunState state = state_of_tiles(call, range, tiles);
  const RunLayout layout = run_layout(call, state);
  char *const for_sweeps = call->workspace + layout.for_sweeps;
  point_run_state(&state, call->workspace, call->workspace + layout.table);
  if (state.sampled) {
    const unsigned int cluster = call->device->clusters ? 4 : 1;
    state.sweeps = all_digits_state(call, for_sweeps);
    launch_as(call, false, cluster, sample_pairs, PAIR_SAMPLES * cluster, SAMPLE_THREADS, 0,
              call->input.keys, runs->capacity, cluster, state);
  } else {
    clear_words(call, call->findings, CLEARED_BYTES);
  }
  launch_next(call, tiles->kernel, tile_blocks(call, state, tiles->blocks_per_sm), tiles->threads,
              tiles->shared_bytes, call->input, state, range);
  launch_next(call, runs->kernel, 1u << tiles->bits, runs->threads, runs->shared_bytes,
              call->output, state, range);
  if (call->no_host_wait) return sweep_if_unsorted(call, for_sweeps, state.sampled);
  Finding finding = wait_for_finding(call, UNKNOWN);
  // A few values are frequent: tiles are sorted all the same, and show how many.
  if (finding == HEAVY) finding = wait_for_finding(call, HEAVY);
  if (finding == SORTED) {
    sort_large_runs(call, state);
    return SORTED;
  }
  if (state.sampled && finding == UNEVEN) {
    sweep_all_digits(call, for_sweeps);
    return SORTED;
  }
  return finding_of_buckets(host, &known->range);
}

extern "C" const Way way_runs = {"runs", runs_bytes, runs_run};
