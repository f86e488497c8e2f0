// stray_sort: sorts nothing and leaves its place: it forks, ends the program, and leaves processes
// and errors behind (tests/compare/).
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/your_sort.h"

enum Way {
  COPY = 0,
  EXIT_0,
  LEAVE_0,
  FORK,
  BACKGROUND,
  COLOURS,
  BAD_LAUNCH,
  BAD_COPY,
  FREE_OUTPUT,
};

static const char *const stages[] = {NULL};
static const SortKnob knobs[] = {
    {"way", COPY, COPY, FREE_OUTPUT,
     "0: right for sorted input; 1: exit(0); 2: _exit(0); 3: forks; 4: leaves a process behind; "
     "5: prints control characters; 6: an invalid launch; 7: an invalid copy; 8: frees an output"},
    {}};

extern "C" const SortVersion sort_version = {
    .name = "stray_sort",
    .title = "no sort at all",
    .source = "the tests of compare",
    .stable = true,
    .max_n = 10000,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
};

// Names of the harness, which a version may use for its own.
extern "C" int verdict_passes(int value);
extern "C" int workload_poison(int value);
extern "C" int seconds_now(int value);
extern "C" int verdict_passes(int value) { return value + 1; }
extern "C" int workload_poison(int value) { return value + 2; }
extern "C" int seconds_now(int value) { return value + 3; }

static __global__ void nothing(void) {}

static void go_astray(int way, unsigned int *d_output) {
  if (way == EXIT_0) exit(0);
  if (way == LEAVE_0) _exit(0);
  if (way == FORK) (void)!fork();
  if (way == BACKGROUND) (void)!system("sleep 25 &");
  if (way == FREE_OUTPUT) cudaFree(d_output);
  if (way == COLOURS) fprintf(stderr, "\033[2J\033]0;title\aa line\n");
  if (way == BAD_LAUNCH) nothing<<<1, 4096>>>();
  if (way == BAD_COPY) cudaMemcpy(d_output, NULL, 4, (cudaMemcpyKind)17);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (verdict_passes(1) != 2 || workload_poison(1) != 3 || seconds_now(1) != 4) exit(9);
  go_astray(knob("way"), d_outputVals);
  CUDA_CHECK(cudaMemcpy(d_outputVals, d_inputVals, numElems * sizeof *d_outputVals,
                        cudaMemcpyDeviceToDevice));
  if (d_inputPos != NULL)
    CUDA_CHECK(cudaMemcpy(d_outputPos, d_inputPos, numElems * sizeof *d_outputPos,
                          cudaMemcpyDeviceToDevice));
}
