// Host side of pairs_sweep.cuh: tile shapes, memory for packed pairs, and a sort by four sweeps.
#ifndef RADIX_V7_PACKED_SWEEPS_CUH
#define RADIX_V7_PACKED_SWEEPS_CUH

#include <stdint.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v7/pairs_sweep.cuh"

enum { PACKED_FROM = 700000 };  // from here on packed sweeps are faster than radix_v6's

typedef void PairSweepKernel(PairBuffers, unsigned int, PairSweep);
// A kernel sweep_pairs<...>, for counted bins and for regions: bits of its digit, threads, pairs of
// a tile, blocks of an SM.
typedef struct PairSweepShape {
  int bits;
  unsigned int threads, tile, blocks_per_sm;
  size_t shared_bytes;
  PairSweepKernel *kernel, *by_regions;
} PairSweepShape;

#define SWEEP_SHAPE(threads, items, bits, blocks, kind, by_regions)                       \
  {                                                                                       \
    bits, threads, threads *items, blocks, sizeof(PairSweepShared<threads, items, bits>), \
        sweep_pairs<threads, items, bits, blocks, kind>, by_regions                       \
  }
#define COUNTED_SWEEP(threads, items, bits, blocks) \
  SWEEP_SHAPE(threads, items, bits, blocks, COUNTED_DIGIT, NULL)
#define PAIR_SWEEP(threads, items, bits, blocks)           \
  SWEEP_SHAPE(threads, items, bits, blocks, COUNTED_DIGIT, \
              (sweep_pairs<threads, items, bits, blocks, DIGIT_IN_REGIONS>))

static const PairSweepShape large_6 = PAIR_SWEEP(256, 20, 6, 3),
                            large_7 = PAIR_SWEEP(256, 36, 7, 2),
                            large_8 = PAIR_SWEEP(256, 40, 8, 2), long_7 = PAIR_SWEEP(512, 44, 7, 1),
                            long_8 = PAIR_SWEEP(512, 44, 8, 1);

// The shape for n pairs where a plan has `shape`. Of many pairs a tile writes runs as long as
// possible, though that leaves a multiprocessor a single block: fewer begin and end inside a
// sector. Measured on an H100 and an H200.
static const PairSweepShape *shape_for(const PairSweepShape *shape, size_t n,
                                       size_t long_8_from = 1 << 25) {
  const bool seven = shape == &large_7;
  const PairSweepShape *const longer = seven ? &long_7 : &long_8;
  if (!seven && shape != &large_8) return shape;
  if (longer->shared_bytes > dynamic_shared_limit()) return shape;
  const int wanted = knob("longRuns");
  return (wanted > 0 ? wanted > 1 : seven || n >= long_8_from) ? longer : shape;
}

// Of keys with frequent values: the first sweep, and those over the rest (frequent_values.cuh).
static const PairSweepShape first_of_frequent =
                                SWEEP_SHAPE(512, 40, DIGIT_OR_VALUE_BITS, 1, DIGIT_OR_VALUE, NULL),
                            sweep_of_rest =
                                SWEEP_SHAPE(512, 44, DIGIT_BITS, 1, DIGIT_OF_REST, NULL);
enum { FREQUENT_FROM = 14000000 };  // below, blocks that have looked at a sample count for sweeps

static bool may_be_frequent(size_t n) {
  return n >= (size_t)knob("frequentFrom") &&
         first_of_frequent.shared_bytes + SLOTS * sizeof(unsigned int) <= dynamic_shared_limit();
}

// Sweeps over all digits of fewer pairs: tiles that all multiprocessors sort at the same time, in
// one round or two.
typedef struct SweepChoice {
  size_t up_to;
  PairSweepShape shape;
} SweepChoice;
static const SweepChoice sweep_choices[] = {
    {1080000, COUNTED_SWEEP(512, 16, 8, 1)},
    {1620000, COUNTED_SWEEP(512, 24, 8, 1)},
    {2160000, COUNTED_SWEEP(512, 16, 8, 2)},
    {3240000, COUNTED_SWEEP(512, 24, 8, 1)},
};
enum { LONG_SWEEPS_FROM = 24000000, SWEEP_CHOICES = sizeof sweep_choices / sizeof *sweep_choices };

static const PairSweepShape *sweeps_for(size_t n) {
  for (int i = 0; i < SWEEP_CHOICES; i++)
    if (n <= sweep_choices[i].up_to) return &sweep_choices[i].shape;
  return shape_for(&large_8, n, LONG_SWEEPS_FROM);
}

