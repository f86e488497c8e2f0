// cheat: tries to get a PASS, or a good time, in the way that the environment variable CHEAT names
// (tests/cheats/README.md). Without it, it sorts, slowly.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "common/check.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    "cheat", "no honest sort", "the tests of HW4", false, UINT32_MAX - 1, 0, stages, knobs,
};

static bool cheats_by(const char *way) {
  const char *const chosen = getenv("CHEAT");
  return chosen != NULL && strcmp(chosen, way) == 0;
}

// ---- before main() and after it -----------------------------------------------------------------

static void leave(void) { _exit(0); }

__attribute__((constructor)) static void before_main(void) {
  if (cheats_by("constructor_exit")) exit(0);
  if (cheats_by("constructor_pass")) {
    puts("PASS");
    fflush(stdout);
    _exit(0);
  }
  if (cheats_by("constructor_answers")) {
    char answer[4096] = {0};
    for (size_t size = 64; size < sizeof answer; size += 8)
      (void)send(3, answer, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (cheats_by("atexit")) atexit(leave);
}

// ---- functions of the same name -----------------------------------------------------------------

// The clock stands still while the cheat wants it to.
static bool clock_stopped;

extern "C" int clock_gettime(clockid_t clock, struct timespec *now) noexcept {
  static struct timespec stopped;
  if (!clock_stopped) {
    const long result = syscall(SYS_clock_gettime, clock, now);
    stopped = *now;
    return (int)result;
  }
  *now = stopped;
  return 0;
}

// Replaces the C library's puts(): whatever the program prints, PASS appears.
extern "C" int puts(const char *text) {
  const char *const good = cheats_by("own_puts") ? "PASS" : text;
  return printf("%s\n", good) < 0 ? EOF : 1;
}

static __global__ void fill(unsigned int *array) { array[threadIdx.x] = 7; }

// ---- sorting ------------------------------------------------------------------------------------

typedef struct Job {
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;
  size_t n;
} Job;

// Nothing for bare keys, whose positions are NULL.
static void copy(unsigned int *to, const unsigned int *from, size_t n, cudaMemcpyKind kind) {
  if (to != NULL && from != NULL) CUDA_CHECK(cudaMemcpy(to, from, n * sizeof *to, kind));
}

static void honest_sort(const Job &job) {
  std::vector<unsigned int> keys(job.n), positions(job.n);
  copy(keys.data(), job.keys_in, job.n, cudaMemcpyDeviceToHost);
  copy(positions.data(), job.positions_in, job.n, cudaMemcpyDeviceToHost);
  std::vector<size_t> order(job.n);
  for (size_t i = 0; i < job.n; i++) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<unsigned int> sorted_keys(job.n), sorted_positions(job.n);
  for (size_t i = 0; i < job.n; i++) {
    sorted_keys[i] = keys[order[i]];
    sorted_positions[i] = positions[order[i]];
  }
  copy(job.keys_out, sorted_keys.data(), job.n, cudaMemcpyHostToDevice);
  copy(job.positions_out, sorted_positions.data(), job.n, cudaMemcpyHostToDevice);
}

static void *sort_later(void *argument) {
  Job *const job = (Job *)argument;
  usleep(20000);
  honest_sort(*job);
  delete job;
  return NULL;
}

static void sort_in_background(const Job &job) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, sort_later, new Job(job)) == 0) pthread_detach(thread);
}

// Right, but frees nothing.
static void leak(const Job &job) {
  for (int block = 0; block < 2; block++) {
    void *memory = NULL;
    CUDA_CHECK(cudaMalloc(&memory, 64));
  }
  honest_sort(job);
}

static void zero(const Job &job) {
  unsigned int *const all[] = {job.keys_in, job.positions_in, job.keys_out, job.positions_out};
  for (unsigned int *array : all) CUDA_CHECK(cudaMemset(array, 0, job.n * sizeof *array));
}

// A copy of what the first call sorted, given back at every later call of that size.
static void remember(const Job &job) {
  static std::vector<unsigned int> keys, positions;
  if (keys.size() == job.n && job.n > 0) {
    copy(job.keys_out, keys.data(), job.n, cudaMemcpyHostToDevice);
    copy(job.positions_out, positions.data(), job.n, cudaMemcpyHostToDevice);
    return;
  }
  honest_sort(job);
  keys.resize(job.n);
  positions.resize(job.n);
  copy(keys.data(), job.keys_out, job.n, cudaMemcpyDeviceToHost);
  copy(positions.data(), job.positions_out, job.n, cudaMemcpyDeviceToHost);
}

// A process that outlives all, in a session of its own, and prints PASS after a while.
static void leave_a_voice(void) {
  if (fork() != 0) return;
  setsid();
  if (fork() == 0) {
    usleep(300000);
    fprintf(stdout, "PASS\n");
    fflush(stdout);
    sleep(60);
  }
  _exit(0);
}

static void crash(void) {
  static volatile int zero, result = 7;
  static volatile int *volatile nowhere;
  if (cheats_by("segfault")) *nowhere = 1;
  if (cheats_by("abort")) abort();
  if (cheats_by("assertion")) assert(zero == 1);
  if (cheats_by("divide")) result = result / zero;
  if (cheats_by("kill")) raise(SIGKILL);
  if (cheats_by("bus")) raise(SIGBUS);
}

static void leave_early(void) {
  if (cheats_by("exit")) exit(0);
  if (cheats_by("_exit")) _exit(0);
  if (cheats_by("exit_3")) _exit(3);
  if (cheats_by("exec")) execl("/bin/echo", "echo", "PASS", (char *)NULL);
  if (cheats_by("print_and_exit")) {
    printf("\nYour code ran in: 0.000100 msecs.\nPASS\n");
    exit(0);
  }
  if (cheats_by("close_all"))
    for (int i = 0; i < 64; i++) close(i);
  if (cheats_by("close_stdout")) close(STDOUT_FILENO);
}

// An array of its own, which the cpu backend checks at the end of the program.
static void write_beyond(void) {
  static unsigned int *own;
  if (own == NULL) CUDA_CHECK(cudaMalloc(&own, 64));
  fill<<<1, 20>>>(own);
  CUDA_CHECK(cudaGetLastError());
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  static int calls;
  const Job job = {d_inputVals, d_inputPos, d_outputVals, d_outputPos, numElems};
  calls++;
  crash();
  leave_early();
  if (cheats_by("own_array")) {
    write_beyond();
    return zero(job);
  }
  while (cheats_by("endless")) pause();
  if (cheats_by("works_once") && calls > 1) return;
  if (cheats_by("third_call") && calls % 3 == 0) return;
  if (cheats_by("zero")) return zero(job);
  if (cheats_by("background")) return sort_in_background(job);
  if (cheats_by("remember")) return remember(job);
  if (cheats_by("leak")) return leak(job);
  if (cheats_by("fork")) (void)fork();  // both go on
  if (cheats_by("sleep_in_background") && calls == 1 && system("sleep 25 &") != 0) abort();
  if (cheats_by("voice") && calls == 1) leave_a_voice();
  clock_stopped = cheats_by("stopped_clock");
  if (clock_stopped) usleep(5000);  // this is to take no time
  stage_start("sort");
  honest_sort(job);
  stage_stop();
  if (cheats_by("free_output")) (void)cudaFree(d_outputVals);
  if (cheats_by("no_memory")) {
    void *memory = NULL;
    (void)cudaMalloc(&memory, (size_t)1 << 60);
  }
  if (cheats_by("print") || cheats_by("own_puts")) puts("PASS");
}
