// radix_v6: the one sweep of radix_v5, tuned to the machine.
//
// Build:    make radix_v6
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: ballots, digits and addresses in few instructions (gsort/warp/instructions.cuh), byte
//           offsets, a tile shape for each n, tiles of constant digits only copied, small n in one
//           launch. The kernels are those of gsort/kernel/: count_digits.cuh, sweep.cuh, rank.cuh.
// Lesson:   once a tile stays on the chip, ranking the keys is what costs.
#include "common/your_sort.h"
#include "radix_v6/few.cuh"
#include "radix_v6/sweeps.cuh"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, SHAPES, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {"rankedUpTo", RANKED_MOST, 0, RANKED_MOST, "largest n that is sorted in one launch, by rank"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v6",
    "the one sweep tuned: few instructions a key, tile shapes, small n in one launch",
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
  const Elements input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (numElems == 0) return;
  if (numElems <= (size_t)knob("rankedUpTo"))
    sort_by_rank(input, output, numElems);
  else
    sort_by_sweeps(input, output, numElems);
}
