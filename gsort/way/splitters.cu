// Few elements, spread in any way: buckets between splitters from a sample (block/splitters.cuh).
#include "gsort/block/splitters.cuh"

#include "gsort/kernel/sample_splitters.cuh"
#include "gsort/kernel/sort_between_splitters.cuh"
#include "gsort/kernel/split_tiles.cuh"
#include "gsort/way/run_state.cuh"
#include "gsort/way/sweeps.cuh"

// Kernels for n <= up_to, and the shapes of their blocks.
typedef struct SplitPlan {
  size_t up_to;
  int bits;
  unsigned int sample_blocks;
  void (*sample)(const unsigned int *, unsigned int, KeyCode, SplitterPlaces, Findings *);
  unsigned int tile_threads, tile, tile_blocks_per_sm;
  size_t tile_bytes;
  void (*tiles)(Elements, RunState, Splitters);
  unsigned int block_threads;
  size_t block_bytes;
  void (*blocks)(Elements, RunState, Splitters);
} SplitPlan;

#define SAMPLE(bits, own) \
  (SAMPLES_EACH << bits) / own, sample_splitters<(SAMPLES_EACH << bits) / RANK_THREADS, own>
#define SPLIT_TILES(bits, threads, items, blocks)                                 \
  threads, threads *items, blocks, sizeof(SplitTileShared<threads, items, bits>), \
      split_tiles<threads, items, bits, blocks>
#define SPLIT_BLOCK(threads, items, bin_bits, blocks)                  \
  threads, sizeof(PairBlockShared<threads, items, bin_bits, FETCHED>), \
      sort_between_splitters<threads, items, bin_bits, blocks>

// Buckets grow by chance to twice their share and more, but have to fit into a block.
static const SplitPlan split_plans[] = {
    {235000, 7, SAMPLE(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 4, 12, 1)},
    {420000, 7, SAMPLE(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 8, 13, 1)},
    {500000, 8, SAMPLE(8, 32), SPLIT_TILES(8, 256, 16, 2), SPLIT_BLOCK(512, 9, 11, 2)},
};
enum { SPLIT_PLANS = sizeof split_plans / sizeof *split_plans };

// NULL if there is none for n, or it needs more shared memory than there is.
static const SplitPlan *plan_splitters(const Call *call) {
  const SplitPlan *plan = split_plans;
  while (plan < split_plans + SPLIT_PLANS && call->n > plan->up_to) plan++;
  const size_t limit = call->device->shared_limit;
  const bool fits =
      plan < split_plans + SPLIT_PLANS && plan->tile_bytes <= limit && plan->block_bytes <= limit;
  return fits ? plan : NULL;
}

// Sorted tiles, their table, the splitters, and the sorted sample.
typedef struct SplitLayout {
  size_t table, splitters, bytes;
} SplitLayout;

static SplitLayout split_layout(const SplitPlan *plan, const RunState &state) {
  SplitLayout layout;
  layout.table = run_pair_bytes(state);
  layout.splitters = layout.table + run_table_bytes(state);
  layout.bytes =
      layout.splitters + ((size_t)(1 + SAMPLES_EACH) << plan->bits) * sizeof(unsigned int);
  return layout;
}

static size_t splitters_bytes(const Call *call, const KeyRange *) {
  const SplitPlan *const plan = plan_splitters(call);
  return plan == NULL ? 0 : split_layout(plan, run_state(call, plan->tile, plan->bits)).bytes;
}

// The host waits for whether all buckets fit when all is launched.
static Finding splitters_run(Call *call, Known *) {
  const SplitPlan *const plan = plan_splitters(call);
  const unsigned int buckets = 1u << plan->bits;
  fresh_verdict(call);
  RunState state = run_state(call, plan->tile, plan->bits);
  const SplitLayout layout = split_layout(plan, state);
  point_run_state(&state, call->workspace, call->workspace + layout.table);
  state.most_large = has_values(call) && large_pairs_may_be(call) ? MOST_LARGE : 0;
  unsigned int *const splitter = (unsigned int *)(call->workspace + layout.splitters);
  unsigned int *const sorted = splitter + buckets;
  const Splitters splitters = {splitter, sorted, buckets};
  launch_first(call, plan->sample, plan->sample_blocks, RANK_THREADS, 0, call->input.keys, state.n,
               call->code, SplitterPlaces{splitter, sorted}, call->findings);
  launch_next(call, plan->tiles, tile_blocks(call, state, plan->tile_blocks_per_sm),
              plan->tile_threads, plan->tile_bytes, call->input, state, splitters);
  launch_next(call, plan->blocks, buckets, plan->block_threads, plan->block_bytes, call->output,
              state, splitters);
  if (call->no_host_wait) return sweep_if_unsorted(call, call->workspace, false);
  if (wait_for_finding(call, UNKNOWN) != SORTED) return UNEVEN;
  sort_large_runs(call, state);
  return SORTED;
}

extern "C" const Way way_splitters = {"splitters", splitters_bytes, splitters_run};
