// mppsort_v2: partition by key range, with ranges that fit the data, then a block per group.
//
// Builds on: merge_v2, which sorts groups whose bins are overfull.
// Build:     make mppsort_v2
// Run:       ./HW4 samples/portrait.ppm samples/template.ppm --set groupSize=1024
// New here:  a sample divides the keys into thousands of fine ranges, narrow where keys are dense
//            (split.cuh); all keys are counted in them, and neighbours joined to groups that a
//            block can sort (join.cuh); one pass moves each key to its group (move_keys.cuh), and
//            pairs in their order (move_pairs.cuh); a block sorts each group (sort_group.cuh).
//            Equal keys are never sorted.
// Lesson:    equal work needs unequal ranges. A sample and a count find them; most skew then costs
//            table look-ups, not further passes.
#include "common/knobs.h"
#include "common/your_sort.h"
#include "mppsort_v2/levels.cuh"

static const char *const stages[] = {"ranges", "move", "sort", NULL};
static const SortKnob knobs[] = {
    {"fineBits", 0, 0, MOST_FINE_BITS, "the first division has 2^fineBits ranges; 0: by n"},
    {"groupSize", 0, 0, 1 << 14, "most elements that a block sorts, from 64 on; 0: by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "mppsort_v2",
    .title = "multi-partition sort: ranges that fit the data, one stable pass, a block per group",
    .source = "the CUDA-MPPSort report",
    .stable = true,
    .max_n = (1u << 30) - 1,  // a count of the look-back shares 32 bits with two flags
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 1.0,  // the counts of the look-back
    .scratch_per_pair = 1.5,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const unsigned int n = (unsigned int)numElems, group_size = (unsigned int)knob("groupSize");
  sort_by_ranges(input, output, n, knob("fineBits"), group_size);
}
