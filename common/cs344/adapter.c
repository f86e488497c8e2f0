// Makes a version of a folder whose student_func.cu is CS344's own: compiled once for each such
// folder, with its name in CS344_NAME, and linked with it into one object (see the Makefile).
#include "common/your_sort.h"

// The solution's function. It is compiled as C++, because CS344 declares it without extern "C".
void cs344_your_sort(unsigned int *d_inputVals, unsigned int *d_inputPos,
                     unsigned int *d_outputVals, unsigned int *d_outputPos,
                     size_t numElems) __asm__("_Z9your_sortPjS_S_S_m");

// Weak, so that a solution that is extern "C" links, and cs344.mk can say what is wrong with it.
__attribute__((weak)) void your_sort(unsigned int *const d_inputVals,
                                     unsigned int *const d_inputPos,
                                     unsigned int *const d_outputVals,
                                     unsigned int *const d_outputPos, const size_t numElems) {
  cs344_your_sort(d_inputVals, d_inputPos, d_outputVals, d_outputPos, numElems);
}

static const char *const no_stages[] = {NULL};
static const SortKnob no_knobs[] = {{0}};

const SortVersion sort_version = {
    .name = CS344_NAME,
    .title = "a solution of Udacity CS344, Problem Set 4",
    .source = "CS344",
    .max_n = UINT32_MAX,
    .stages = no_stages,
    .knobs = no_knobs,
    .scratch_per_key = -1.0,
    .scratch_per_pair = -1.0,
    .pairs_only = true,
};
