// Stable pairs by prefix: one or two stable sweeps over the upper 7 to 16 bits, then a block per
// bucket for the rest. Which n is sorted how, and the launches.
//
//   count   sizes of the buckets, one read                            (pairs_count.cuh)    4 bytes
//   sweep   by the lower part of the prefix, then by the upper part   (pairs_sweep.cuh)   16 each
//   blocks  sort each bucket by the rest of the key                   (pairs_block.cuh)   16
//
// 52 bytes a pair, or 36 with one sweep, where four sweeps move 68. The count shows whether each
// bucket fits into its block before anything has moved. Up to eight that do not are sorted as
// arrays of their own (large_pairs.cuh); with more, four sweeps take over.
#ifndef RADIX_V7_BY_PREFIX_CUH
#define RADIX_V7_BY_PREFIX_CUH

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v7/counted_prefix.cuh"
#include "radix_v7/large_pairs.cuh"
#include "radix_v7/packed_sweeps.cuh"
#include "radix_v7/pairs_block.cuh"

typedef void PairBlockKernel(const uint2 *, Pairs, const unsigned int *, int, const unsigned int *);

// A kernel sort_pair_bucket<...>, and the most pairs of its bucket.
typedef struct PairBlockShape {
  unsigned int threads, capacity;
  bool gathers_keys;
  size_t shared_bytes;
  PairBlockKernel *kernel;
} PairBlockShape;

#define PAIR_BLOCK(threads, items, bin_bits, few, blocks, gathers)                                \
  {                                                                                               \
    threads, threads *items, gathers, sizeof(PairBlockShared<threads, items, bin_bits, gathers>), \
        sort_pair_bucket<threads, items, bin_bits, few, blocks, gathers>                          \
  }

static const PairBlockShape block_512x6g = PAIR_BLOCK(512, 6, 10, 8, 2, true),
                            block_512x9g = PAIR_BLOCK(512, 9, 10, 12, 2, true),
                            block_256x9g = PAIR_BLOCK(256, 9, 9, 12, 4, true),
                            block_256x9 = PAIR_BLOCK(256, 9, 9, 12, 5, false),
                            block_256x18 = PAIR_BLOCK(256, 18, 10, 12, 4, false),
                            block_512x18 = PAIR_BLOCK(512, 18, 11, 12, 2, false),
                            block_512x36 = PAIR_BLOCK(512, 36, 12, 12, 1, false);

// How pairs are sorted.
typedef struct PrefixPlan {
  PrefixBits bits;
  const PairSweepShape *low, *high;  // sweeps; high is NULL if there is one only
  const PairBlockShape *block;
} PrefixPlan;

// By size, the least work first: one sweep or two, few or many buckets.
static const PrefixPlan prefix_plans[] = {
    {{7, 0}, &small_7, NULL, &block_512x6g},     {{7, 0}, &small_7, NULL, &block_512x9g},
    {{9, 0}, &small_9, NULL, &block_256x9g},     {{9, 0}, &small_9, NULL, &block_512x9g},
    {{6, 6}, &large_6, &large_6, &block_256x9},  {{6, 6}, &large_6, &large_6, &block_512x9g},
    {{6, 7}, &large_6, &large_7, &block_256x18}, {{7, 7}, &large_7, &large_7, &block_256x18},
    {{7, 8}, &large_7, &large_8, &block_256x18}, {{8, 8}, &large_8, &large_8, &block_256x18},
    {{8, 8}, &large_8, &large_8, &block_512x18}, {{8, 8}, &large_8, &large_8, &block_512x36},
};
enum { PREFIX_PLANS = sizeof prefix_plans / sizeof *prefix_plans };

// Whether the buckets of n uniform keys fit. Their sizes spread by the square root of what they
// are on average; 5.5 times that is exceeded in one of 5 x 10^7 buckets.
static bool uniform_fits(size_t n, const PrefixPlan *plan) {
  const double average = (double)n / (double)(1 << (plan->bits.low + plan->bits.high));
  const double room = plan->block->capacity - MOST_LEAD - average;
  return room > 0 && room * room >= 30 * average;
}

// NULL if n, or this device's shared memory, suits no plan. The knob prefixPlan, if not 0, decides.
static const PrefixPlan *plan_prefix(size_t n) {
  const int wanted = knob("prefixPlan");
  const size_t limit = dynamic_shared_limit();
  if (wanted < 0) return NULL;
  for (int i = 0; i < PREFIX_PLANS; i++) {
    const PrefixPlan *const plan = &prefix_plans[i];
    if (wanted > 0 ? wanted != i + 1 : !uniform_fits(n, plan)) continue;
    const bool fits = plan->low->shared_bytes <= limit && plan->block->shared_bytes <= limit &&
                      (plan->high == NULL || plan->high->shared_bytes <= limit) &&
                      count_shared_bytes(plan->bits.low + plan->bits.high, n) <= limit;
    return fits ? plan : NULL;
  }
  return NULL;
}

// Sorts n pairs from input to output; false, with the input as it was, if large buckets are too
// many or no plan suits n. The host waits for the count's verdict when all else is launched.
static bool sort_pairs_by_prefix(Pairs input, Pairs output, size_t n) {
  const PrefixPlan *const plan = plan_prefix(n);
  if (plan == NULL) return false;
  const PrefixBits bits = plan->bits;
  const int sweeps = plan->high != NULL ? 2 : 1, low_bits = 32 - bits.low - bits.high;
  const size_t look_back_low = look_back_size(plan->low, n),
               look_back_high = sweeps > 1 ? look_back_size(plan->high, n) : 0;
  PairBuffers buffers = {input, output, {}, {}};
  const unsigned int tile = sweeps > 1 ? plan->high->tile : plan->low->tile;
  void *const pairs = scratch_alloc(place_halves(&buffers, n, tile));
  point_to_halves(&buffers, n, pairs);
  PrefixState state = {};
  void *const memory = allocate_prefix_state(&state, n, bits, look_back_low + look_back_high);

  stage_start("hist");
  launch_count(input.keys, n, bits, plan->block->capacity, state);
  stage_stop();
  stage_start("sweep");
  PairSweep sweep = {low_bits,
                     state.low_start,
                     state.tile_counter,
                     state.look_back,
                     {state.spread, 0, sweeps, true, state.host}};
  launch_sweep(plan->low, buffers, n, sweep);
  if (sweeps > 1) {
    sweep.shift += bits.low;
    sweep.start = state.high_start;
    sweep.tile_counter++;
    sweep.look_back += look_back_low;
    sweep.route.pass = 1;
    sweep.route.host = NULL;
    launch_sweep(plan->high, buffers, n, sweep);
  }
  allow_shared_memory(plan->block->kernel, plan->block->shared_bytes);
  launch_overlapped(plan->block->kernel, 1u << (bits.low + bits.high), plan->block->threads,
                    plan->block->shared_bytes, buffers.scratch.first, output, state.start, low_bits,
                    state.spread);
  stage_stop();
  const bool fits = verdict_fits(state.host);
  if (fits) unpack_large_pairs(state.host, buffers.scratch.first, input);
  scratch_free(memory);
  scratch_free(pairs);
  if (fits) sort_large_pairs(state.host, input, output);
  return fits;
}

#endif
