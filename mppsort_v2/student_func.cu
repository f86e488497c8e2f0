// mppsort_v2: partition by key range, with ranges that fit the data, then a block per partition.
//
// Builds on: radix_v7, whose stable passes in shared memory rank and sort.
// Build:     make mppsort_v2
// Run:       ./HW4 samples/portrait.ppm samples/template.ppm --set groupSize=1024
// New here:  the keys are counted in thousands of fine ranges first, and neighbouring fine ranges
//            are joined to groups that a block can sort (ranges.cuh); one pass moves each key to
//            its group and keeps the order (move.cuh); a block sorts each group (sort_group.cuh).
//            Only a fine range that is still too large is partitioned again, by itself; equal keys
//            are never sorted.
// Lesson:    equal work needs unequal ranges. A count of the keys costs one read; it replaces a
//            second partition of all keys.
#include "common/knobs.h"
#include "common/your_sort.h"
#include "mppsort_v2/levels.cuh"

static const char *const stages[] = {"ranges", "move", "sort", NULL};
static const SortKnob knobs[] = {
    {"fineBits", 0, 0, MOST_FINE_BITS, "2^fineBits fine ranges, if they fit; 0: 2^13 to 2^15 by n"},
    {"groupSize", MOST_IN_GROUP, 64, MOST_IN_GROUP, "most elements that a block sorts"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "mppsort_v2",
    .title = "multi-partition sort: joined fine ranges, one stable pass, a block per group",
    .source = "the CUDA-MPPSort report",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.7,  // the table of tiles and groups
    .scratch_per_pair = 0.7,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const unsigned int n = (unsigned int)numElems, capacity = (unsigned int)knob("groupSize");
  if (d_inputPos == NULL)
    sort_by_ranges<false>(input, output, n, knob("fineBits"), capacity);
  else
    sort_by_ranges<true>(input, output, n, knob("fineBits"), capacity);
}
