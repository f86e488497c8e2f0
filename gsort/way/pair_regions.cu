// Pairs whose keys are even, over all numbers or within a range, by the first bits, without a count
// (kernel/sweep_regions.cuh).
#include "gsort/kernel/sample_for_regions.cuh"
#include "gsort/way/pair_sweeps.cuh"
#include "gsort/way/sweeps.cuh"

// The regions of both sweeps, and what lies in the workspace: without one only the bytes are of
// use.
typedef struct RegionLayout {
  const PairPlan *plan;  // NULL if there is none
  const PairSweepShape *low_shape, *high_shape;
  SweepRegions low, high;
  size_t half, behind, in_scratch;
  size_t look_back_low, cleared_words;  // of the starts of `low`, which the second sweep reads even
                                        // if the first has moved nothing, and of both look-backs
  unsigned int *tile_counter;           // [2]
  size_t bytes;
} RegionLayout;

// For how many equal keys on average regions have room. For few pairs more than one would take too
// much memory, and runs suit these.
static double most_equals(size_t n) { return n >= 1 << 23 ? MOST_EQUALS_PAIRS : 1; }

// The last index of packed pairs up to i at which a tile of the second sweep begins.
static size_t tile_up_to(const RegionLayout &layout, size_t i) {
  const size_t capacity = layout.low.capacity, tile = layout.high_shape->tiles.elements;
  return i / capacity * capacity + i % capacity / tile * tile;
}

static RegionLayout region_layout(const Call *call, double equals, char *workspace) {
  const size_t n = call->n;
  RegionLayout layout = {};
  const PairPlan *const plan = layout.plan = plan_pairs(call, equals);
  if (plan == NULL) return layout;
  layout.low_shape = shape_for(call, plan->low);
  layout.high_shape = shape_for(call, plan->high);
  const size_t low_bins = (size_t)1 << plan->low_bits(), high_bins = (size_t)1 << plan->high_bits();
  SweepRegions *const low = &layout.low, *const high = &layout.high;
  low->capacity = region_capacity(n, plan->low_bits(), most_equals(n));
  low->sources = 1;
  low->tiles_of_source = parts_of(n, layout.low_shape->tiles.elements);
  high->capacity = region_capacity(n, plan->high_bits(), most_equals(n));
  high->sources = 1u << plan->low_bits();
  high->source_capacity = low->capacity;
  high->tiles_of_source = parts_of(low->capacity, layout.high_shape->tiles.elements);
  high->bucket_capacity = plan->block->shape.elements;

  const size_t fit = (n - 1) / 2;
  layout.half = tile_up_to(layout, fit);
  layout.behind = tile_up_to(layout, layout.half + fit);
  layout.in_scratch = high->capacity * high_bins;
  // What the regions of `low` have more than n pairs, and two tiles that the arrays may lose at
  // their ends: at most, so that fewer pairs do not need more.
  const double regions = (double)low_bins;
  const double in_regions = region_capacity_of((double)n / regions, most_equals(n)) + WARP_SIZE;
  const size_t rest = (size_t)(in_regions * regions) - n + 2 * layout.high_shape->tiles.elements;
  Pieces pieces = {workspace, 0};
  pieces.next<uint2>(layout.in_scratch + rest);
  layout.look_back_low = tiles_of(*low) * low_bins;
  layout.cleared_words =
      (2 * low_bins + layout.look_back_low + tiles_of(*high) * high_bins + 3) / 4 * 4;
  low->start = pieces.next<unsigned int>(layout.cleared_words);
  high->source_start = low->start;
  high->start = pieces.next<unsigned int>((low_bins + 1) * high_bins);
  high->base = pieces.next<unsigned int>(high_bins);
  layout.tile_counter = pieces.next<unsigned int>(2);
  low->fit = high->fit = pieces.next<RegionsFit>(1);
  low->findings = high->findings = call->findings;
  layout.bytes = pieces.bytes;
  return layout;
}

