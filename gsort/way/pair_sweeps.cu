// The kernels of a sort of pairs by regions, and which of them sort how many pairs.
#include "gsort/way/pair_sweeps.cuh"

#include "gsort/kernel/sweep_packed.cuh"
#include "gsort/kernel/sweep_regions.cuh"

#define PAIR_SWEEP(threads, items, bits, blocks, all)                                      \
  {                                                                                        \
    SWEEP_TILES(threads, items, bits, blocks), sweep_packed<threads, items, bits, blocks>, \
        sweep_regions<threads, items, bits, blocks>, all                                   \
  }

const PairSweepShape large_6 = PAIR_SWEEP(256, 20, 6, 3, NULL),
                     large_7 = PAIR_SWEEP(256, 36, 7, 2, NULL),
                     large_8 = PAIR_SWEEP(256, 40, 8, 2, (sweep_packed_if_unsorted<256, 40, 2>)),
                     long_7 = PAIR_SWEEP(512, 44, 7, 1, NULL),
                     long_8 = PAIR_SWEEP(512, 44, 8, 1, (sweep_packed_if_unsorted<512, 44, 1>));

const PairSweepShape *shape_for(const Call *call, const PairSweepShape *shape, size_t long_8_from) {
  const bool seven = shape == &large_7;
  const PairSweepShape *const longer = seven ? &long_7 : &long_8;
  const bool may_be = seven || (shape == &large_8 && call->n >= long_8_from);
  return may_be && fits(call, longer->tiles) ? longer : shape;
}

#define PAIR_BLOCK(threads, items, bin_bits, few, blocks)         \
  {                                                               \
    SHAPE(threads, items, bin_bits, blocks,                       \
          PairBlockShared<threads, items, bin_bits, IN_ELEMENT>), \
        sort_pair_regions<threads, items, bin_bits, few, blocks>  \
  }

static const PairBlockShape block_256x9 = PAIR_BLOCK(256, 9, 9, 12, 5),
                            block_256x12 = PAIR_BLOCK(256, 12, 9, 12, 4),
                            block_256x18 = PAIR_BLOCK(256, 18, 10, 12, 4),
                            block_256x24 = PAIR_BLOCK(256, 24, 10, 12, 3),
                            block_512x18 = PAIR_BLOCK(512, 18, 11, 12, 2),
                            block_512x36 = PAIR_BLOCK(512, 36, 12, 12, 1);

// By size, the least work first: few or many buckets.
static const PairPlan plans[] = {
    {&large_6, &large_6, &block_256x9},  {&large_6, &large_6, &block_256x12},
    {&large_6, &large_7, &block_256x9},  {&large_6, &large_7, &block_256x12},
    {&large_6, &large_7, &block_256x18}, {&large_7, &large_7, &block_256x12},
    {&large_7, &large_7, &block_256x18}, {&large_7, &large_8, &block_256x12},
    {&large_7, &large_8, &block_256x18}, {&large_8, &large_8, &block_256x12},
    {&large_8, &large_8, &block_256x18}, {&large_8, &large_8, &block_256x24},
    {&large_8, &large_8, &block_512x18}, {&large_8, &large_8, &block_512x36},
};

const PairPlan *plan_pairs(const Call *call, double equals) {
  for (const PairPlan &plan : plans)
    if (equals_that_fit(call->n, 1, plan.bits(), plan.block->shape.elements) >= equals)
      return fits(call, plan.low->tiles) && fits(call, plan.high->tiles) &&
                     fits(call, plan.block->shape)
                 ? &plan
                 : NULL;
  return NULL;
}
