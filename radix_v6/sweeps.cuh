// Host side of the sweeps: choice of the tile shape by n, memory, and launches.
#ifndef RADIX_V6_SWEEPS_CUH
#define RADIX_V6_SWEEPS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/launch.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sweep.cuh"

typedef void SweepKernel(Elements, Elements, unsigned int, SweepPass, BitsThatCount);

// A tile shape and the kernels compiled for it.
typedef struct Shape {
  unsigned int tile, blocks_per_sm;  // elements; blocks that run together
  size_t shared_bytes;               // per block
  SweepKernel *keys, *pairs;
} Shape;

#define SHAPE(items, blocks_per_sm)                                                 \
  {                                                                                 \
    SWEEP_THREADS *items, blocks_per_sm, sizeof(SweepShared<items>),                \
        sweep<items, NO_VALUES, blocks_per_sm>, sweep<items, LOADED, blocks_per_sm> \
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

// Number of parts of `size` elements that n elements have; the last one may be shorter.
static unsigned int parts_of(size_t n, unsigned int size) {
  return (unsigned int)((n + size - 1) / size);
}

static unsigned int multiprocessors(void) {
  return (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
}

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

// Bytes of scratch memory that the sweeps need for n elements: a copy of the input, then what a
// SweepState points to. Two look-backs serve all passes: the count clears the first, and each pass
// the next one's.
static size_t sweeps_bytes(size_t n, bool pairs) {
  const size_t tiles = parts_of(n, choose_shape(n, pairs)->tile),
               words = PASSES * BINS + 2 * PASSES + 2 * tiles * BINS;
  return (pairs ? 2 : 1) * scratch_aligned(n * sizeof(unsigned int)) + words * sizeof(unsigned int);
}

// 0 between sorts: each count leaves them so.
static __device__ unsigned int digit_counts[COUNT_WORDS];

// The state of a sort in `memory`, of sweeps_bytes() bytes, aligned like scratch memory.
static SweepState sweep_state(size_t n, bool pairs, void *memory) {
  char *const behind = (char *)memory + (pairs ? 2 : 1) * scratch_aligned(n * sizeof(unsigned int));
  unsigned int *const start = (unsigned int *)behind, *const counters = start + PASSES * BINS;
  void *counts = NULL;
  CUDA_CHECK(cudaGetSymbolAddress(&counts, digit_counts));
  const size_t look_back_words = (size_t)parts_of(n, choose_shape(n, pairs)->tile) * BINS;
  return {
      start,          counters, counters + PASSES, (unsigned int *)counts, counters + 2 * PASSES,
      look_back_words};
}

static void count_all_digits(const unsigned int *keys, size_t n, SweepState state) {
  // Many copies of the counters pay for many keys; few copies are cheaper to clear. For few keys,
  // few and large blocks: all blocks add their counts to the same 1,024 counters.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int), limit = dynamic_shared_limit();
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > limit) copies /= 2;
  const unsigned int threads = COUNT_THREADS / (copies > 2 || n <= 400000 ? 1 : 2),
                     most = multiprocessors() * (copies > 8 ? 1 : 2),
                     wanted = parts_of(n, threads * 4), blocks = wanted < most ? wanted : most;
  allow_shared_memory(count_digits<WholeKey>, copies * one_copy);
  stage_start("hist");
  count_digits<<<blocks, threads, copies * one_copy>>>(keys, n, WholeKey(), state, copies);
  LAUNCH_CHECK();
  stage_stop();
}

// The four passes, once the digits are counted; an even number ends in the output without a copy.
static void sweep_all_digits(Elements input, Elements output, size_t n, void *memory) {
  enum { AHEAD_FROM = 1 << 25 };  // few keys gain nothing by tiles brought into the cache
  const bool pairs = input.values != NULL;
  const Shape *const shape = choose_shape(n, pairs);
  const SweepState state = sweep_state(n, pairs, memory);
  Elements spare = {(unsigned int *)memory, NULL};
  if (pairs)
    spare.values = spare.keys + scratch_aligned(n * sizeof *spare.keys) / sizeof *spare.keys;
  const Elements stations[PASSES + 1] = {input, spare, output, spare, output};
  unsigned int *const look_backs[2] = {state.look_back, state.look_back + state.look_back_words};
  const unsigned int ahead = n < AHEAD_FROM ? 0 : shape->blocks_per_sm * multiprocessors();
  const BitsThatCount all_bits = {{0, 0}, 0, 32};
  SweepKernel *const kernel = pairs ? shape->pairs : shape->keys;
  allow_shared_memory(kernel, shape->shared_bytes);
  stage_start("sweep");
  for (unsigned int pass = 0; pass < PASSES; pass++) {
    const SweepPass sweep_pass = {pass,
                                  pass == 0,
                                  state.spread + pass,
                                  state.start + pass * BINS,
                                  state.tile_counter + pass,
                                  look_backs[pass % 2],
                                  pass < PASSES - 1 ? look_backs[(pass + 1) % 2] : NULL,
                                  ahead,
                                  {},
                                  {}};
    launch_overlapped(kernel, parts_of(n, shape->tile), SWEEP_THREADS, shape->shared_bytes,
                      stations[pass], stations[pass + 1], (unsigned int)n, sweep_pass, all_bits);
  }
  stage_stop();
}

// Sorts n elements. Brackets the stages "hist" and "sweep".
static inline void sort_by_sweeps(Elements input, Elements output, size_t n) {
  const bool pairs = input.values != NULL;
  void *const memory = scratch_alloc(sweeps_bytes(n, pairs));
  count_all_digits(input.keys, n, sweep_state(n, pairs, memory));
  sweep_all_digits(input, output, n, memory);
  scratch_free(memory);
}

#endif
