// Host side of the sweeps: choice of the tile shape by n, and the launches.
#ifndef RADIX_V6_BY_SWEEPS_CUH
#define RADIX_V6_BY_SWEEPS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "radix_v6/histogram.cuh"
#include "radix_v6/one_sweep.cuh"

typedef void SweepKernel(Pairs, Pairs, unsigned int, SweepPass);

// A tile shape and the kernels compiled for it.
typedef struct Shape {
  int items;            // per thread
  size_t shared_bytes;  // per block
  SweepKernel *keys, *pairs;
} Shape;

#define SHAPE(items, blocks_per_sm)                                            \
  {                                                                            \
    items, sizeof(SweepShared<items>), one_sweep<items, false, blocks_per_sm>, \
        one_sweep<items, true, blocks_per_sm>                                  \
  }

// In ascending order of shared memory.
static const Shape shapes[] = {
    SHAPE(8, 3), SHAPE(16, 3), SHAPE(24, 2), SHAPE(32, 3), SHAPE(40, 2), SHAPE(52, 2), SHAPE(56, 2),
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Fastest row of `shapes` (1-based) for n <= up_to, measured on an H200 (README.md has the table).
typedef struct Choice {
  size_t up_to;
  int keys, pairs;
} Choice;

static const Choice choices[] = {
    {100000, 1, 1},  {400000, 2, 2},  {1500000, 3, 3},
    {3000000, 4, 5}, {6000000, 4, 6}, {SIZE_MAX, 7, 6},
};

// The shape for n, or that of the knob, or the largest below it that fits the device.
static const Shape *choose_shape(size_t n, bool pairs) {
  int row = knob("shape");
  if (row == 0) {
    const Choice *choice = choices;
    while (n > choice->up_to) choice++;
    row = pairs ? choice->pairs : choice->keys;
  }
  const size_t limit = dynamic_shared_limit();
  while (row > 1 && shapes[row - 1].shared_bytes > limit) row--;
  return &shapes[row - 1];
}

static void count_histograms(Pairs in, size_t n, SweepState state, size_t look_back_words) {
  const size_t multiprocessors = (size_t)device_attribute(cudaDevAttrMultiProcessorCount);
  const size_t limit = dynamic_shared_limit();
  // Many copies of the counters pay for many keys; few copies are cheaper to clear. For few keys,
  // few and large blocks: all blocks add their counts to the same 1,024 counters.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > limit) copies /= 2;
  const size_t threads = HISTOGRAM_THREADS / (copies > 2 || n <= 400000 ? 1 : 2);
  const size_t wanted = n / (threads * 4) + 1;
  const size_t most = multiprocessors * (copies > 8 ? 1 : 2);
  allow_shared_memory(count_digits, copies * one_copy);
  count_digits<<<(unsigned int)(wanted < most ? wanted : most), (unsigned int)threads,
                 copies * one_copy>>>(in.keys, n, state, look_back_words, copies);
  LAUNCH_CHECK();
}

// Sorts by four passes; an even number ends in the output without a copy. `spare` has the size of
// the input. Brackets the stages "hist" and "sweep".
static void sort_by_sweeps(Pairs input, Pairs spare, Pairs output, size_t n) {
  const bool pairs = input.positions != NULL;
  const Shape *const shape = choose_shape(n, pairs);
  const unsigned int tiles = blocks_for(n, SWEEP_THREADS * shape->items);
  const size_t look_back_words = (size_t)PASSES * tiles * BINS;
  unsigned int *const scratch = (unsigned int *)scratch_alloc(
      (look_back_words + PASSES * BINS + 2 * PASSES) * sizeof(unsigned int));
  unsigned int *const start = scratch + look_back_words, *const counters = start + PASSES * BINS;
  const SweepState state = {start, counters, counters + PASSES, scratch};
  const Pairs stations[PASSES + 1] = {input, spare, input, spare, output};
  SweepKernel *const sweep = pairs ? shape->pairs : shape->keys;
  allow_shared_memory(sweep, shape->shared_bytes);

  stage_start("hist");
  count_histograms(input, n, state, look_back_words);
  stage_stop();
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const SweepPass sweep_pass = {
        (unsigned int)pass,        pass == 0,
        state.spread + pass,       state.start + pass * BINS,
        state.tile_counter + pass, state.look_back + (size_t)pass * tiles * BINS};
    launch_overlapped(sweep, tiles, SWEEP_THREADS, shape->shared_bytes, stations[pass],
                      stations[pass + 1], (unsigned int)n, sweep_pass);
  }
  stage_stop();
  scratch_free(scratch);
}

#endif
