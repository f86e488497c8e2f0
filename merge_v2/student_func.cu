// merge_v2: a merge sort with few trips through memory: each pass merges up to eight runs.
//
// Build:    make merge_v2
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set doublings=1
// New here: a tile of up to 16,632 elements is sorted in shared memory (sort_tiles.cuh). Then eight
//           sorted runs become one in a single pass: a warp finds their cuts at the first element
//           of each output tile by a search in all eight (cut_runs.cuh), and a block merges the
//           pieces between two cuts in shared memory (merge_tiles.cuh); bare keys are merged by a
//           network in registers (networks.cuh). 2^28 keys take 6 trips, in pairs they take 16.
// Lesson:   merging in pairs needs few comparisons but many trips. With few trips, shared memory
//           is the limit: its banks and the number of searches count. It is a comparison sort:
//           order.cuh alone defines the order.
#include "common/knobs.h"
#include "common/your_sort.h"
#include "merge_v2/passes.cuh"

static const char *const stages[] = {"sort", "merge", NULL};
static const SortKnob knobs[] = {
    {"shape", 0, 0, SHAPES, "threads and elements of a tile, a row of the shapes; 0: chosen by n"},
    {"doublings", 3, 1, 3, "a pass merges up to 2^doublings runs"},
    {"ownCutsUpTo", 3000000, 0, 1 << 30, "largest n whose blocks cut the runs themselves"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "merge_v2",
    .title = "merge sort, eight runs at a time, in shared memory between two cuts",
    .source = "Green, McColl and Bader, GPU Merge Path (2012)",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.1,  // the cuts
    .scratch_per_pair = 0.1,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const KeyArrays input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const bool own_cuts = numElems <= (size_t)knob("ownCutsUpTo");
  merge_sort(input, output, numElems, knob("shape"), knob("doublings"), own_cuts);
}
