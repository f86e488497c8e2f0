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

enum { PACKED_FROM = 2000000 };  // from here on packed sweeps are faster than radix_v6's

typedef void PairSweepKernel(PairBuffers, unsigned int, PairSweep);
// A kernel sweep_pairs<...>: bits of its digit, threads, pairs of a tile, blocks of an SM.
typedef struct PairSweepShape {
  int bits;
  unsigned int threads, tile, blocks_per_sm;
  size_t shared_bytes;
  PairSweepKernel *kernel;
} PairSweepShape;

#define PAIR_SWEEP(threads, items, bits, blocks)                                          \
  {                                                                                       \
    bits, threads, threads *items, blocks, sizeof(PairSweepShared<threads, items, bits>), \
        sweep_pairs<threads, items, bits, blocks>                                         \
  }

// Small tiles where there are few pairs for all SMs.
static const PairSweepShape small_7 = PAIR_SWEEP(256, 8, 7, 4), small_9 = PAIR_SWEEP(512, 8, 9, 2),
                            large_6 = PAIR_SWEEP(256, 20, 6, 3),
                            large_7 = PAIR_SWEEP(256, 36, 7, 2),
                            large_8 = PAIR_SWEEP(256, 40, 8, 2);

static size_t look_back_size(const PairSweepShape *shape, size_t n) {
  return (size_t)blocks_for(n, (int)shape->tile) << shape->bits;
}

// Makes room for n packed pairs twice: in `scratch`, and in the output arrays. A piece there ends
// with a tile of either sweep; what the two do not hold goes behind `scratch`, and if they are not
// aligned to 8 bytes, all of it. Returns the bytes of scratch memory to be allocated.
static size_t place_halves(PairBuffers *buffers, size_t n, unsigned int tile) {
  const bool aligned =
      ((uintptr_t)buffers->output.keys | (uintptr_t)buffers->output.positions) % sizeof(uint2) == 0;
  const size_t half = aligned ? n / 2 / tile * tile : 0;
  buffers->halves.half = (unsigned int)half;
  buffers->scratch.half = NO_HALF;
  return (n + n - 2 * half) * sizeof(uint2);
}

static void point_to_halves(PairBuffers *buffers, size_t n, void *memory) {
  Packed *const scratch = &buffers->scratch, *const halves = &buffers->halves;
  scratch->first = scratch->second = scratch->rest = (uint2 *)memory;
  halves->first = (uint2 *)buffers->output.keys;
  halves->second = (uint2 *)buffers->output.positions - halves->half;
  halves->rest = scratch->first + n - 2 * (size_t)halves->half;
}

static void launch_sweep(const PairSweepShape *shape, PairBuffers buffers, size_t n,
                         PairSweep sweep) {
  const unsigned int tiles = blocks_for(n, (int)shape->tile);
  const unsigned int most =
      shape->blocks_per_sm * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  allow_shared_memory(shape->kernel, shape->shared_bytes);
  launch_overlapped(shape->kernel, tiles < most ? tiles : most, shape->threads, shape->shared_bytes,
                    buffers, (unsigned int)n, sweep);
}

static bool packed_sweeps_fit(void) { return large_8.shared_bytes <= dynamic_shared_limit(); }

// Sorts n pairs from input to output, which both are overwritten on the way, by four stable sweeps.
static void sort_pairs_by_sweeps(Pairs input, Pairs output, size_t n) {
  const PairSweepShape *const shape = &large_8;
  const size_t look_back_one = look_back_size(shape, n), look_back = PASSES * look_back_one;
  PairBuffers buffers = {input, output, {}, {}};
  void *const pairs = scratch_alloc(place_halves(&buffers, n, shape->tile));
  point_to_halves(&buffers, n, pairs);
  unsigned int *const memory = (unsigned int *)scratch_alloc(
      (look_back + PASSES * BINS + 2 * PASSES) * sizeof(unsigned int));
  unsigned int *const start = memory + look_back, *const counters = start + PASSES * BINS;
  const SweepState state = {start, counters, counters + PASSES, memory};
  stage_start("hist");
  count_histograms(input, n, state, look_back);
  stage_stop();
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const PairSweep sweep = {pass * DIGIT_BITS,
                             state.start + pass * BINS,
                             state.tile_counter + pass,
                             memory + pass * look_back_one,
                             {state.spread, pass, PASSES, false, NULL}};
    launch_sweep(shape, buffers, n, sweep);
  }
  stage_stop();
  scratch_free(memory);
  scratch_free(pairs);
}

// Sorts n pairs from input to output, which both are overwritten on the way, by sweeps over all
// digits: packed, or radix_v6's.
static void sort_pairs_by_all_digits(Pairs input, Pairs output, size_t n) {
  if (n >= (size_t)knob("packedFrom") && packed_sweeps_fit()) {
    sort_pairs_by_sweeps(input, output, n);
    return;
  }
  const size_t bytes = n * sizeof(unsigned int);
  const Pairs spare = {(unsigned int *)scratch_alloc(bytes), (unsigned int *)scratch_alloc(bytes)};
  sort_by_sweeps(input, spare, output, n);
  scratch_free(spare.positions);
  scratch_free(spare.keys);
}

#endif