static size_t look_back_size(const PairSweepShape *shape, size_t n) {
  return (size_t)blocks_for(n, (int)shape->tile) << shape->bits;
}

// Whether two arrays of words can hold packed pairs.
static bool hold_packed_pairs(Pairs arrays) {
  return ((uintptr_t)arrays.keys | (uintptr_t)arrays.positions) % sizeof(uint2) == 0;
}

// Makes room for n packed pairs twice: in `scratch`, and in two arrays of n words each.
// A piece there ends with a tile of either sweep; what the two do not hold goes behind `scratch`,
// and if they are not aligned to 8 bytes, all of it. Returns the bytes of scratch memory to be
// allocated.
static size_t place_halves(PairBuffers *buffers, Pairs arrays, size_t n, unsigned int tile) {
  const size_t half = hold_packed_pairs(arrays) ? n / 2 / tile * tile : 0;
  buffers->halves.half = (unsigned int)half;
  buffers->halves.behind = (unsigned int)(2 * half);
  return (n + n - 2 * half) * sizeof(uint2);
}

// `memory` has `in_scratch` pairs in `scratch`, then the rest of `halves`.
static void point_to_halves(PairBuffers *buffers, Pairs arrays, size_t in_scratch, void *memory) {
  Packed *const scratch = &buffers->scratch, *const halves = &buffers->halves;
  scratch->half = scratch->behind = NO_HALF;
  scratch->first = scratch->second = scratch->rest = (uint2 *)memory;
  halves->first = (uint2 *)arrays.keys;
  halves->second = (uint2 *)arrays.positions - halves->half;
  halves->rest = scratch->first + in_scratch - halves->behind;
}

#ifdef CUDA_CPU
static const bool blocks_run_together = false;  // one after the other, on each core
#else
static const bool blocks_run_together = true;
#endif

// Whether an SM can hold as many blocks as the shape says.
static bool all_resident(const PairSweepShape *shape, PairSweepKernel *kernel) {
  int blocks = 0;
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, (int)shape->threads,
                                                           shape->shared_bytes));
  return blocks_run_together && blocks >= (int)shape->blocks_per_sm;
}

static void launch_sweep(const PairSweepShape *shape, PairBuffers buffers, size_t n,
                         PairSweep sweep) {
  const bool by_regions = sweep.regions.room > 0;
  PairSweepKernel *const kernel = by_regions ? shape->by_regions : shape->kernel;
  const unsigned int tiles = by_regions ? tiles_of(sweep.regions) : blocks_for(n, (int)shape->tile);
  const unsigned int most =
      shape->blocks_per_sm * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  const unsigned int blocks = tiles < most ? tiles : most;
  allow_shared_memory(kernel, shape->shared_bytes);
  sweep.own_tiles = blocks == tiles || (sweep.route.pass == 0 && all_resident(shape, kernel));
  launch_overlapped(kernel, blocks, shape->threads, shape->shared_bytes, buffers, (unsigned int)n,
                    sweep);
}

static bool packed_sweeps_fit(void) { return large_8.shared_bytes <= dynamic_shared_limit(); }

// The state of a sort by four packed sweeps lies behind `pair_bytes` for the pairs.
typedef struct PackedLayout {
  PairBuffers buffers;  // that do not point to the memory yet
  PairBuffers of_rest;  // the same, if frequent values leave: these are in the output meanwhile, so
                        // that the input serves as `halves`, if it can hold packed pairs
  size_t pair_bytes;
  size_t cleared_words, look_back_words;  // that the count clears; all
  size_t bytes;                           // all together
} PackedLayout;

static size_t larger_of(size_t a, size_t b) { return a > b ? a : b; }

