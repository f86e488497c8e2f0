// cheat: tries to get a PASS, or a good time, in the way that the environment variable CHEAT names
// (tests/cheats/README.md). Without it, it sorts, slowly.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

// Does the environment variable CHEAT name this way?
static bool cheats_by(const char *way) {
  const char *const chosen = getenv("CHEAT");
  return chosen != NULL && strcmp(chosen, way) == 0;
}

typedef struct Job {
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;
  size_t n;
} Job;

typedef std::vector<unsigned int> Array;

// What the sort must put out. Of bare keys, the positions are nothing.
static void get_sorted(const Job &job, Array &keys, Array &positions) {
  const size_t bytes = job.n * sizeof(unsigned int);
  keys.resize(job.n);
  positions.resize(job.n);
  CUDA_CHECK(cudaMemcpy(keys.data(), job.keys_in, bytes, cudaMemcpyDeviceToHost));
  if (job.positions_in != NULL)
    CUDA_CHECK(cudaMemcpy(positions.data(), job.positions_in, bytes, cudaMemcpyDeviceToHost));
  std::vector<std::pair<unsigned int, unsigned int>> pairs(job.n);
  for (size_t i = 0; i < job.n; i++) pairs[i] = {keys[i], positions[i]};
  std::sort(pairs.begin(), pairs.end());
  for (size_t i = 0; i < job.n; i++) {
    keys[i] = pairs[i].first;
    positions[i] = pairs[i].second;
  }
}

static void put(const Job &job, const Array &keys, const Array &positions) {
  const size_t bytes = job.n * sizeof(unsigned int);
  CUDA_CHECK(cudaMemcpy(job.keys_out, keys.data(), bytes, cudaMemcpyHostToDevice));
  if (job.positions_out == NULL) return;
  CUDA_CHECK(cudaMemcpy(job.positions_out, positions.data(), bytes, cudaMemcpyHostToDevice));
}

static void honest_sort(const Job &job) {
  Array keys, positions;
  get_sorted(job, keys, positions);
  put(job, keys, positions);
}

// ---- before main() and after it -----------------------------------------------------------------

static void leave(void) { _exit(0); }

__attribute__((constructor)) static void before_main(void) {
  if (cheats_by("constructor_exit")) exit(0);
  if (cheats_by("atexit")) atexit(leave);
}

// ---- a function of the same name ----------------------------------------------------------------

// Every answer to the judge comes late, as if other programs used the device.
extern "C" ssize_t send(int file, const void *buffer, size_t size, int flags) {
  if (cheats_by("slow_device")) usleep(20000);
  return syscall(SYS_sendto, file, buffer, size, flags, NULL, 0);
}

static __global__ void fill(unsigned int *array) { array[threadIdx.x] = 7; }

// ---- sorting ------------------------------------------------------------------------------------

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
  for (unsigned int *array : all)
    if (array != NULL) CUDA_CHECK(cudaMemset(array, 0, job.n * sizeof *array));
}

// What the first call sorted, given back at every later call of that size.
static void remember(const Job &job) {
  static Array keys, positions;
  if (keys.size() == job.n && job.n > 0) return put(job, keys, positions);
  get_sorted(job, keys, positions);
  put(job, keys, positions);
}

// Writes to the arrays of the first call, whatever this call's are.
static void to_first_arrays(Job job) {
  static Job first;
  if (first.n == 0) first = job;
  job.keys_out = first.keys_out;
  job.positions_out = first.positions_out;
  job.n = std::min(job.n, first.n);
  honest_sort(job);
}

