// How pairs are sorted by prefix, for each n: two stable sweeps over the upper 12 to 16 bits, and a
// block per bucket for the rest. For way/pair_regions.cu and way/prefix.cu.
#ifndef GSORT_WAY_PAIR_PLANS_CUH
#define GSORT_WAY_PAIR_PLANS_CUH

#include "gsort/block/pair_regions.cuh"
#include "gsort/kernel/count_digits.cuh"
#include "gsort/way/pair_sweeps.cuh"

// A sweep, whose bins are counted or have regions.
typedef struct PairSweepShape {
  Shape tiles;
  void (*counted)(PairBuffers, PairSweep, volatile HostVerdict *);
  void (*by_regions)(PairBuffers, PairSweep, SweepRegions, volatile HostVerdict *);
  void (*all)(PairBuffers, PairSweep, SweepState, size_t, BehindWay);  // of digits of 8 bits
} PairSweepShape;

extern const PairSweepShape large_6, large_7, large_8, long_7, long_8;

// The shape for n pairs where a plan has `shape`. Of many pairs a tile writes runs as long as
// possible, though that leaves a multiprocessor a single block: fewer begin and end inside a
// sector. Measured on an H100 and an H200.
const PairSweepShape *shape_for(const Call *call, const PairSweepShape *shape,
                                size_t long_8_from = 1 << 25);

// A block that sorts a bucket, by bits of the rest of the key first.
typedef struct PairBlockShape {
  Shape shape;
  void (*counted)(const uint2 *, Elements, KeyCode, const unsigned int *, int, const unsigned int *,
                  KeyRange);
  void (*by_regions)(const uint2 *, Elements, KeyCode, SweepRegions, int);
} PairBlockShape;

// The digits of the prefix: `low` bits are swept first, then `high` bits.
typedef struct PairPlan {
  int low_bits, high_bits;
  const PairSweepShape *low, *high;
  const PairBlockShape *block;
} PairPlan;

// The plan for n keys of `range`, or NULL if they suit none.
const PairPlan *plan_pairs(const Call *call, KeyRange range);
// All plans for n keys of any range, if there is one, are from that for the whole range up to this.
const PairPlan *last_plan(const Call *call);

#endif
