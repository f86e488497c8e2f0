// The sorter: the program that contains the version and sorts for the judge. See protocol.h.
#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/measure/conditions.h"
#include "harness/judge/protocol.h"
#include "harness/verdict/trial.h"
#include "harness/versions/version_check.h"

static void answer(AnswerKind kind, Answer *answered) {
  answered->kind = kind;
  const ssize_t sent = send(SORTER_CONTROL, answered, sizeof *answered, MSG_NOSIGNAL);
  if (sent != (ssize_t)sizeof *answered) _exit(EXIT_DEVICE);  // the judge is gone
}

// ---- what the version is ------------------------------------------------------------------------

static void describe(void) {
  Answer answered = {0};
  Description *const d = &answered.description;
  d->version = sort_version;
  snprintf(d->name, sizeof d->name, "%s", sort_version.name);
  snprintf(d->title, sizeof d->title, "%s", sort_version.title);
  snprintf(d->source, sizeof d->source, "%s", sort_version.source);
  for (int i = 0; i < MAX_STAGES && sort_version.stages[i] != NULL; i++) {
    d->stages[i] = sort_version.stages[i];
    snprintf(d->stage[i], sizeof d->stage[i], "%s", d->stages[i]);
  }
  for (int i = 0; i < MAX_KNOBS && sort_version.knobs[i].name != NULL; i++) {
    d->knobs[i] = sort_version.knobs[i];
    snprintf(d->knob[i].name, sizeof d->knob[i].name, "%s", d->knobs[i].name);
    snprintf(d->knob[i].meaning, sizeof d->knob[i].meaning, "%s", d->knobs[i].meaning);
  }
  answer(ANSWER_DESCRIPTION, &answered);
}

static uint32_t *shared;  // with the judge

static void open_device(const Command *command) {
  shared = mmap(NULL, command->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, SORTER_MEMORY, 0);
  if (shared == MAP_FAILED) check_fail("no shared memory: %s", strerror(errno));
  close(SORTER_MEMORY);
  if (command->thread_order[0] != '\0')
    setenv("CUDA_CPU_RACECHECK", command->thread_order, 1);
  else
    unsetenv("CUDA_CPU_RACECHECK");
  knobs_begin(&sort_version);
  for (int i = 0; sort_version.knobs[i].name != NULL; i++) knob_set(i, command->knobs[i]);
  const DeviceInfo device = device_info();
  Answer answered = {0};
  snprintf(answered.device, sizeof answered.device, "%s", device.name);
  answer(ANSWER_OPEN, &answered);
}

// ---- memory that the sort allocates -------------------------------------------------------------

static bool poisoning;  // while a sort runs that is to find poison in new memory
static unsigned char poison;

// Allocated by cudaMalloc, less those freed. Below 0 if memory of other functions is freed, too.
static _Atomic long long blocks;

// The linker puts these in place of cudaMalloc and cudaFree (--wrap). New memory often happens to
// be zero, so that a sort which forgets to clear it is right by luck.
cudaError_t __real_cudaMalloc(void **memory, size_t bytes);
cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes);
cudaError_t __real_cudaFree(void *memory);
cudaError_t __wrap_cudaFree(void *memory);

cudaError_t __wrap_cudaMalloc(void **memory, size_t bytes) {
  const cudaError_t error = __real_cudaMalloc(memory, bytes);
  if (error == cudaSuccess && poisoning && bytes > 0)
    CUDA_CHECK(cudaMemset(*memory, poison, bytes));
  blocks += error == cudaSuccess && bytes > 0;
  return error;
}

// Calls last, so that the compiler makes it a jump: what the cpu backend reports of an array then
// names the version's line, not this one.
cudaError_t __wrap_cudaFree(void *memory) {
  blocks -= memory != NULL;
  return __real_cudaFree(memory);
}

static void poison_begin(const Command *command) {
  if (command->poison_memory) scratch_trim();  // so that the pool allocates anew
  poison = command->poison;
  poisoning = command->poison_memory;
}

// ---- sorting ------------------------------------------------------------------------------------

// The arrays on the device, kept for the next sort of the same size.
static unsigned int *arrays[TRIAL_ARRAYS];
static size_t allocated;  // elements of each

