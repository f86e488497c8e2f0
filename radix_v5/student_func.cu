// radix_v5: one sweep per digit. A pass reads and writes the data once, in a single launch.
//
// Build:    make radix_v5
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set shape=2
// New here: (after Adinets and Merrill's Onesweep) radix_v4 takes several launches and trips
// through
//           memory for a pass: histogram, scan, scatter. Here a tile stays on the chip until it is
//           scattered. Decoupled look-back over the tiles before it gives the start of each of its
//           runs. The histograms of all passes are counted beforehand, by one read.
// Lesson:   36 bytes a key move in all. After that, ranking costs more than memory (radix_v6).
#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v5/histogram.cuh"
#include "radix_v5/one_sweep.cuh"

template <int kItems>
static void launch_sweep(Pairs in, Pairs out, size_t n, SweepPass pass) {
  one_sweep<kItems>
      <<<blocks_for(n, SWEEP_THREADS * kItems), SWEEP_THREADS>>>(in, out, (unsigned int)n, pass);
  LAUNCH_CHECK();
}

// Tile shapes: elements per thread.
typedef struct Shape {
  int items;
  void (*launch_sweep)(Pairs in, Pairs out, size_t n, SweepPass pass);
} Shape;

static const Shape shapes[] = {
    {4, launch_sweep<4>}, {8, launch_sweep<8>}, {16, launch_sweep<16>}, {24, launch_sweep<24>}};
enum {
  SHAPES = sizeof shapes / sizeof *shapes,
  DEFAULT_SHAPE = 3,
  COUNT_THREADS = 512,
  COUNT_BLOCKS_PER_SM = 4,
};

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", DEFAULT_SHAPE, 1, SHAPES, "elements per thread: 1: 4, 2: 8, 3: 16, 4: 24"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v5",
    "one sweep per digit: tiles stay on the chip, decoupled look-back",
    "Adinets and Merrill, Onesweep (2022)",
    true,
    (1u << 30) - 1,  // a count of the look-back shares 32 bits with two flags
    0,
    stages,
    knobs,
    5.0,  // a copy of the input, and the counts of the look-back
    9.0,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems, bytes = n * sizeof(unsigned int);
  const Shape shape = shapes[knob("shape") - 1];
  const unsigned int tiles = blocks_for(n, SWEEP_THREADS * shape.items);
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const Pairs spare = {(unsigned int *)scratch_alloc(bytes),
                       d_inputPos == NULL ? NULL : (unsigned int *)scratch_alloc(bytes)};
  // histogram[PASSES][BINS], tile_counter[PASSES], look_back[PASSES][tiles][BINS]
  const size_t words = PASSES * (BINS + 1 + (size_t)tiles * BINS) * sizeof(unsigned int);
  unsigned int *const histogram = (unsigned int *)scratch_alloc(words);
  unsigned int *const tile_counter = histogram + PASSES * BINS;
  unsigned int *const look_back = tile_counter + PASSES;

  stage_start("hist");
  CUDA_CHECK(cudaMemsetAsync(histogram, 0, words, 0));
  unsigned int count_blocks =
      COUNT_BLOCKS_PER_SM * (unsigned int)device_attribute(cudaDevAttrMultiProcessorCount);
  if (count_blocks > blocks_for(n, COUNT_THREADS)) count_blocks = blocks_for(n, COUNT_THREADS);
  count_digits<<<count_blocks, COUNT_THREADS>>>(input.keys, n, histogram);
  LAUNCH_CHECK();
  scan_histograms<<<PASSES, BINS>>>(histogram);
  LAUNCH_CHECK();
  stage_stop();

  stage_start("sweep");
  // Four passes that end in the output, without a copy.
  const Pairs stations[PASSES + 1] = {input, spare, input, spare, output};
  for (int pass = 0; pass < PASSES; pass++) {
    const SweepPass sweep_pass = {pass, histogram + pass * BINS, tile_counter + pass,
                                  look_back + (size_t)pass * tiles * BINS};
    shape.launch_sweep(stations[pass], stations[pass + 1], n, sweep_pass);
  }
  stage_stop();

  scratch_free(histogram);
  if (spare.positions != NULL) scratch_free(spare.positions);
  scratch_free(spare.keys);
}
