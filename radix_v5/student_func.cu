// radix_v5: one sweep per digit. Every pass reads and writes the data once, in a single launch.
//
// Build:    make radix_v5
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: (after Adinets and Merrill's Onesweep) where v4 needs three launches and four trips
//           through memory a pass - histogram, scan, scatter -, a tile now stays on the chip until
//           it is scattered, and learns from its neighbours by look-back where its runs go. All
//           four histograms are counted beforehand by one read.
//           Bare keys, if they are spread well, are moved to small buckets instead, each of which
//           a block sorts in shared memory (buckets.cuh).
// Lesson:   once memory is touched as little as that, ranking the keys is what costs; and where
//           nobody can see the order of equal keys, nobody needs to pay for it.
#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v5/by_buckets.cuh"
#include "radix_v5/histogram.cuh"
#include "radix_v5/one_sweep.cuh"
#include "radix_v5/one_tile.cuh"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, 7, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {"oneTile", ONE_TILE_MAX, 0, ONE_TILE_MAX,
     "up to so many elements are sorted by one block alone"},
    {"bucketBits", 0, 0, MAX_BUCKET_BITS,
     "bare keys go to 2^bucketBits buckets first; 0: chosen by n, 1 to 9: no buckets"},
    {"bucketShape", 0, 0, BUCKET_SHAPES,
     "size of the buckets, a row of `bucket_shapes` in by_buckets.cuh; 0: chosen by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v5",
    "one sweep per digit by decoupled look-back; bare keys by small buckets",
    "Adinets and Merrill, Onesweep (2022)",
    true,
    (1u << 30) - 1,  // counts share their words with two flag bits
    0,
    stages,
    knobs,
    4.4,  // a copy, and the words of the look-back
    8.4,
};

typedef void SweepKernel(Pairs, Pairs, unsigned int, SweepPass);

// The shape of a tile and the kernels compiled for it.
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

// Sorted by need of shared memory.
static const Shape shapes[] = {
    SHAPE(8, 3), SHAPE(16, 3), SHAPE(24, 2), SHAPE(32, 3), SHAPE(40, 2), SHAPE(52, 2), SHAPE(56, 2),
};

// The best shape for up to so many elements, a row of the table above, counted from 1; measured on
// an H200 (README.md has the table).
typedef struct Choice {
  size_t up_to;
  int keys, pairs;
} Choice;

static const Choice choices[] = {
    {100000, 1, 1},  {400000, 2, 2},  {1500000, 3, 3},
    {3000000, 4, 5}, {6000000, 4, 6}, {SIZE_MAX, 7, 6},
};

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

static void histogram(Pairs in, size_t n, SweepState state, size_t look_back_words) {
  const size_t multiprocessors = (size_t)device_attribute(cudaDevAttrMultiProcessorCount);
  const size_t limit = dynamic_shared_limit();
  // Many copies of the counters pay when there are many keys to count; few are cheaper to clear.
  // And with few keys, few and large blocks: each adds its counts to the same 1,024 words.
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

// Four passes that end in the output, without a copy.
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
  histogram(input, n, state, look_back_words);
  stage_stop();
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++) {
    const SweepPass sweep_pass = {(unsigned int)pass, state.spread + pass,
                                  state.start + pass * BINS, state.tile_counter + pass,
                                  state.look_back + (size_t)pass * tiles * BINS};
    launch_overlapped(sweep, tiles, SWEEP_THREADS, shape->shared_bytes, stations[pass],
                      stations[pass + 1], (unsigned int)n, sweep_pass);
  }
  stage_stop();
  scratch_free(scratch);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems, bytes = n * sizeof(unsigned int);
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (n <= (size_t)knob("oneTile")) {
    stage_start("sweep");
    sort_in_one_tile(input, output, (unsigned int)n);
    stage_stop();
    return;
  }
  const Pairs spare = {(unsigned int *)scratch_alloc(bytes),
                       d_inputPos == NULL ? NULL : (unsigned int *)scratch_alloc(bytes)};
  const bool sorted = d_inputPos == NULL && sort_by_buckets(input.keys, spare.keys, output.keys, n);
  if (!sorted) sort_by_sweeps(input, spare, output, n);
  if (spare.positions != NULL) scratch_free(spare.positions);
  scratch_free(spare.keys);
}