static void allocate(size_t elements) {
  if (elements == allocated) return;
  for (int i = 0; i < TRIAL_ARRAYS; i++) {
    CUDA_CHECK(cudaFree(arrays[i]));
    void *memory = NULL;
    CUDA_CHECK(cudaMalloc(&memory, elements * sizeof **arrays));
    arrays[i] = memory;
  }
  allocated = elements;
}

static void copy_arrays(size_t elements, enum cudaMemcpyKind kind) {
  const size_t bytes = elements * sizeof *shared;
  for (size_t i = 0; i < TRIAL_ARRAYS; i++) {
    uint32_t *const host = shared + i * elements;
    const bool to_host = kind == cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy(to_host ? host : arrays[i], to_host ? arrays[i] : host, bytes, kind));
  }
}

static cudaEvent_t start, stop;  // around a call of the version

static void clock_start(void) {
  if (start == NULL) {
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
  }
  CUDA_CHECK(cudaEventRecord(start, 0));
}

// Waits for the device. Returns the milliseconds since the start.
static double clock_stop(size_t n) {
  CUDA_CHECK(cudaEventRecord(stop, 0));
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess)
    check_fail("your_sort failed on the device at n = %zu: %s", n, cudaGetErrorString(error));
  float milliseconds = 0.0f;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  return (double)milliseconds;
}

// Calls the version. Returns the milliseconds between two events around the call.
static double call(size_t n, size_t guard) {
  const pid_t self = getpid();
  clock_start();
  your_sort(arrays[KEYS_IN] + guard, arrays[POSITIONS_IN] + guard, arrays[KEYS_OUT] + guard,
            arrays[POSITIONS_OUT] + guard, n);
  if (getpid() != self) _exit(EXIT_DEVICE);  // a copy that the version forked
  const cudaError_t left = cudaGetLastError();
  if (left != cudaSuccess) {
    char who[64];
    snprintf(who, sizeof who, "at n = %zu, your_sort", n);
    check_left_behind(who, left);
  }
  return clock_stop(n);
}

static void ping(void) {
  Answer answered = {0};
  clock_start();
  (void)clock_stop(0);
  answer(ANSWER_PING, &answered);
}

static void sort(const Command *command) {
  const size_t elements = command->n + 2 * command->guard;
  poisoning = false;
  allocate(elements == 0 ? 1 : elements);
  copy_arrays(elements, cudaMemcpyHostToDevice);
  stages_begin(&sort_version, true);
  poison_begin(command);
  const long long blocks_before = blocks;
  CUDA_CHECK(cudaDeviceSynchronize());

  Answer answered = {0};
  answer(ANSWER_READY, &answered);
  answered.milliseconds = call(command->n, command->guard);
  check_blame("your_sort");  // on a GPU, for arrays that it released
  answer(ANSWER_DONE, &answered);
  // At once, so that nothing that goes on in the background gets into the output.
  copy_arrays(elements, cudaMemcpyDeviceToHost);
  check_blame(NULL);
  poisoning = false;
  answered = (Answer){0};
  answered.sorted.stages = stages_end(answered.sorted.stage_ms);
  answered.sorted.scratch_kept = scratch_outstanding();
  answered.sorted.blocks = blocks_before;
  answer(ANSWER_SORTED, &answered);
}

int main(void) {
  Message message;
  if (!version_check(&sort_version, "the version", &message)) check_fail("%s", message.text);
  setvbuf(stdout, NULL, _IOLBF, 0);  // what a version prints before a crash is not lost
  Command command;
  while (recv(SORTER_CONTROL, &command, sizeof command, 0) == (ssize_t)sizeof command) {
    if (command.kind == COMMAND_DESCRIBE) describe();
    if (command.kind == COMMAND_OPEN) open_device(&command);
    if (command.kind == COMMAND_PING) ping();
    if (command.kind == COMMAND_SORT) sort(&command);
  }
  for (int i = 0; i < TRIAL_ARRAYS; i++) CUDA_CHECK(cudaFree(arrays[i]));
  if (allocated > 0) scratch_trim();
  return EXIT_RIGHT;
}
