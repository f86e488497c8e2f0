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
  int blocks_per_sm;    // that run together
  size_t shared_bytes;  // per block
  SweepKernel *keys, *pairs;
} Shape;

#define SHAPE(items, blocks_per_sm)                                                           \
  {                                                                                           \
    items, blocks_per_sm, sizeof(SweepShared<items>), one_sweep<items, false, blocks_per_sm>, \
        one_sweep<items, true, blocks_per_sm>                                                 \
  }

// In ascending order of shared memory.
static const Shape shapes[] = {
    SHAPE(8, 3), SHAPE(16, 3), SHAPE(24, 2), SHAPE(32, 3), SHAPE(40, 2), SHAPE(52, 2), SHAPE(56, 2),
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Fastest row of `shapes` (1-based) for n <= up_to, measured on an H200 (LOG.md has the table).
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

// SweepPass.ahead: as many tiles as are sorted at the same time. Few keys gain nothing by it.
static unsigned int tiles_ahead(const Shape *shape, size_t n) {
  enum { AHEAD_FROM = 1 << 25 };
  if (n < AHEAD_FROM) return 0;
  return (unsigned int)(shape->blocks_per_sm * device_attribute(cudaDevAttrMultiProcessorCount));
}

static void count_histograms(Pairs in, size_t n, SweepState state) {
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
                 copies * one_copy>>>(in.keys, n, state, copies);
  LAUNCH_CHECK();
}

// The state of a sort in `memory`: a SweepState's arrays in their order. look_back_words: of the
// last, those that the count clears.
static SweepState sweep_state_at(void *memory, size_t look_back_words) {
  unsigned int *const start = (unsigned int *)memory, *const counters = start + PASSES * BINS;
  return {start, counters, counters + PASSES, counters + 2 * PASSES, look_back_words};
}

static size_t sweep_state_bytes(size_t look_back_words) {
  return (look_back_words + PASSES * BINS + 2 * PASSES) * sizeof(unsigned int);
}

// The scratch memory of a sort by sweeps: a copy of the input, then what a SweepState points to.
typedef struct SweepLayout {
  const Shape *shape;
  unsigned int tiles;
  size_t spare_bytes;      // of the keys' copy, and again of the positions'
  size_t look_back_words;  // of a pass. Two look-backs serve all passes in turns: the count clears
                           // the first, and each pass the next one's
  size_t bytes;            // all together
} SweepLayout;

static SweepLayout sweep_layout(size_t n, bool pairs) {
  SweepLayout layout;
  layout.shape = choose_shape(n, pairs);
  layout.tiles = blocks_for(n, SWEEP_THREADS * layout.shape->items);
  layout.spare_bytes = scratch_aligned(n * sizeof(unsigned int));
  layout.look_back_words = (size_t)layout.tiles * BINS;
  layout.bytes =
      (pairs ? 2 : 1) * layout.spare_bytes + sweep_state_bytes(2 * layout.look_back_words);
  return layout;
}

// Bytes of scratch memory that sort_by_sweeps() needs for n elements.
static inline size_t sweeps_bytes(size_t n, bool pairs) { return sweep_layout(n, pairs).bytes; }

// The state of a sort in `memory`, of sweeps_bytes() bytes, aligned like scratch memory.
static SweepState sweep_state(size_t n, bool pairs, void *memory) {
  const SweepLayout layout = sweep_layout(n, pairs);
  char *const behind = (char *)memory + (pairs ? 2 : 1) * layout.spare_bytes;
  return sweep_state_at(behind, layout.look_back_words);
}

// The four passes, once the digits are counted; an even number ends in the output without a copy.
static void sweep_all(Pairs input, Pairs output, size_t n, void *memory) {
  const bool pairs = input.positions != NULL;
  const SweepLayout layout = sweep_layout(n, pairs);
  const SweepState state = sweep_state(n, pairs, memory);
  const Shape *const shape = layout.shape;
  Pairs spare = {(unsigned int *)memory, NULL};
  if (pairs) spare.positions = spare.keys + layout.spare_bytes / sizeof(unsigned int);
  const Pairs stations[PASSES + 1] = {input, spare, input, spare, output};
  SweepKernel *const sweep = pairs ? shape->pairs : shape->keys;
  allow_shared_memory(sweep, shape->shared_bytes);
  stage_start("sweep");
  unsigned int *const look_backs[2] = {state.look_back, state.look_back + layout.look_back_words};
  for (int pass = 0; pass < PASSES; pass++) {
    const SweepPass sweep_pass = {(unsigned int)pass,
                                  pass == 0,
                                  state.spread + pass,
                                  state.start + pass * BINS,
                                  state.tile_counter + pass,
                                  look_backs[pass % 2],
                                  pass < PASSES - 1 ? look_backs[(pass + 1) % 2] : NULL,
                                  tiles_ahead(shape, n)};
    launch_overlapped(sweep, layout.tiles, SWEEP_THREADS, shape->shared_bytes, stations[pass],
                      stations[pass + 1], (unsigned int)n, sweep_pass);
  }
  stage_stop();
}

// Sorts n elements; `memory` as above. Brackets the stages "hist" and "sweep".
static inline void sort_by_sweeps(Pairs input, Pairs output, size_t n, void *memory) {
  stage_start("hist");
  count_histograms(input, n, sweep_state(n, input.positions != NULL, memory));
  stage_stop();
  sweep_all(input, output, n, memory);
}

#endif
