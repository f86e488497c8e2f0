// How pairs are sorted by prefix, for each n: how wide the digits of both sweeps are, and which
// blocks sort the buckets.
#ifndef RADIX_V7_PREFIX_PLANS_CUH
#define RADIX_V7_PREFIX_PLANS_CUH

#include "common/knobs.h"
#include "radix_v7/counted_prefix.cuh"
#include "radix_v7/packed_sweeps.cuh"
#include "radix_v7/pairs_bucket.cuh"

typedef void PairBlockKernel(const uint2 *, Pairs, const unsigned int *, int, const unsigned int *,
                             KeyRange);
typedef void PairRegionKernel(const uint2 *, Pairs, SweepRegions, int);

// Kernels sort_pair_bucket<...> and sort_pair_region<...>, and the most pairs of their bucket.
typedef struct PairBlockShape {
  unsigned int threads, capacity;
  int bin_bits;  // of the rest of the key
  size_t shared_bytes;
  PairBlockKernel *kernel;
  PairRegionKernel *by_regions;
} PairBlockShape;

#define PAIR_BLOCK(threads, items, bin_bits, few, blocks)              \
  {                                                                    \
    threads, threads *items, bin_bits,                                 \
        sizeof(PairBlockShared<threads, items, bin_bits, IN_ELEMENT>), \
        sort_pair_bucket<threads, items, bin_bits, few, blocks>,       \
        sort_pair_region<threads, items, bin_bits, few, blocks>        \
  }

static const PairBlockShape block_256x9 = PAIR_BLOCK(256, 9, 9, 12, 5),
                            block_256x12 = PAIR_BLOCK(256, 12, 9, 12, 4),
                            block_256x18 = PAIR_BLOCK(256, 18, 10, 12, 4),
                            block_512x18 = PAIR_BLOCK(512, 18, 11, 12, 2),
                            block_512x36 = PAIR_BLOCK(512, 36, 12, 12, 1);

// How pairs are sorted.
typedef struct PrefixPlan {
  PrefixBits bits;
  const PairSweepShape *low, *high;
  const PairBlockShape *block;
} PrefixPlan;

// By size, the least work first: few or many buckets.
static const PrefixPlan prefix_plans[] = {
    {{6, 6}, &large_6, &large_6, &block_256x9},  {{6, 6}, &large_6, &large_6, &block_256x12},
    {{6, 7}, &large_6, &large_7, &block_256x9},  {{6, 7}, &large_6, &large_7, &block_256x12},
    {{6, 7}, &large_6, &large_7, &block_256x18}, {{7, 7}, &large_7, &large_7, &block_256x12},
    {{7, 7}, &large_7, &large_7, &block_256x18}, {{7, 8}, &large_7, &large_8, &block_256x12},
    {{7, 8}, &large_7, &large_8, &block_256x18}, {{8, 8}, &large_8, &large_8, &block_256x12},
    {{8, 8}, &large_8, &large_8, &block_256x18}, {{8, 8}, &large_8, &large_8, &block_512x18},
    {{8, 8}, &large_8, &large_8, &block_512x36},
};
enum { PREFIX_PLANS = sizeof prefix_plans / sizeof *prefix_plans };

// Whether keys of `range` have enough bits for a plan's buckets and for the bins of its blocks,
// which else would be crowded.
static bool wide_enough(KeyRange range, const PrefixPlan *plan) {
  return plan->bits.low + plan->bits.high + plan->block->bin_bits <= 32 - range.skip;
}

// Whether the buckets of n keys of `range` fit.
static bool buckets_of_range_fit(size_t n, KeyRange range, const PrefixPlan *plan) {
  // After two sweeps, large blocks that mostly are far from full take longer than two sweeps more.
  if (!range.even && range.crowd > MOST_CROWD_OF_TWO_STEPS && plan->block->threads > 256)
    return false;
  return pair_buckets_fit(n, range, plan->bits.low + plan->bits.high, plan->block->capacity);
}

// NULL if n, or this device's shared memory, suits no plan. The knob prefixPlan, if not 0, decides.
static inline const PrefixPlan *plan_prefix(size_t n, KeyRange range = WHOLE_RANGE) {
  const int wanted = knob("prefixPlan");
  const size_t limit = dynamic_shared_limit();
  if (wanted < 0) return NULL;
  for (int i = 0; i < PREFIX_PLANS; i++) {
    const PrefixPlan *const plan = &prefix_plans[i];
    if (wanted > 0 ? wanted != i + 1 : !buckets_of_range_fit(n, range, plan)) continue;
    if (!wide_enough(range, plan)) continue;
    const bool fits = plan->low->shared_bytes <= limit && plan->block->shared_bytes <= limit &&
                      plan->high->shared_bytes <= limit &&
                      count_shared_bytes(plan->bits.low + plan->bits.high, n) <= limit;
    return fits ? plan : NULL;
  }
  return NULL;
}

#endif