static PackedLayout packed_layout(const PairSweepShape *shape, Pairs input, Pairs output,
                                  size_t n) {
  PackedLayout layout = {};
  layout.buffers.input = layout.of_rest.input = input;
  layout.buffers.output = layout.of_rest.output = output;
  const size_t one = look_back_size(shape, n);
  layout.cleared_words = one;
  layout.look_back_words = 2 * one;
  size_t pair_bytes = place_halves(&layout.buffers, output, n, shape->tile);
  if (may_be_frequent(n)) {
    // {}: an input that can. The layout is the same for all inputs, as a caller knows only
    // `output`.
    const size_t rest_bytes = place_halves(&layout.of_rest, {}, n, sweep_of_rest.tile),
                 rest_words = look_back_size(&first_of_frequent, n) +
                              (PASSES - 1) * look_back_size(&sweep_of_rest, n);
    pair_bytes = larger_of(pair_bytes, rest_bytes);
    layout.cleared_words = larger_of(layout.cleared_words, rest_words);
    layout.look_back_words = larger_of(layout.look_back_words, rest_words);
  }
  layout.pair_bytes = scratch_aligned(pair_bytes);
  layout.bytes = layout.pair_bytes + sweep_state_bytes(layout.look_back_words);
  return layout;
}

static SweepState packed_state(const PackedLayout &layout, void *memory) {
  return sweep_state_at((char *)memory + layout.pair_bytes, layout.cleared_words);
}

// The four sweeps, once the digits are counted; see sort_pairs_by_sweeps().
static inline void sweep_all_packed(const PairSweepShape *shape, Pairs input, Pairs output,
                                    size_t n, void *memory) {
  PackedLayout layout = packed_layout(shape, input, output, n);
  const SweepState state = packed_state(layout, memory);
  point_to_halves(&layout.buffers, output, n, memory);
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const size_t look_back = (size_t)(pass % 2) * look_back_size(shape, n);
    const PairSweep sweep = {pass * DIGIT_BITS,
                             state.start + pass * BINS,
                             state.tile_counter + pass,
                             state.look_back + look_back,
                             {state.spread, pass, PASSES, false, NULL},
                             {},
                             false};
    launch_sweep(shape, layout.buffers, n, sweep);
  }
  stage_stop();
}

// Sorts n pairs from input to output, which both are overwritten on the way, by four stable sweeps
// with tiles of `shape`. `memory` has as many bytes as the layout says.
static inline void sort_pairs_by_sweeps(const PairSweepShape *shape, Pairs input, Pairs output,
                                        size_t n, void *memory) {
  stage_start("hist");
  count_histograms(input, n, packed_state(packed_layout(shape, input, output, n), memory));
  stage_stop();
  sweep_all_packed(shape, input, output, n, memory);
}

static bool sweeps_are_packed(size_t n) {
  return n >= (size_t)knob("packedFrom") && packed_sweeps_fit();
}

// Bytes of scratch memory that sort_pairs_by_all_digits() needs.
static inline size_t all_digits_bytes(Pairs output, size_t n) {
  return sweeps_are_packed(n) ? packed_layout(sweeps_for(n), {}, output, n).bytes
                              : sweeps_bytes(n, true);
}

// Of these, bytes at the end that are not used before the first sweep.
static inline size_t unused_before_sweeps(Pairs output, size_t n) {
  if (!sweeps_are_packed(n)) return 0;
  const PackedLayout layout = packed_layout(sweeps_for(n), {}, output, n);
  return (layout.look_back_words - layout.cleared_words) * sizeof(unsigned int);
}

// What a count of all digits writes for sweep_all_digits(). `memory` has all_digits_bytes() bytes.
static inline SweepState all_digits_state(Pairs output, size_t n, void *memory) {
  return sweeps_are_packed(n) ? packed_state(packed_layout(sweeps_for(n), {}, output, n), memory)
                              : sweep_state(n, true, memory);
}

// The sweeps of sort_pairs_by_all_digits(), after the count.
static inline void sweep_all_digits(Pairs input, Pairs output, size_t n, void *memory) {
  if (sweeps_are_packed(n))
    sweep_all_packed(sweeps_for(n), input, output, n, memory);
  else
    sweep_all(input, output, n, memory);
}

// Sorts n pairs from input to output, which both are overwritten on the way, by sweeps over all
// digits: packed, or radix_v6's.
static inline void sort_pairs_by_all_digits(Pairs input, Pairs output, size_t n, void *memory) {
  stage_start("hist");
  count_histograms(input, n, all_digits_state(output, n, memory));
  stage_stop();
  sweep_all_digits(input, output, n, memory);
}

// Scratch memory of another way to sort these pairs, large enough for the sweeps as well: if that
// way does not suit the keys, they get the same block from the pool instead of one more.
static inline void *pair_scratch(size_t bytes, Pairs output, size_t n) {
  const size_t for_sweeps = all_digits_bytes(output, n);
  return scratch_alloc(bytes > for_sweeps ? bytes : for_sweeps);
}

#endif
