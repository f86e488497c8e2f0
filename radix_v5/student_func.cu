// radix_v5: one sweep per digit. A pass reads and writes the data once, in a single launch.
//
// Build:    make radix_v5
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set shape=2
// New here: (after Adinets and Merrill's Onesweep) radix_v4 takes several launches and trips
//           through memory for a pass: histogram, scan, scatter. Here a tile stays on the chip
//           until it is scattered. Decoupled look-back over the tiles before it gives the start of
//           each of its runs. The histograms of all passes are counted beforehand, by one read.
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

template <int kItems, class Count>
static void launch_sweep(Pairs in, Pairs out, size_t n, SweepPass<Count> pass) {
  one_sweep<kItems>
      <<<blocks_for(n, SWEEP_THREADS * kItems), SWEEP_THREADS>>>(in, out, (Count)n, pass);
  LAUNCH_CHECK();
}

// Tile shapes: elements per thread.
template <class Count>
struct Shape {
  int items;
  void (*launch_sweep)(Pairs in, Pairs out, size_t n, SweepPass<Count> pass);
};

template <class Count>
static const Shape<Count> shapes[] = {{4, launch_sweep<4, Count>},
                                      {8, launch_sweep<8, Count>},
                                      {16, launch_sweep<16, Count>},
                                      {24, launch_sweep<24, Count>}};
enum {
  SHAPES = 4,
  DEFAULT_SHAPE = 3,
  COUNT_THREADS = 512,
  COUNT_BLOCKS_PER_SM = 4,
};
// Beyond it a count of the look-back does not fit into 32 bits beside its two flags.
static const size_t NARROW_N = (1u << 30) - 1;

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", DEFAULT_SHAPE, 1, SHAPES, "elements per thread: 1: 4, 2: 8, 3: 16, 4: 24"},
    {"wide", 0, 0, 1, "counts of 64 bits: 0 only for n of 2^30 or more, which need them; 1 always"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v5",
    .title = "one sweep per digit: tiles stay on the chip, decoupled look-back",
    .source = "Adinets and Merrill, Onesweep (2022)",
    .stable = true,
    // The least number of blocks of count_digits is 4; each counts n / 4 in 32 bits.
    .max_n = 1ull << 33,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 5.0,  // a copy of the input, and the counts of the look-back
    .scratch_per_pair = 9.0,
};

// Count: the type of counts and of indices of the output.
template <class Count>
static void sort(Pairs input, Pairs output, size_t n) {
  const size_t bytes = n * sizeof(unsigned int);
  const Shape<Count> shape = shapes<Count>[knob("shape") - 1];
  const unsigned int tiles = blocks_for(n, SWEEP_THREADS * shape.items);
  const Pairs spare = {(unsigned int *)scratch_alloc(bytes),
                       input.positions == NULL ? NULL : (unsigned int *)scratch_alloc(bytes)};
  // A look-back for each pass, or one that every pass clears: the arrays of 64 bits are large.
  const int look_backs = sizeof(Count) > sizeof(unsigned int) ? 1 : PASSES;
  // histogram[PASSES][BINS], look_back[look_backs][tiles][BINS], then 32-bit tile_counter[PASSES]
  const size_t look_back_size = (size_t)tiles * BINS;
  const size_t counts = PASSES * BINS + look_backs * look_back_size;
  const size_t all = counts * sizeof(Count) + PASSES * sizeof(unsigned int);
  Count *const histogram = (Count *)scratch_alloc(all);
  Count *const look_back = histogram + PASSES * BINS;
  unsigned int *const tile_counter = (unsigned int *)(histogram + counts);

  stage_start("hist");
  CUDA_CHECK(cudaMemsetAsync(histogram, 0, all, 0));
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
    const bool shared = look_backs == 1;
    if (shared && pass > 0)
      CUDA_CHECK(cudaMemsetAsync(look_back, 0, look_back_size * sizeof(Count), 0));
    const SweepPass<Count> sweep_pass = {pass, histogram + pass * BINS, tile_counter + pass,
                                         look_back + (shared ? 0 : pass) * look_back_size};
    shape.launch_sweep(stations[pass], stations[pass + 1], n, sweep_pass);
  }
  stage_stop();

  scratch_free(histogram);
  if (spare.positions != NULL) scratch_free(spare.positions);
  scratch_free(spare.keys);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (numElems > NARROW_N || knob("wide") == 1)
    sort<unsigned long long>(input, output, numElems);
  else
    sort<unsigned int>(input, output, numElems);
}