// If nothing is known, for what may come out of it, too.
static size_t pair_regions_bytes(const Call *call, const KeyRange *range) {
  if (range->density > 1) return 0;
  const size_t bytes = region_layout(call, range->equals, NULL).bytes;
  if (bytes == 0 || !is_whole(*range)) return bytes;
  return greatest_of(bytes, region_layout(call, most_equals(call->n), NULL).bytes);
}

static void sample(Call *call, const RegionLayout &layout) {
  const size_t n = call->n, quads = layout.cleared_words / 4;
  const float capacity =
      (float)layout.high.capacity * (float)(1 << (layout.plan->high_bits() - GROUP_BITS));
  // As many equal keys as the blocks have room for, and the regions, which another plan may use.
  // The estimate of a sample is half of the others.
  const double room = most_equals(n),
               fit = equals_that_fit(n, 1, layout.plan->bits(), layout.high.bucket_capacity);
  const unsigned int second = second_blocks(n), sampling = 1 + second,
                     most = call->device->multiprocessors,
                     wanted = sampling + parts_of(quads, SAMPLE_THREADS),
                     blocks = wanted < most     ? wanted
                              : most > sampling ? most
                                                : sampling + 1;
  if (second > 1) clear_words(call, call->findings, CLEARED_BYTES);  // several blocks add up there
  launch_first(call, sample_for_regions, blocks, SAMPLE_THREADS, 0, call->input.keys, n, call->code,
               capacity, (float)((1 + fmin(fit, room)) / 2), (float)((1 + room) / 2), second,
               (uint4 *)layout.low.start, quads, layout.tile_counter, layout.high.fit,
               call->findings, call->host);
}

static void sweep(Call *call, const RegionLayout &layout, int pass, int shift,
                  const PairBuffers &buffers) {
  const PairSweepShape *const shape = pass == 0 ? layout.low_shape : layout.high_shape;
  const SweepRegions &regions = pass == 0 ? layout.low : layout.high;
  unsigned int *const look_back = layout.low.start + 2 * layout.high.sources;
  const PairSweep one = {(unsigned int)call->n,
                         shift,
                         NULL,
                         layout.tile_counter + pass,
                         look_back + (pass == 0 ? 0 : layout.look_back_low),
                         {NULL, pass, 2, true},
                         false};
  launch_sweep(call, shape->tiles, shape->by_regions, tiles_of(regions), buffers, one, regions,
               call->host);
}

// The host waits for the sample's finding while the first sweep runs, as uneven keys need nothing
// more; then for that on all keys, which comes before the last step.
static Finding pair_regions_run(Call *call, Known *known) {
  const RegionLayout layout = region_layout(call, known->range.equals, call->workspace);
  const PairPlan *const plan = layout.plan;
  const int low_bits = 32 - plan->bits();
  const PairBuffers buffers = pair_buffers(call, call->output, layout.half, layout.behind,
                                           layout.in_scratch, call->workspace);
  volatile HostVerdict *const host = fresh_verdict(call);
  sample(call, layout);
  sweep(call, layout, 0, low_bits, buffers);
  if (call->no_host_wait || wait_for_finding(call, UNKNOWN) == EVEN) {
    sweep(call, layout, 1, low_bits + plan->low_bits(), buffers);
    launch_shape(call, plan->block->shape, plan->block->kernel, 1u << (32 - low_bits),
                 buffers.scratch.first, call->output, call->code, layout.high, low_bits);
    if (call->no_host_wait) return sweep_if_unsorted(call, call->workspace, false);
    wait_for_finding(call, EVEN);
  }
  if (host->finding == IN_RANGE) known->range = {1, (float)most_equals(call->n)};
  return call->error == cudaSuccess ? (Finding)host->finding : SORTED;
}

extern "C" const Way way_pair_regions = {"pair regions", pair_regions_bytes, pair_regions_run};
