// Few elements, spread in any way: buckets between splitters from a sample (kernel/splitters.cuh;
// wide ones: kernel/few_wide.cuh).
#include "gsort/kernel/few_wide.cuh"
#include "gsort/way/run_state.cuh"
#include "gsort/way/sweeps.cuh"

template <class Key, class NumberOf>
using SampleKernel = void(const Key *, unsigned int, NumberOf, SplitterPlaces<Key>, Findings *);

// Kernels for n <= up_to, and their blocks. tiles.bits: there are 2^bits buckets.
typedef struct SplitPlan {
  size_t up_to;
  unsigned int sample_blocks;
  SampleKernel<unsigned int, BitsThatCount> *sample;
  Shape tiles;
  void (*split)(Elements, RunState, Splitters<unsigned int>);
  Shape buckets;
  void (*sort)(Elements, RunState, Splitters<unsigned int>);
} SplitPlan;

// The same but for the last kernel, which is one for all n.
typedef struct WideSplitPlan {
  size_t up_to;
  unsigned int sample_blocks;
  SampleKernel<Wide, WideBits> *sample;
  Shape tiles;
  void (*split)(const Wide *, WideBits, RunState, Splitters<Wide>);
  Shape buckets;
} WideSplitPlan;

#define SAMPLE(bits, own) \
  (SAMPLES_EACH << bits) / own, sample_splitters<(SAMPLES_EACH << bits) / RANK_THREADS, own>
#define SPLIT_TILES(Key, kernel, bits, threads, items)                        \
  SHAPE(threads, items, bits, 2, SplitTileShared<threads, items, bits, Key>), \
      kernel<threads, items, bits, 2>
#define SPLIT_BLOCK(threads, items, bin_bits, blocks)                                          \
  SHAPE(threads, items, bin_bits, blocks, PairBlockShared<threads, items, bin_bits, FETCHED>), \
      sort_between_splitters<threads, items, bin_bits, blocks>
#define WIDE_BLOCK SHAPE(512, 10, 11, 2, WidePairShared<512, 10, 11, unsigned int>)
template <class Value>
static constexpr auto sort_wide_block = sort_few_wide<512, 5, 10, 11, 2, Value>;

// Buckets grow by chance to twice their share and more, but have to fit into a block.
static const SplitPlan split_plans[] = {
    {235000, SAMPLE(7, 32), SPLIT_TILES(unsigned int, split_tiles, 7, 512, 4),
     SPLIT_BLOCK(1024, 4, 12, 1)},
    {420000, SAMPLE(7, 32), SPLIT_TILES(unsigned int, split_tiles, 7, 512, 4),
     SPLIT_BLOCK(1024, 8, 13, 1)},
    {500000, SAMPLE(8, 32), SPLIT_TILES(unsigned int, split_tiles, 8, 256, 16),
     SPLIT_BLOCK(512, 9, 11, 2)},
};
static const WideSplitPlan wide_plans[] = {
    {215000, SAMPLE(7, 32), SPLIT_TILES(Wide, split_few_wide, 7, 512, 4), WIDE_BLOCK},
    {450000, SAMPLE(8, 32), SPLIT_TILES(Wide, split_few_wide, 8, 512, 8), WIDE_BLOCK},
    {1050000, SAMPLE(9, 64), SPLIT_TILES(Wide, split_few_wide, 9, 512, 8), WIDE_BLOCK},
};

// NULL if there is none for n, or it needs more shared memory than there is.
template <class Plan, size_t kPlans>
static const Plan *plan_for(const Call *call, const Plan (&plans)[kPlans]) {
  for (const Plan &plan : plans)
    if (call->n <= plan.up_to)
      return fits(call, plan.tiles) && fits(call, plan.buckets) ? &plan : NULL;
  return NULL;
}

// Sorted tiles, their table, the splitters, and the sorted sample.
template <class Key>
struct SplitLayout {
  RunState state;
  SplitterPlaces<Key> places;
  Splitters<Key> splitters;
  size_t bytes;
};

template <class Key, class Plan>
static SplitLayout<Key> split_layout(const Call *call, const Plan *plan, char *workspace) {
  const unsigned int buckets = 1u << plan->tiles.bits;
  SplitLayout<Key> layout = {run_state(call, plan->tiles), {}, {}, 0};
  Pieces pieces = {workspace, 0};
  take_pairs(&layout.state, &pieces);
  take_table(&layout.state, &pieces);
  layout.places.key = pieces.next<Key>(buckets);
  layout.places.sorted = pieces.next<Key>((size_t)SAMPLES_EACH * buckets);
  layout.splitters = {layout.places.key, layout.places.sorted, buckets};
  layout.bytes = pieces.bytes;
  return layout;
}

static size_t splitters_bytes(const Call *call, const KeyRange *) {
  if (call->n_on_device != NULL) return 0;
  if (call->key_bytes == 8) {
    const WideSplitPlan *const plan = plan_for(call, wide_plans);
    return plan == NULL ? 0 : split_layout<Wide>(call, plan, NULL).bytes;
  }
  const SplitPlan *const plan = plan_for(call, split_plans);
  return plan == NULL ? 0 : split_layout<unsigned int>(call, plan, NULL).bytes;
}

static void launch_narrow(Call *call) {
  const SplitPlan *const plan = plan_for(call, split_plans);
  const SplitLayout<unsigned int> layout = split_layout<unsigned int>(call, plan, call->workspace);
  launch_first(call, plan->sample, plan->sample_blocks, RANK_THREADS, 0, call->input.keys,
               layout.state.n, bits_that_count(call), layout.places, call->findings);
  launch_shape(call, plan->tiles, plan->split, blocks_for(call, plan->tiles, layout.state.tiles),
               call->input, layout.state, layout.splitters);
  launch_shape(call, plan->buckets, plan->sort, layout.splitters.buckets, call->output,
               layout.state, layout.splitters);
}

template <class Value>
static void launch_wide(Call *call) {
  const WideSplitPlan *const plan = plan_for(call, wide_plans);
  SplitLayout<Wide> layout = split_layout<Wide>(call, plan, call->workspace);
  layout.state.code = {0, 0};  // the tiles hold no keys
  const auto places = PlacesByIndex<Wide, Value>::of(call->input, call->output);
  const WideBits number_of = wide_bits_that_count(call);
  launch_first(call, plan->sample, plan->sample_blocks, RANK_THREADS, 0, places.keys,
               layout.state.n, number_of, layout.places, call->findings);
  launch_shape(call, plan->tiles, plan->split, blocks_for(call, plan->tiles, layout.state.tiles),
               places.keys, number_of, layout.state, layout.splitters);
  launch_shape(call, plan->buckets, sort_wide_block<Value>, layout.splitters.buckets, places,
               number_of, layout.state, layout.splitters);
}

// The host waits for whether all buckets fit when all is launched.
static Finding splitters_run(Call *call, Known *) {
  const bool wide = call->key_bytes == 8;
  fresh_verdict(call);
  if (!wide)
    launch_narrow(call);
  else if (call->value_bytes == 8)
    launch_wide<Wide>(call);
  else
    launch_wide<unsigned int>(call);
  if (call->no_host_wait)
    return wide ? sweep_wide_if_unsorted(call) : sweep_if_unsorted(call, call->workspace, false);
  return wait_for_finding(call, UNKNOWN) == SORTED ? SORTED : STOPPED;
}

extern "C" const Way way_splitters = {"splitters", splitters_bytes, splitters_run};
