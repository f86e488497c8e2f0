// crash_sort: goes wrong on purpose, in the ways that compare must survive (tests/compare/).
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

enum Way { COPY = 0, CRASH, LEAVE, HANG, FAIL, KEEP_SCRATCH, UNSORTED, SPIN, NO_MEMORY };

static const char *const stages[] = {"copy", NULL};
static const SortKnob knobs[] = {
    {"way", CRASH, COPY, NO_MEMORY,
     "0: right for sorted input; 1: segmentation fault; 2: exit code 7; 3: hangs; 4: a CUDA call "
     "fails; 5: keeps scratch; 6: leaves the last two elements out of order; 7: a kernel hangs; "
     "8: does not notice that memory ran out"},
    {"brackets", 1, 1, 1000, "times that the stage is entered"},
    {}};

extern "C" const SortVersion sort_version = {
    .name = "crash_sort",
    .title = "no sort at all",
    .source = "the tests of compare",
    .stable = true,
    .max_n = 10000,
    .slow_n = 100,
    .stages = stages,
    .knobs = knobs,
};

static void copy(unsigned int *d_to, const unsigned int *d_from, size_t n, bool swap_last) {
  CUDA_CHECK(cudaMemcpy(d_to, d_from, n * sizeof *d_to, cudaMemcpyDeviceToDevice));
  if (!swap_last || n < 2) return;
  for (size_t i = n - 2; i < n; i++)
    CUDA_CHECK(
        cudaMemcpy(d_to + i, d_from + (2 * n - 3 - i), sizeof *d_to, cudaMemcpyDeviceToDevice));
}

// Creates the file that HANG_MARK names, so that a test need not guess when it happens.
static void hang(void) {
  const char *const mark = getenv("HANG_MARK");
  if (mark != NULL) close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  for (;;) pause();
}

// It counts, because the cpu backend names a loop in which nothing changes.
static __global__ void spin(const volatile unsigned int *flag) {
  for (unsigned int steps = 1; *flag != 4000000000u || steps == 0;) steps += 2;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const int way = knob("way");
  if (way == CRASH) raise(SIGSEGV);
  if (way == LEAVE) exit(7);
  if (way == HANG) hang();
  if (way == FAIL) CUDA_CHECK(cudaErrorLaunchFailure);
  if (way == SPIN) spin<<<1, 32>>>(d_inputVals);
  void *memory = NULL;
  if (way == NO_MEMORY) (void)cudaMalloc(&memory, (size_t)1 << 60);
  if (way == KEEP_SCRATCH) scratch_alloc(1);
  for (int bracket = 0; bracket < knob("brackets"); bracket++) {
    stage_start("copy");
    copy(d_outputVals, d_inputVals, numElems, way == UNSORTED);
    if (d_inputPos != NULL) copy(d_outputPos, d_inputPos, numElems, way == UNSORTED);
    stage_stop();
  }
}
