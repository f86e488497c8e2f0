// radix_v6: the one sweep of radix_v5, tuned to the machine.
//
// Build:    make radix_v6
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: ballots, digits and addresses in few instructions (instructions.cuh), byte offsets,
//           a tile shape for each n, tiles of constant digits only copied, small n in one launch.
// Lesson:   once a tile stays on the chip, ranking the keys is what costs.
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v6/one_tile.cuh"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, SHAPES, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {"oneTile", ONE_TILE_MAX, 0, ONE_TILE_MAX, "largest n that one block sorts in one launch"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v6",
    "the one sweep tuned: few instructions a key, tile shapes, small n in one tile",
    "Adinets and Merrill, Onesweep (2022)",
    true,
    (1u << 30) - 1,  // a count of the look-back shares 32 bits with two flags
    0,
    stages,
    knobs,
    4.4,  // from 400,001 elements on: a copy of the input, and the counts of two look-backs;
    8.4,  // 0.1 less from 2 million on
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (n <= (size_t)knob("oneTile")) {
    stage_start("sweep");
    sort_in_one_tile(input, output, (unsigned int)n);
    stage_stop();
    return;
  }
  void *const memory = scratch_alloc(sweeps_bytes(n, d_inputPos != NULL));
  sort_by_sweeps(input, output, n, memory);
  scratch_free(memory);
}
