// wrong_sort: wrong on purpose, in the ways that HW4 must notice (tests/hw4/test_hw4.c).
#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

enum Mistake { UNSORTED = 1, NOTHING_WRITTEN, SCRATCH_KEPT };

static const char *const stages[] = {"copy", NULL};
static const SortKnob knobs[] = {
    {"mistake", UNSORTED, UNSORTED, SCRATCH_KEPT,
     "1: returns the input as it is; 2: writes nothing; 3: as 1, and keeps a scratch block"},
    {}};

extern "C" const SortVersion sort_version = {
    .name = "wrong_sort",
    .title = "no sort at all",
    .source = "the tests of HW4",
    .stable = true,
    .max_n = 10000,  // few, so that an image can be too large
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
};

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const int mistake = knob("mistake");
  if (mistake == NOTHING_WRITTEN) return;
  if (mistake == SCRATCH_KEPT) scratch_alloc(numElems);
  const size_t bytes = numElems * sizeof(unsigned int);
  stage_start("copy");
  CUDA_CHECK(cudaMemcpy(d_outputVals, d_inputVals, bytes, cudaMemcpyDeviceToDevice));
  if (d_inputPos != NULL)
    CUDA_CHECK(cudaMemcpy(d_outputPos, d_inputPos, bytes, cudaMemcpyDeviceToDevice));
  stage_stop();
}
