// What runs do not suit: the four sweeps of radix_v6, by gsort's kernels.
#ifndef RADIX_V8_SWEEPS_CUH
#define RADIX_V8_SWEEPS_CUH

#include "common/check.h"
#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sweep.cuh"

static unsigned int parts(size_t n, unsigned int size) {
  return (unsigned int)((n + size - 1) / size);
}

static unsigned int multiprocessors(void) {
  return (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
}

// Tiles of radix_v6's sweeps.
typedef struct SweepShape {
  size_t up_to;
  unsigned int tile;
  size_t bytes;
  void (*sweep)(Elements, Elements, unsigned int, SweepPass, BitsThatCount);
} SweepShape;
#define SWEEP(items, blocks) \
  SWEEP_THREADS *items, sizeof(SweepShared<items>), sweep<items, LOADED, blocks>
static const SweepShape sweep_shapes[] = {
    {100000, SWEEP(8, 3)}, {400000, SWEEP(16, 3)}, {SIZE_MAX, SWEEP(24, 2)}};

static char *take(char *base, size_t *used, size_t bytes) {
  char *const part = base + *used;
  *used += scratch_aligned(bytes);
  return part;
}

// Lays out what the sweeps of n pairs need behind *used bytes from `base` on.
static SweepState place_sweeps(char *base, size_t *used, size_t n, const SweepShape *shape) {
  SweepState state;
  state.start = (unsigned int *)take(base, used, PASSES * BINS * sizeof(unsigned int));
  state.tile_counter = (unsigned int *)take(base, used, 2 * PASSES * sizeof(unsigned int));
  state.spread = state.tile_counter + PASSES;
  state.counts = (unsigned int *)take(base, used, COUNT_WORDS * sizeof(unsigned int));
  state.look_back_words = (size_t)parts(n, shape->tile) * BINS;
  state.look_back =
      (unsigned int *)take(base, used, 2 * state.look_back_words * sizeof(unsigned int));
  return state;
}

// Sorts n pairs by four sweeps. counted: the digits are counted already.
static void sort_by_sweeps(Elements input, Elements output, Elements spare, size_t n,
                           const SweepShape *shape, SweepState state, bool counted) {
  if (!counted) {
    const size_t copy = PASSES * BINS * sizeof(unsigned int);
    unsigned int copies = n > 2000000 ? 32 : 2;
    while (copies * copy > dynamic_shared_limit()) copies /= 2;
    const unsigned int most = multiprocessors() * (copies > 8 ? 1 : 2),
                       blocks = parts(n, 4 * COUNT_THREADS);
    stage_start("hist");
    CUDA_CHECK(cudaMemsetAsync(state.counts, 0, COUNT_WORDS * sizeof(unsigned int), 0));
    allow_shared_memory(count_digits<WholeKey>, copies * copy);
    const unsigned int grid = blocks < most ? blocks : most;
    count_digits<<<grid, COUNT_THREADS, copies * copy>>>(input.keys, n, WholeKey(), state, copies);
    LAUNCH_CHECK();
    stage_stop();
  }
  stage_start("sweep");
  allow_shared_memory(shape->sweep, shape->bytes);
  for (unsigned int pass = 0; pass < PASSES; pass++) {
    const bool last = pass == PASSES - 1, odd = pass % 2 == 1;
    unsigned int *const look_back[2] = {state.look_back, state.look_back + state.look_back_words};
    const Elements from = pass == 0 ? input : odd ? spare : output, to = odd ? output : spare;
    const SweepPass sweep_pass = {pass,
                                  false,
                                  state.spread + pass,
                                  state.start + pass * BINS,
                                  state.tile_counter + pass,
                                  look_back[odd],
                                  last ? NULL : look_back[!odd],
                                  0};
    shape->sweep<<<parts(n, shape->tile), SWEEP_THREADS, shape->bytes>>>(
        from, to, (unsigned int)n, sweep_pass, {{0, 0}, 0, ~0u});
    LAUNCH_CHECK();
  }
  stage_stop();
}

#endif
