// Pairs by prefix, if a sample does not show them to be even: as way/pair_regions.cu, but a count
// comes first.
//
//   count   sizes of the buckets, one read                            4 bytes
//   sweep   by the lower part of the prefix, then by the upper part   16 each
//   blocks  sort each bucket by the rest of the key                   16
//
// 52 bytes a pair where four sweeps move 68. The count shows whether each bucket fits into its
// block before anything has moved.
#include "gsort/kernel/count_prefixes.cuh"
#include "gsort/way/pair_sweeps.cuh"

// Counters of each bucket. Many copies pay when there are many keys to count; few are cheaper to
// clear and to add up.
static unsigned int count_copies(int bits, size_t n) {
  const size_t most = n > 2000000 ? 64 * 1024 : 8 * 1024;
  unsigned int copies = 8;
  while (copies > 1 && (sizeof(unsigned int) << bits) * copies > most) copies /= 2;
  return copies;
}

static size_t count_shared_bytes(int bits, size_t n) {
  return (sizeof(unsigned int) << (bits >= PACKED_COUNTER_BITS ? bits - 1 : bits)) *
         count_copies(bits, n);
}

// The sweeps of a plan, and what lies in the workspace: without one only the bytes are of use.
typedef struct PrefixLayout {
  const PairSweepShape *low, *high;
  size_t half, look_back_low;
  PrefixState state;
  size_t bytes;
} PrefixLayout;

static PrefixLayout prefix_layout(const Call *call, const PairPlan *plan, char *workspace) {
  const size_t n = call->n, low_bins = (size_t)1 << plan->low_bits(),
               high_bins = (size_t)1 << plan->high_bits(), buckets = low_bins * high_bins;
  PrefixLayout layout = {};
  layout.low = shape_for(call, plan->low);
  layout.high = shape_for(call, plan->high);
  layout.half = half_of_pairs(n, layout.high->tiles);
  layout.look_back_low = look_back_words(layout.low->tiles, n);
  Pieces pieces = {workspace, 0};
  pieces.next<uint2>(n + n - 2 * layout.half);
  PrefixState *const state = &layout.state;
  state->look_back_words =
      (layout.look_back_low + look_back_words(layout.high->tiles, n) + 3) / 4 * 4;
  state->sums = pieces.next<unsigned long long>(buckets / 2);
  state->start = pieces.next<unsigned int>(buckets + 1);
  state->look_back = pieces.next<unsigned int>(state->look_back_words);
  state->low_start = pieces.next<unsigned int>(low_bins);
  state->high_start = pieces.next<unsigned int>(high_bins);
  state->spread = pieces.next<unsigned int>(2);
  state->tile_counter = pieces.next<unsigned int>(2);
  state->findings = call->findings;
  state->host = call->host;
  layout.bytes = pieces.bytes;
  return layout;
}

// Enough for the range and for all that may come out of it.
static size_t prefix_bytes(const Call *call, const KeyRange *range) {
  const PairPlan *plan = plan_pairs(call, *range);
  if (plan == NULL || count_shared_bytes(plan->bits(), call->n) > call->device->shared_limit)
    return 0;
  size_t bytes = 0;
  for (const PairPlan *const last = last_plan(call); plan <= last; plan++)
    bytes = greatest_of(bytes, prefix_layout(call, plan, NULL).bytes);
  return bytes;
}

static void count(Call *call, const PairPlan *plan, KeyRange range, PrefixState state) {
  const size_t n = call->n;
  const int bits = plan->bits();
  const bool packed = bits >= PACKED_COUNTER_BITS;
  const size_t bytes = count_shared_bytes(bits, n);
  const unsigned int threads = n > 2000000 ? COUNT_THREADS : COUNT_THREADS / 2;
  const unsigned int most = (bytes > 100 * 1024 ? 1 : 2) * call->device->multiprocessors;
  const unsigned int blocks = least_of(parts_of(n, threads * 4), most);
  clear_words(call, call->findings, CLEARED_BYTES);
  clear_words(call, state.sums, sizeof(unsigned int) << bits);
  launch_first(call, packed ? count_prefixes<true> : count_prefixes<false>, blocks, threads, bytes,
               call->input.keys, n, call->code, PrefixBits{plan->low_bits(), plan->high_bits()},
               range, plan->block->shape.elements, count_copies(bits, n), state);
}

// The host waits for the count's finding when all else is launched.
static Finding prefix_run(Call *call, Known *known) {
  const KeyRange range = known->range;
  const PairPlan *const plan = plan_pairs(call, range);
  const int low_bits = 32 - plan->bits();
  volatile HostVerdict *const host = fresh_verdict(call);
  const PrefixLayout layout = prefix_layout(call, plan, call->workspace);
  const PrefixState &state = layout.state;
  const PairBuffers buffers =
      pair_buffers(call, call->output, layout.half, 2 * layout.half, call->n, call->workspace);
  count(call, plan, range, state);
  PairSweep sweep = {(unsigned int)call->n,
                     low_bits - range.skip,
                     state.low_start,
                     state.tile_counter,
                     state.look_back,
                     {state.spread, 0, 2, true},
                     false};
  launch_sweep(call, layout.low->tiles, layout.low->counted,
               parts_of(call->n, layout.low->tiles.elements), buffers, sweep, host);
  sweep.shift += plan->low_bits();
  sweep.start = state.high_start;
  sweep.tile_counter++;
  sweep.look_back += layout.look_back_low;
  sweep.route.pass = 1;
  launch_sweep(call, layout.high->tiles, layout.high->counted,
               parts_of(call->n, layout.high->tiles.elements), buffers, sweep,
               (volatile HostVerdict *)NULL);
  launch_shape(call, plan->block->shape, plan->block->counted, 1u << (32 - low_bits),
               buffers.scratch.first, call->output, call->code, state.start, low_bits, state.spread,
               range);
  const Finding finding = wait_for_finding(call, UNKNOWN);
  if (finding == IN_RANGE) known->range = copy_of(&host->range);
  return finding;
}

extern "C" const Way way_prefix = {"prefix", prefix_bytes, prefix_run};