// Sorts in a stream that does not wait for the default one, and does not wait for it either.
static void sort_in_a_stream(const Job &job) {
  static cudaStream_t stream;
  static Job sorted;
  Array keys, positions;
  const size_t bytes = job.n * sizeof(unsigned int);
  if (stream == NULL) CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  if (sorted.n < job.n) {
    CUDA_CHECK(cudaMalloc((void **)&sorted.keys_out, bytes));
    CUDA_CHECK(cudaMalloc((void **)&sorted.positions_out, bytes));
    sorted.n = job.n;
  }
  get_sorted(job, keys, positions);
  put({NULL, NULL, sorted.keys_out, sorted.positions_out, job.n}, keys, positions);
  const cudaMemcpyKind kind = cudaMemcpyDeviceToDevice;
  CUDA_CHECK(cudaLaunchHostFunc(
      stream, [](void *) { usleep(20000); }, NULL));
  CUDA_CHECK(cudaMemcpyAsync(job.keys_out, sorted.keys_out, bytes, kind, stream));
  CUDA_CHECK(cudaMemcpyAsync(job.positions_out, sorted.positions_out, bytes, kind, stream));
}

static void limit_files_of_the_judge(void) {
  const struct rlimit limit = {1000, 1000};
  if (prlimit(getppid(), RLIMIT_FSIZE, &limit, NULL) != 0) abort();
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
  if (cheats_by("print_and_exit")) {
    printf("\nYour code ran in: 0.000100 msecs.\nPASS\n");
    exit(0);
  }
  if (cheats_by("close_stdout")) close(STDOUT_FILENO);
}

// Another array, which the cpu backend checks when it is freed, or at the end of the program.
static void write_beyond(void) {
  static unsigned int *own;
  if (own == NULL) CUDA_CHECK(cudaMalloc(&own, 64));
  fill<<<1, 20>>>(own);
  CUDA_CHECK(cudaGetLastError());
  if (!cheats_by("own_scratch")) return;
  CUDA_CHECK(cudaFree(own));
  own = NULL;
}

// The reduction of old tutorials: from 32 on, lanes rely on lockstep. The last key is lost where
// the sum of 64 ones is another one.
static __global__ void count_in_lockstep(unsigned int *keys, size_t n) {
  __shared__ volatile unsigned int sum[64];
  const unsigned int i = threadIdx.x;
  sum[i] = 1;
  __syncthreads();
  if (i < 32)
    for (unsigned int half = 32; half > 0; half /= 2) sum[i] += sum[i + half];
  if (i == 0 && sum[0] != 64 && n > 0) keys[n - 1] = keys[0];
}

static __global__ void write_one(unsigned int *array, ptrdiff_t index) { array[index] = 7; }

static void write_at(unsigned int *array, ptrdiff_t index) { write_one<<<1, 1>>>(array, index); }

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
  if (cheats_by("own_scratch")) write_beyond();
  while (cheats_by("endless")) pause();
  if (cheats_by("works_once") && calls > 1) return;
  if (cheats_by("third_call") && calls % 3 == 0) return;
  if (cheats_by("zero")) return zero(job);
  if (cheats_by("background")) return sort_in_background(job);
  if (cheats_by("remember")) return remember(job);
  if (cheats_by("leak")) return leak(job);
  if (cheats_by("fork")) (void)fork();  // both go on
  if (cheats_by("sleep_in_background") && calls == 1 && system("sleep 25 &") != 0) abort();
  if (cheats_by("stream")) return sort_in_a_stream(job);
  // The judge's clock contradicts the second call, and the judge repeats it.
  if (cheats_by("timed_again")) return calls < 3 ? sort_in_a_stream(job) : (void)0;
  if (cheats_by("first_arrays")) return to_first_arrays(job);
  if (cheats_by("full_disk")) limit_files_of_the_judge();
  if (cheats_by("image_only") && numElems != 768) return;
  while (cheats_by("flood")) puts("PASS");
  stage_start("sort");
  honest_sort(job);
  stage_stop();
  if (cheats_by("free_output")) (void)cudaFree(d_outputVals);
  if (cheats_by("lockstep")) count_in_lockstep<<<1, 64>>>(d_outputVals, numElems);
  if (cheats_by("no_memory")) {
    void *memory = NULL;
    (void)cudaMalloc(&memory, (size_t)1 << 60);
  }
  if (cheats_by("print")) puts("PASS");
  // 5 KB behind and before the outputs.
  if (cheats_by("behind")) write_at(d_outputVals, (ptrdiff_t)numElems + 1276);
  if (cheats_by("before")) write_at(d_outputPos, -1280);
}
