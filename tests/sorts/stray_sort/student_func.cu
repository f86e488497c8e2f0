// stray_sort: sorts nothing and leaves its place: it forks, ends the program, writes where it must
// not, and leaves errors behind (tests/compare/).
#include <cuda_runtime.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/your_sort.h"

enum Way {
  COPY = 0,
  EXIT_0,
  LEAVE_0,
  AT_EXIT,
  FORK,
  BACKGROUND,
  FALSE_REPORT,
  CLOSE_ALL,
  COLOURS,
  BAD_LAUNCH,
  BAD_COPY,
  EDIT_FILES,
  FREE_OUTPUT,
};

static const char *const stages[] = {NULL};
static const SortKnob knobs[] = {
    {"way", COPY, COPY, FREE_OUTPUT,
     "0: right for sorted input; 1: exit(0); 2: _exit(0); 3: exit(0) by a handler; 4: forks; 5: "
     "leaves a process behind; 6: writes into every pipe; 7: closes every file and hangs; 8: "
     "prints control characters; 9: an invalid launch; 10: an invalid copy; 11: overwrites "
     "every file that is open; 12: frees an output"},
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

static void leave_by_handler(void) { _exit(0); }

// While it is loaded: a handler that would turn every exit code of compare into 0.
__attribute__((constructor)) static void prepare(void) { atexit(leave_by_handler); }

// What a report would be if it had no secret: any bytes, and more than one of them.
static void write_into_pipes(void) {
  char bytes[20000];
  memset(bytes, 1, sizeof bytes);
  for (int file = 3; file < 100; file++)
    if (fcntl(file, F_GETFD) >= 0 && lseek(file, 0, SEEK_CUR) < 0)
      (void)!write(file, bytes, sizeof bytes);
}

// Files that compare has opened, not pipes.
static void edit_files(void) {
  struct stat status;
  for (int file = 3; file < 100; file++)
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file, 0) == 0)
      (void)!write(file, "forged\n", 7);
}

static void go_astray(int way, unsigned int *d_output) {
  if (way == EXIT_0) exit(0);
  if (way == LEAVE_0) _exit(0);
  if (way == AT_EXIT) {
    atexit(leave_by_handler);
    exit(7);
  }
  if (way == FORK) (void)!fork();
  if (way == BACKGROUND) (void)!system("sleep 25 & setsid sleep 24 &");
  if (way == FALSE_REPORT) write_into_pipes();
  if (way == CLOSE_ALL) {
    for (int file = 0; file < 100; file++) close(file);
    while (true) pause();
  }
  if (way == EDIT_FILES) edit_files();
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
