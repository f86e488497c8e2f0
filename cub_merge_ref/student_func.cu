// cub_merge_ref: CUB's DeviceMergeSort (stable), scratch allocated beforehand: the baseline of the
// merge sorts.
//
// Build:    make cub_merge_ref      (GPU only)
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: no algorithm of ours.
#include <cub/device/device_merge_sort.cuh>

#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "cub_merge_ref",
    .title = "cub::DeviceMergeSort, scratch allocated beforehand",
    .source = "the library's merge sort",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 4.5,  // the library's second buffer and its partitions
    .scratch_per_pair = 8.5,
};

struct Less {
  __device__ bool operator()(unsigned int a, unsigned int b) const { return a < b; }
};

// One call to CUB; with scratch NULL it only writes how much scratch it needs.
static cudaError_t sort(void *scratch, size_t *bytes, Pairs from, Pairs to, size_t n) {
  if (from.positions == NULL)
    return cub::DeviceMergeSort::StableSortKeysCopy(scratch, *bytes, from.keys, to.keys, n, Less());
  return cub::DeviceMergeSort::SortPairsCopy(scratch, *bytes, from.keys, from.positions, to.keys,
                                             to.positions, n, Less());
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  size_t bytes = 0;
  CUDA_CHECK(sort(NULL, &bytes, from, to, numElems));
  void *const scratch = scratch_alloc(bytes);
  stage_start("sort");
  CUDA_CHECK(sort(scratch, &bytes, from, to, numElems));
  stage_stop();
  scratch_free(scratch);
}
