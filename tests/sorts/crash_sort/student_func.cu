// crash_sort: sorts nothing and goes wrong on purpose, in the ways that compare must survive and
// that HW4 must notice (tests/compare/, tests/hw4/).
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

enum Way {
  COPY = 0,  // right for sorted input
  CRASH,
  LEAVE,  // exit code 7
  HANG,
  FAIL,  // a CUDA call fails
  KEEP_SCRATCH,
  UNSORTED,   // the last two elements are out of order
  SPIN,       // a kernel hangs
  NO_MEMORY,  // does not notice that memory ran out
  NOTHING_WRITTEN,
  EXIT_0,
  LEAVE_0,  // _exit(0)
  FORK,
  BACKGROUND,  // leaves a process behind
  COLOURS,     // prints control characters
  BAD_LAUNCH,
  BAD_COPY,
  FREE_OUTPUT,
  OWN_NAMES,  // right for sorted input, if its functions are called, not the harness's
};

static const char *const stages[] = {"copy", NULL};
static const SortKnob knobs[] = {
    {"way", CRASH, COPY, OWN_NAMES, "a line of enum Way in tests/sorts/crash_sort"},
    {"brackets", 1, 1, 1000, "times that the stage is entered"},
    {}};

extern "C" const SortVersion sort_version = {
    .name = "crash_sort",
    .title = "no sort at all",
    .source = "the tests of compare and HW4",
    .stable = true,
    .max_n = 10000,  // few, so that an image can be too large
    .slow_n = 100,
    .stages = stages,
    .knobs = knobs,
};

// Names of the harness, which a version may use for its own in compare. HW4's sorter, into which
// the harness is linked, has the harness's.
#define OWN(name, more)           \
  extern "C" int name(int value); \
  extern "C" __attribute__((weak)) int name(int value) { return value + more; }
OWN(verdict_passes, 1)
OWN(workload_poison, 2)
OWN(seconds_now, 3)
static bool own_names(void) {
  return verdict_passes(1) == 2 && workload_poison(1) == 3 && seconds_now(1) == 4;
}

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

static __global__ void nothing(void) {}

static void go_wrong(int way, unsigned int *d_output) {
  void *memory = NULL;
  if (way == CRASH) raise(SIGSEGV);
  if (way == LEAVE) exit(7);
  if (way == HANG) hang();
  if (way == FAIL) CUDA_CHECK(cudaErrorLaunchFailure);
  if (way == KEEP_SCRATCH) scratch_alloc(1);
  if (way == SPIN) spin<<<1, 32>>>(d_output);
  if (way == NO_MEMORY) (void)cudaMalloc(&memory, (size_t)1 << 60);
  if (way == EXIT_0) exit(0);
  if (way == LEAVE_0) _exit(0);
  if (way == FORK) (void)!fork();
  if (way == BACKGROUND) (void)!system("sleep 25 &");
  if (way == COLOURS) fprintf(stderr, "\033[2J\033]0;title\aa line\n");
  if (way == BAD_LAUNCH) nothing<<<1, 4096>>>();
  if (way == BAD_COPY) cudaMemcpy(d_output, NULL, 4, (cudaMemcpyKind)17);
  if (way == FREE_OUTPUT) cudaFree(d_output);
  if (way == OWN_NAMES && !own_names()) exit(9);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  const int way = knob("way");
  go_wrong(way, d_outputVals);
  if (way == NOTHING_WRITTEN) return;
  for (int bracket = 0; bracket < knob("brackets"); bracket++) {
    stage_start("copy");
    copy(d_outputVals, d_inputVals, numElems, way == UNSORTED);
    if (d_inputPos != NULL) copy(d_outputPos, d_inputPos, numElems, way == UNSORTED);
    stage_stop();
  }
}
