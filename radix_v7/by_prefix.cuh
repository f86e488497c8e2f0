// Stable pairs by prefix: two stable sweeps over the upper 12 to 16 bits, then a block per bucket
// for the rest. The launches; prefix_plans.cuh chooses among them by n. For more pairs than runs
// are good for (runs.cuh).
//
//   count   sizes of the buckets, one read                            (pairs_count.cuh)    4 bytes
//   sweep   by the lower part of the prefix, then by the upper part   (pairs_sweep.cuh)   16 each
//   blocks  sort each bucket by the rest of the key                   (pairs_block.cuh)   16
//
// 52 bytes a pair where four sweeps move 68. The count shows whether each bucket fits into its
// block before anything has moved. Up to eight that do not are sorted as arrays of their own
// (large_pairs.cuh); with more, four sweeps take over.
#ifndef RADIX_V7_BY_PREFIX_CUH
#define RADIX_V7_BY_PREFIX_CUH

#include "common/check.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/large_pairs.cuh"
#include "radix_v7/prefix_plans.cuh"

// Sorts n pairs from input to output: FITS. Else the input is as it was: FEW_VALUES if a sample of
// it has few; TO_RANGE, with *range, if keys are in a part of `range`; TOO_LARGE if large buckets
// are too many or no plan suits n. The host waits for the count's verdict when all else is
// launched.
static unsigned int sort_pairs_by_prefix(Pairs input, Pairs output, size_t n,
                                         KeyRange range = WHOLE_RANGE, KeyRange *found = NULL) {
  const PrefixPlan *const plan = plan_prefix(n, range);
  if (plan == NULL) return TOO_LARGE;
  const PrefixBits bits = plan->bits;
  const PairSweepShape *const low = shape_for(plan->low, n), *const high = shape_for(plan->high, n);
  const int low_bits = 32 - bits.low - bits.high;
  const size_t look_back_low = look_back_size(low, n),
               look_back = look_back_low + look_back_size(high, n);
  PairBuffers buffers = {input, output, {}, {}};
  const size_t pair_bytes = scratch_aligned(place_halves(&buffers, output, n, high->tile));
  char *const memory =
      (char *)pair_scratch(pair_bytes + prefix_state_bytes(bits, look_back), output, n);
  point_to_halves(&buffers, output, n, memory);
  const PrefixState state = prefix_state(n, bits, look_back, memory + pair_bytes);

  stage_start("hist");
  launch_count(input.keys, n, bits, range, plan->block->capacity, state);
  stage_stop();
  stage_start("sweep");
  PairSweep sweep = {low_bits - range.skip,
                     state.low_start,
                     state.tile_counter,
                     state.look_back,
                     {state.spread, 0, 2, true, state.host},
                     {},
                     false};
  launch_sweep(low, buffers, n, sweep);
  sweep.shift += bits.low;
  sweep.start = state.high_start;
  sweep.tile_counter++;
  sweep.look_back += look_back_low;
  sweep.route.pass = 1;
  sweep.route.host = NULL;
  launch_sweep(high, buffers, n, sweep);
  allow_shared_memory(plan->block->kernel, plan->block->shared_bytes);
  launch_overlapped(plan->block->kernel, 1u << (bits.low + bits.high), plan->block->threads,
                    plan->block->shared_bytes, buffers.scratch.first, output, state.start, low_bits,
                    state.spread, range);
  stage_stop();
  const bool fits = verdict_fits(state.host);
  if (found != NULL) *found = range_of(state.host);
  if (fits) {
    unpack_large_pairs(state.host, buffers.scratch.first, input);
    sort_large_pairs(state.host, input, output, memory);
  }
  scratch_free(memory);
  return state.host->verdict;
}

#endif
