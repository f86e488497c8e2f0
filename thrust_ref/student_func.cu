// thrust_ref: the library that the reports compare with: Thrust's stable_sort_by_key, and sort for
// bare keys.
//
// Build:    make thrust_ref
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: no algorithm of ours. On a GPU Thrust sorts by CUB's radix sort; on the cpu backend its
//           TBB backend sorts by a parallel merge sort.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "common/check.h"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "thrust_ref",
    .title = "thrust::stable_sort_by_key; for bare keys thrust::sort",
    .source = "the library that the reports compare with",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 4.5,  // the library's second buffer and its counters, on a GPU
    .scratch_per_pair = 8.5,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  stage_start("sort");
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  copy_pairs(output, input, numElems);  // Thrust sorts in place
#ifdef CUDA_CPU
  const cuda_cpu::DeviceScope library_runs_on_the_device;
#endif
  unsigned int *const end = d_outputVals + numElems;
  if (d_outputPos == NULL)
    thrust::sort(thrust::device, d_outputVals, end);
  else
    thrust::stable_sort_by_key(thrust::device, d_outputVals, end, d_outputPos);
  stage_stop();
}
