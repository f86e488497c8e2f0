// cub_ref: CUB's DeviceRadixSort with its scratch allocated beforehand: the harder baseline.
//
// Build:    make cub_ref            (GPU only)
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set wideIndex=0
// New here: no algorithm of ours. Thrust calls the same kernels, but allocates scratch at each
//           call.
#include <cub/device/device_radix_sort.cuh>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {
    {"wideIndex", 1, 0, 1, "type of num_items: 0 int, 1 size_t; CUB's speed depends on it"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "cub_ref",
    .title = "cub::DeviceRadixSort, scratch allocated beforehand",
    .source = "the library behind Thrust's radix sort",
    .stable = true,
    .max_n = 1ull << 40,  // with size_t memory is the limit
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 4.5,  // the library's second buffer and its counters
    .scratch_per_pair = 8.5,
};

// One call to CUB; with scratch NULL it only writes how much scratch it needs.
template <class Index>
static cudaError_t sort(void *scratch, size_t *scratch_bytes, const unsigned int *keys_in,
                        unsigned int *keys_out, const unsigned int *positions_in,
                        unsigned int *positions_out, Index n) {
  if (positions_in == NULL)
    return cub::DeviceRadixSort::SortKeys(scratch, *scratch_bytes, keys_in, keys_out, n);
  return cub::DeviceRadixSort::SortPairs(scratch, *scratch_bytes, keys_in, keys_out, positions_in,
                                         positions_out, n);
}

template <class Index>
static void sort_with_scratch(const unsigned int *keys_in, unsigned int *keys_out,
                              const unsigned int *positions_in, unsigned int *positions_out,
                              Index n) {
  size_t bytes = 0;
  CUDA_CHECK(sort(NULL, &bytes, keys_in, keys_out, positions_in, positions_out, n));
  void *const scratch = scratch_alloc(bytes);
  stage_start("sort");
  CUDA_CHECK(sort(scratch, &bytes, keys_in, keys_out, positions_in, positions_out, n));
  stage_stop();
  scratch_free(scratch);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  if (knob("wideIndex") == 1 || numElems > INT32_MAX)
    sort_with_scratch(d_inputVals, d_outputVals, d_inputPos, d_outputPos, numElems);
  else
    sort_with_scratch(d_inputVals, d_outputVals, d_inputPos, d_outputPos, (int)numElems);
}
