// exit_sort: ends the program while it is loaded; tests/compare/ expects a sentence.
#include <unistd.h>

#include "common/your_sort.h"

static const char *const stages[] = {NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "exit_sort",
    .title = "no sort at all",
    .source = "the tests of compare",
    .stable = true,
    .max_n = 10000,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
};

__attribute__((constructor)) static void leave(void) { _exit(0); }

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  (void)d_inputVals, (void)d_inputPos, (void)d_outputVals, (void)d_outputPos, (void)numElems;
}
