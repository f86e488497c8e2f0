// radix_v5: one sweep per digit. Every pass reads and writes the data once, in a single launch.
//
// Build:    make radix_v5
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: (after Adinets and Merrill's Onesweep) where v4 needs three launches and four trips
//           through memory a pass - histogram, scan, scatter -, a tile now stays on the chip until
//           it is scattered, and learns from its neighbours by look-back where its runs go. All
//           four histograms are counted beforehand by one read.
// Lesson:   once memory is touched as little as that, ranking the keys is what costs.
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v5/histogram.cuh"
#include "radix_v5/one_sweep.cuh"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, 6, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v5",
    "one sweep per digit: decoupled look-back, tiles that stay on the chip",
    "Adinets and Merrill, Onesweep (2022)",
    true,
    (1u << 30) - 1,  // counts share their words with two flag bits
    0,
    stages,
    knobs,
};

typedef void SweepKernel(Pairs, Pairs, unsigned int, int, SweepState, unsigned int);

// The shape of a tile and the kernels compiled for it.
typedef struct Shape {
  int threads, items;
  size_t shared_bytes;
  SweepKernel *keys, *pairs;
} Shape;

#define SHAPE(threads, items, keys_per_sm, pairs_per_sm) \
  {                                                      \
    threads, items, sizeof(SweepShared<threads, items>), \
        one_sweep<threads, items, false, keys_per_sm>,   \
        one_sweep<threads, items, true, pairs_per_sm>    \
  }

static const Shape shapes[] = {
    SHAPE(256, 8, 3, 3),  SHAPE(256, 16, 3, 3), SHAPE(256, 24, 2, 2),
    SHAPE(256, 32, 2, 2), SHAPE(256, 40, 2, 2), SHAPE(256, 48, 2, 2),
};

// Which shape is best from which n on; measured on an H200 (README.md has the table).
typedef struct Choice {
  size_t up_to;  // elements
  int keys, pairs;
} Choice;

static const Choice choices[] = {
    {500000, 1, 1},
    {3000000, 3, 3},
    {16000000, 5, 5},
    {SIZE_MAX, 6, 5},
};

static const Shape *choose_shape(size_t n, bool pairs) {
  const int wanted = knob("shape");
  if (wanted > 0) return &shapes[wanted - 1];
  const Choice *choice = choices;
  while (n > choice->up_to) choice++;
  return &shapes[(pairs ? choice->pairs : choice->keys) - 1];
}

static int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

static void histogram(Pairs in, size_t n, SweepState state, size_t look_back_words) {
  static int multiprocessors = 0, shared_limit = 0;
  if (multiprocessors == 0) {
    multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    shared_limit = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    CUDA_CHECK(cudaFuncSetAttribute(count_digits, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    shared_limit - 1024));
  }
  // Many copies of the counters pay when there are many keys to count; few are cheaper to clear.
  const size_t one_copy = PASSES * BINS * sizeof(unsigned int);
  unsigned int copies = n > 2000000 ? 32 : 2;
  while (copies * one_copy > (size_t)shared_limit - 1024) copies /= 2;
  const size_t threads = copies > 2 ? HISTOGRAM_THREADS : HISTOGRAM_THREADS / 2;
  const size_t wanted = n / (threads * 4) + 1;
  const size_t most = (size_t)multiprocessors * (copies > 8 ? 1 : 2);
  count_digits<<<(unsigned int)(wanted < most ? wanted : most), (unsigned int)threads,
                 copies * one_copy>>>(in.keys, n, state, look_back_words, copies);
  LAUNCH_CHECK();
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const Shape *const shape = choose_shape(n, d_inputPos != NULL);
  const unsigned int tiles = blocks_for(n, shape->threads * shape->items);
  const size_t look_back_words = (size_t)PASSES * tiles * BINS;
  unsigned int *const scratch = (unsigned int *)scratch_alloc(
      (PASSES * BINS + PASSES + look_back_words) * sizeof(unsigned int));
  const SweepState state = {scratch + look_back_words, scratch + look_back_words + PASSES * BINS,
                            scratch};
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const Pairs spare = {
      (unsigned int *)scratch_alloc(n * sizeof(unsigned int)),
      d_inputPos == NULL ? NULL : (unsigned int *)scratch_alloc(n * sizeof(unsigned int))};
  // Four passes that end in the output, without a copy.
  const Pairs stations[PASSES + 1] = {input, spare, input, spare, output};
  SweepKernel *const sweep = d_inputPos == NULL ? shape->keys : shape->pairs;
  CUDA_CHECK(cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  (int)shape->shared_bytes));

  stage_start("hist");
  histogram(input, n, state, look_back_words);
  stage_stop();
  stage_start("sweep");
  for (int pass = 0; pass < PASSES; pass++)
    launch_overlapped(sweep, tiles, (unsigned int)shape->threads, shape->shared_bytes,
                      stations[pass], stations[pass + 1], (unsigned int)n, pass, state, tiles);
  stage_stop();

  if (spare.positions != NULL) scratch_free(spare.positions);
  scratch_free(spare.keys);
  scratch_free(scratch);
}
