// radix_v7: fewer trips through memory. Bare keys are sorted in small buckets, one block each.
//
// Builds on: radix_v6, whose sweeps sort pairs and keys that do not fit into buckets.
// Build:     make radix_v7
// Run:       ./HW4 samples/portrait.ppm samples/template.ppm
// New here:  bare keys, if evenly distributed, are moved by their upper bits to buckets, each of
//            which a block sorts in shared memory (buckets.cuh).
// Lesson:    equal bare keys are identical, so a sort of them need not be stable, and need not pay
//            for stability.
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "radix_v6/by_sweeps.cuh"
#include "radix_v6/one_tile.cuh"
#include "radix_v7/by_buckets.cuh"

static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, SHAPES, "tile shape, a row of the table `shapes`; 0: chosen by n"},
    {"oneTile", ONE_TILE_MAX, 0, ONE_TILE_MAX, "largest n that one block sorts in one launch"},
    {"bucketBits", 0, 0, MAX_BUCKET_BITS,
     "bare keys go to 2^bucketBits buckets first; 0: chosen by n, 1 to 9: no buckets"},
    {"bucketShape", 0, 0, BUCKET_SHAPES,
     "size of the buckets, a row of `bucket_shapes` in by_buckets.cuh; 0: chosen by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    "radix_v7",
    "bare keys by small buckets, sorted on the chip; sweeps for the rest",
    "Adinets and Merrill, Onesweep (2022)",
    true,
    (1u << 30) - 1,  // a count of the look-back shares 32 bits with two flags
    0,
    stages,
    knobs,
    4.4,  // a copy of the input, and the counts of the look-back
    8.4,
};

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
