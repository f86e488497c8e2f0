// Sweeps over pairs (block/pair_sweep.cuh): their launches, the memory that pairs are packed in
// between them, and plans for way/pair_regions.cu: two stable sweeps over the upper 12 to 16 bits,
// and a block per bucket for the rest.
#ifndef GSORT_WAY_PAIR_SWEEPS_CUH
#define GSORT_WAY_PAIR_SWEEPS_CUH

#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sweep_regions.cuh"
#include "gsort/way/launch.cuh"

// bits: of the digit of the sweep.
#define SWEEP_TILES(threads, items, bits, per_sm) \
  SHAPE(threads, items, bits, per_sm, PairSweepShared<threads, items, bits>)

static inline size_t look_back_words(const Shape &tiles, size_t n) {
  return (size_t)parts_of(n, tiles.elements) << tiles.bits;
}

// n packed pairs lie in two arrays of n words each, and behind these in memory of the workspace.
// Pairs in each array, whole tiles. It may begin at an odd word, which is then lost.
static inline size_t half_of_pairs(size_t n, const Shape &tiles) {
  return (n - 1) / 2 / tiles.elements * tiles.elements;
}

static inline uint2 *packed_in(unsigned int *array) {
  return (uint2 *)(((uintptr_t)array + sizeof(uint2) - 1) / sizeof(uint2) * sizeof(uint2));
}

// `arrays` have pairs 0 to half - 1, then those up to `behind`; `memory` begins with `in_scratch`
// pairs of the other side.
static inline PairBuffers pair_buffers(const Call *call, Elements arrays, size_t half,
                                       size_t behind, size_t in_scratch, void *memory) {
  uint2 *const scratch = (uint2 *)memory;
  return {call->input,
          call->output,
          call->code,
          {scratch, scratch, scratch, NO_HALF, NO_HALF},
          {packed_in(arrays.keys), packed_in(arrays.values) - half, scratch + in_scratch - behind,
           (unsigned int)half, (unsigned int)behind}};
}

// A sweep over digit number `pass`, once all digits are counted.
static inline PairSweep sweep_of_digit(const Call *call, const SweepState &state, int pass,
                                       unsigned int *look_back) {
  const BitsThatCount number_of = bits_that_count(call);
  return {(unsigned int)call->n,
          number_of.shift_of(pass),
          state.start + pass * BINS,
          state.tile_counter + pass,
          look_back,
          {state.spread, pass, number_of.passes(), false},
          false};
}

// A sweep over `count` tiles; others: the kernel's arguments behind `sweep`. If there is a block
// for each tile, block b takes tile b; if there are fewer, the blocks take the next tile from a
// counter. With fewer blocks and fixed tiles, a block could wait for the tile of a block that has
// not started, because another sweep's blocks hold the multiprocessors and wait in the same way.
template <class... Others, class... Arguments>
static void launch_sweep(Call *call, const Shape &tiles,
                         void (*kernel)(PairBuffers, PairSweep, Others...), unsigned int count,
                         const PairBuffers &buffers, PairSweep sweep, Arguments... others) {
  const unsigned int blocks = blocks_for(call, tiles, count);
  sweep.own_tiles = blocks == count;
  launch_shape(call, tiles, kernel, blocks, buffers, sweep, others...);
}

// A sweep, whose bins are counted or have regions.
typedef struct PairSweepShape {
  Shape tiles;
  void (*counted)(PairBuffers, PairSweep, volatile HostVerdict *);
  void (*by_regions)(PairBuffers, PairSweep, SweepRegions, volatile HostVerdict *);
  // Of digits of 8 bits.
  void (*all)(PairBuffers, PairSweep, BitsThatCount, SweepState, size_t, BehindWay);
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
  void (*kernel)(const uint2 *, Elements, KeyCode, SweepRegions, int);
} PairBlockShape;

// The digits of the prefix: that of `low` is swept first, then that of `high`.
typedef struct PairPlan {
  const PairSweepShape *low, *high;
  const PairBlockShape *block;
  int low_bits() const { return low->tiles.bits; }
  int high_bits() const { return high->tiles.bits; }
  int bits() const { return low_bits() + high_bits(); }
} PairPlan;

// The plan for n even keys, of which so many are equal on average; NULL if n or the device suits
// none.
const PairPlan *plan_pairs(const Call *call, double equals);

// Whether sweeps move keys as they are, not their codes (way/sweeps.cu): if a few bits count, if
// there are too many keys, or if floats may contain a -0 (which has to equal +0) and no other
// sweeps can follow.
bool keeps_keys(const Call *call);
// Words of a look-back of floats that are swept once more, as they are; 0: they are not.
size_t second_look_back(const Call *call);
// Sweeps over all digits (way/packed_sweeps.cu): whether they suit the call better than
// way/sweeps.cu's own.
bool sweeps_are_packed(const Call *call);
// As all_digits(), sweep_all_digits() and sweep_if_unsorted() (way/sweeps.cuh).
DigitMemory packed_digits(const Call *call, void *memory);
void sweep_all_packed(Call *call, void *memory);
void sweep_packed_if_unsorted(Call *call, void *memory, bool counts);

#endif
