// Counts calls of the CUDA runtime and the wall time that the host spends in them, for a program
// that links the runtime dynamically, as ./compare does on a GPU:
//
//   cc -D_GNU_SOURCE -O2 -shared -fPIC scripts/api_times.c -o build/api_times.so -ldl
//   API_TIMES=times.csv LD_PRELOAD=build/api_times.so ./compare ... --no-fork --stages off --reps 1
//
// compare records an event before and after each run. The calls between the last two events are
// the counts of the last run, and only they are written at exit: "call,calls,ms" to $API_TIMES.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int cudaError_t;  // as in the runtime's headers, which this file does without
typedef struct dim3 {
  unsigned int x, y, z;
} dim3;

enum { MAX_CALLS = 16 };
typedef struct Interval {
  struct {
    const char *name;
    long calls, nanoseconds;
  } entries[MAX_CALLS];  // in the order of their first call
  int count;
} Interval;

static Interval now_counting, last_run;
static int events;  // recorded so far; an odd number: inside a run

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000L * time.tv_sec + time.tv_nsec;
}

static void add(const char *name, long nanoseconds) {
  Interval *const interval = &now_counting;
  int i = 0;
  while (i < interval->count && strcmp(interval->entries[i].name, name) != 0) i++;
  if (i == MAX_CALLS) return;
  if (i == interval->count) interval->entries[interval->count++].name = name;
  interval->entries[i].calls++;
  interval->entries[i].nanoseconds += nanoseconds;
}

// The runtime's own function, which this library stands in front of.
static void *next(const char *name) {
  void *const function = dlsym(RTLD_NEXT, name);
  if (function == NULL) {
    fprintf(stderr, "api_times: no %s: is the CUDA runtime linked statically?\n", name);
    exit(3);
  }
  return function;
}

// A function that times the next one of its name and counts it as `shown`.
// NOLINTBEGIN(bugprone-macro-parentheses): parameters and arguments come with their parentheses
#define WRAP(name, shown, parameters, arguments)                             \
  cudaError_t name parameters {                                              \
    static cudaError_t(*original) parameters;                                \
    if (original == NULL) original = (cudaError_t(*) parameters)next(#name); \
    const long start = now();                                                \
    const cudaError_t error = original arguments;                            \
    add(shown, now() - start);                                               \
    return error;                                                            \
  }
// NOLINTEND(bugprone-macro-parentheses)
#define LAUNCH \
  (const void *kernel, dim3 grid, dim3 block, void **values, size_t shared, void *stream)
WRAP(cudaLaunchKernel, "cudaLaunchKernel", LAUNCH, (kernel, grid, block, values, shared, stream))
WRAP(__cudaLaunchKernel, "cudaLaunchKernel", LAUNCH,
     (kernel, grid, block, values, shared, stream))  // CUDA 13's <<<>>>
WRAP(cudaMemcpy, "cudaMemcpy", (void *to, const void *from, size_t size, int kind),
     (to, from, size, kind))
WRAP(cudaMemcpyAsync, "cudaMemcpyAsync",
     (void *to, const void *from, size_t size, int kind, void *stream),
     (to, from, size, kind, stream))
WRAP(cudaMemsetAsync, "cudaMemsetAsync", (void *to, int value, size_t size, void *stream),
     (to, value, size, stream))
WRAP(cudaDeviceSynchronize, "cudaDeviceSynchronize", (void), ())
WRAP(cudaEventSynchronize, "cudaEventSynchronize", (void *event), (event))
WRAP(cudaStreamSynchronize, "cudaStreamSynchronize", (void *stream), (stream))
WRAP(cudaMalloc, "cudaMalloc", (void **pointer, size_t size), (pointer, size))
WRAP(cudaFree, "cudaFree", (void *pointer), (pointer))

cudaError_t cudaEventRecord(void *event, void *stream) {
  static cudaError_t (*original)(void *, void *);
  if (original == NULL) original = (cudaError_t(*)(void *, void *))next("cudaEventRecord");
  if (++events % 2 == 0) last_run = now_counting;
  now_counting = (Interval){0};
  return original(event, stream);
}

__attribute__((destructor)) static void write_times(void) {
  const char *const path = getenv("API_TIMES");
  if (path == NULL || last_run.count == 0)
    return;  // a parent process that never touched the device
  FILE *const file = fopen(path, "w");
  if (file == NULL) {
    perror(path);
    return;
  }
  fprintf(file, "call,calls,ms\n");
  for (int i = 0; i < last_run.count; i++)
    fprintf(file, "%s,%ld,%.4f\n", last_run.entries[i].name, last_run.entries[i].calls,
            1e-6 * (double)last_run.entries[i].nanoseconds);
  fclose(file);
}
