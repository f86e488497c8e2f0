// Even pairs by prefix, without a count (kernel/sweep_regions.cuh).
#include "gsort/block/large_buckets.cuh"
#include "gsort/kernel/sample_for_regions.cuh"
#include "gsort/way/packed_sweeps.cuh"
#include "gsort/way/pair_plans.cuh"
#include "gsort/way/sweeps.cuh"

// The regions of both sweeps, and where everything lies in the workspace.
typedef struct RegionLayout {
  const PairPlan *plan;
  const PairSweepShape *low_shape, *high_shape;
  SweepRegions low, high;  // but for pointers
  size_t half, behind, in_scratch, pair_bytes;
  size_t look_back_low, cleared_words;  // the starts of `low`, which the second sweep reads even if
                                        // the first has moved nothing, are cleared, too
  size_t high_starts, bytes;
} RegionLayout;

// The last index of packed pairs up to i at which a tile of the second sweep begins.
static size_t tile_up_to(const RegionLayout *layout, size_t i) {
  const size_t capacity = layout->low.capacity, tile = layout->high_shape->tiles.pairs;
  return i / capacity * capacity + i % capacity / tile * tile;
}

// False if there is no plan.
static bool region_layout(const Call *call, RegionLayout *layout) {
  const size_t n = call->n;
  *layout = {};
  const PairPlan *const plan = layout->plan = plan_pairs(call, WHOLE_RANGE);
  if (plan == NULL) return false;
  layout->low_shape = shape_for(call, plan->low);
  layout->high_shape = shape_for(call, plan->high);
  SweepRegions *const low = &layout->low, *const high = &layout->high;
  low->capacity = region_capacity(n, plan->low_bits);
  low->sources = 1;
  low->tiles_of_source = parts_of(n, layout->low_shape->tiles.pairs);
  high->capacity = region_capacity(n, plan->high_bits);
  high->sources = 1u << plan->low_bits;
  high->source_capacity = low->capacity;
  high->tiles_of_source = parts_of(low->capacity, layout->high_shape->tiles.pairs);
  high->bucket_capacity = plan->block->capacity;

  const size_t fit = (n - 1) / 2;
  layout->half = tile_up_to(layout, fit);
  layout->behind = tile_up_to(layout, layout->half + fit);
  layout->in_scratch = (size_t)high->capacity << plan->high_bits;
  // What the regions of `low` have more than n pairs, and two tiles that the arrays may lose at
  // their ends: at most, so that fewer pairs do not need more.
  const double low_regions = (double)(1 << plan->low_bits);
  const size_t rest = (size_t)(6 * sqrt((double)n * low_regions) + WARP_SIZE * low_regions) +
                      2 * layout->high_shape->tiles.pairs;
  layout->pair_bytes = aligned_bytes((layout->in_scratch + rest) * sizeof(uint2));

  const size_t low_bins = (size_t)1 << plan->low_bits, high_bins = (size_t)1 << plan->high_bits;
  layout->look_back_low = (size_t)tiles_of(*low) << plan->low_bits;
  const size_t look_back = layout->look_back_low + ((size_t)tiles_of(*high) << plan->high_bits);
  layout->cleared_words = (look_back + 2 * low_bins + 3) / 4 * 4;
  layout->high_starts = (low_bins + 1) * high_bins;
  layout->bytes =
      layout->pair_bytes +
      (layout->cleared_words + layout->high_starts + high_bins + 2) * sizeof(unsigned int) +
      sizeof(RegionsFit);
  return true;
}

static size_t pair_regions_bytes(const Call *call, const KeyRange *) {
  RegionLayout layout;
  return region_layout(call, &layout) ? layout.bytes : 0;
}

static void sample(Call *call, const RegionLayout *layout, unsigned int *words,
                   unsigned int *tile_counter) {
  const size_t n = call->n, quads = layout->cleared_words / 4;
  const float capacity =
      (float)layout->high.capacity * (float)(1 << (layout->plan->high_bits - GROUP_BITS));
  const unsigned int second = second_blocks(n), third = may_be_frequent(call) ? 1 : 0,
                     sampling = 1 + second + third, most = call->device->multiprocessors,
                     wanted = sampling + parts_of(quads, SAMPLE_THREADS),
                     blocks = wanted < most     ? wanted
                              : most > sampling ? most
                                                : sampling + 1;
  if (second > 1) clear_words(call, call->findings, CLEARED_BYTES);  // several blocks add up there
  launch_first(call, sample_for_regions, blocks, SAMPLE_THREADS, 0, call->input.keys, n, call->code,
               SampleLimits{capacity, most_large(call), ANY_SKIP}, second, third, (uint4 *)words,
               quads, tile_counter, layout->high.fit, call->findings, call->host);
}

static void sweep(Call *call, const RegionLayout *layout, const PairSweepShape *shape, int shift,
                  int pass, unsigned int *tile_counter, unsigned int *look_back,
                  const PairBuffers &buffers) {
  const SweepRegions &regions = pass == 0 ? layout->low : layout->high;
  const PairSweep one = {(unsigned int)call->n, shift, NULL, tile_counter + pass, look_back,
                         {NULL, pass, 2, true}, false};
  launch_sweep(call, shape->tiles, shape->by_regions, tiles_of(regions), buffers, one, regions,
               call->host);
}

// The host waits for the sample's finding while the first sweep runs, as uneven keys need nothing
// more; then for that on all keys, which comes before the last step.
static Finding pair_regions_run(Call *call, Known *known) {
  RegionLayout layout;
  if (!region_layout(call, &layout)) return UNEVEN;
  const PairPlan *const plan = layout.plan;
  const int low_bits = 32 - plan->low_bits - plan->high_bits;
  unsigned int *const words = (unsigned int *)(call->workspace + layout.pair_bytes);
  SweepRegions *const low = &layout.low, *const high = &layout.high;
  low->start = words + layout.cleared_words - ((size_t)2 << plan->low_bits);
  high->source_start = low->start;
  high->start = words + layout.cleared_words;
  high->base = high->start + layout.high_starts;
  unsigned int *const tile_counter = high->base + ((size_t)1 << plan->high_bits);
  low->fit = high->fit = (RegionsFit *)(tile_counter + 2);
  low->findings = high->findings = call->findings;
  const PairBuffers buffers = pair_buffers(call, call->output, layout.half, layout.behind,
                                           layout.in_scratch, call->workspace);

  volatile HostVerdict *const host = fresh_verdict(call);
  known->frequent_sampled = may_be_frequent(call);
  sample(call, &layout, words, tile_counter);
  sweep(call, &layout, layout.low_shape, low_bits, 0, tile_counter, words, buffers);
  if (call->no_host_wait || wait_for_finding(call, UNKNOWN) == EVEN) {
    sweep(call, &layout, layout.high_shape, low_bits + plan->low_bits, 1, tile_counter,
          words + layout.look_back_low, buffers);
    launch_next(call, plan->block->by_regions, 1u << (plan->low_bits + plan->high_bits),
                plan->block->threads, plan->block->shared_bytes, buffers.scratch.first,
                call->output, call->code, *high, low_bits);
    if (call->no_host_wait) return sweep_if_unsorted(call, call->workspace, false);
    wait_for_finding(call, EVEN);
  }
  return call->error == cudaSuccess ? finding_of_buckets(host, &known->range) : SORTED;
}

extern "C" const Way way_pair_regions = {"pair regions", pair_regions_bytes, pair_regions_run};
