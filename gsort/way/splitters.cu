// Few elements, spread in any way: buckets between splitters from a sample (kernel/splitters.cuh).
#include "gsort/kernel/splitters.cuh"

#include "gsort/way/run_state.cuh"
#include "gsort/way/sweeps.cuh"

// Kernels for n <= up_to, and their blocks.
typedef struct SplitPlan {
  size_t up_to;
  unsigned int sample_blocks;
  void (*sample)(const unsigned int *, unsigned int, KeyCode, SplitterPlaces, Findings *);
  Shape tiles;  // bits: 2^bits buckets
  void (*split)(Elements, RunState, Splitters);
  Shape buckets;
  void (*sort)(Elements, RunState, Splitters);
} SplitPlan;

#define SAMPLE(bits, own) \
  (SAMPLES_EACH << bits) / own, sample_splitters<(SAMPLES_EACH << bits) / RANK_THREADS, own>
#define SPLIT_TILES(bits, threads, items, blocks)                             \
  SHAPE(threads, items, bits, blocks, SplitTileShared<threads, items, bits>), \
      split_tiles<threads, items, bits, blocks>
#define SPLIT_BLOCK(threads, items, bin_bits, blocks)                                          \
  SHAPE(threads, items, bin_bits, blocks, PairBlockShared<threads, items, bin_bits, FETCHED>), \
      sort_between_splitters<threads, items, bin_bits, blocks>

// Buckets grow by chance to twice their share and more, but have to fit into a block.
static const SplitPlan split_plans[] = {
    {235000, SAMPLE(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 4, 12, 1)},
    {420000, SAMPLE(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 8, 13, 1)},
    {500000, SAMPLE(8, 32), SPLIT_TILES(8, 256, 16, 2), SPLIT_BLOCK(512, 9, 11, 2)},
};

// NULL if there is none for n, or it needs more shared memory than there is.
static const SplitPlan *plan_splitters(const Call *call) {
  for (const SplitPlan &plan : split_plans)
    if (call->n <= plan.up_to)
      return fits(call, plan.tiles) && fits(call, plan.buckets) ? &plan : NULL;
  return NULL;
}

// Sorted tiles, their table, the splitters, and the sorted sample.
typedef struct SplitLayout {
  RunState state;
  SplitterPlaces splitters;
  size_t bytes;
} SplitLayout;

static SplitLayout split_layout(const Call *call, const SplitPlan *plan, char *workspace) {
  SplitLayout layout = {run_state(call, plan->tiles), {}, 0};
  Pieces pieces = {workspace, 0};
  take_pairs(&layout.state, &pieces);
  take_table(&layout.state, &pieces);
  layout.splitters.key = pieces.next<unsigned int>((size_t)1 << plan->tiles.bits);
  layout.splitters.sorted = pieces.next<unsigned int>((size_t)SAMPLES_EACH << plan->tiles.bits);
  layout.bytes = pieces.bytes;
  return layout;
}

static size_t splitters_bytes(const Call *call, const KeyRange *) {
  const SplitPlan *const plan = plan_splitters(call);
  return plan == NULL ? 0 : split_layout(call, plan, NULL).bytes;
}

// The host waits for whether all buckets fit when all is launched.
static Finding splitters_run(Call *call, Known *) {
  const SplitPlan *const plan = plan_splitters(call);
  const unsigned int buckets = 1u << plan->tiles.bits;
  fresh_verdict(call);
  SplitLayout layout = split_layout(call, plan, call->workspace);
  RunState &state = layout.state;
  const Splitters splitters = {layout.splitters.key, layout.splitters.sorted, buckets};
  launch_first(call, plan->sample, plan->sample_blocks, RANK_THREADS, 0, call->input.keys, state.n,
               call->code, layout.splitters, call->findings);
  launch_shape(call, plan->tiles, plan->split, blocks_for(call, plan->tiles, state.tiles),
               call->input, state, splitters);
  launch_shape(call, plan->buckets, plan->sort, buckets, call->output, state, splitters);
  if (call->no_host_wait) return sweep_if_unsorted(call, call->workspace, false);
  return wait_for_finding(call, UNKNOWN) == SORTED ? SORTED : UNEVEN;
}

extern "C" const Way way_splitters = {"splitters", splitters_bytes, splitters_run};
