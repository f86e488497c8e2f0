#include "harness/measure.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/input.h"

static unsigned int *device_array(size_t n) {
  void *memory = NULL;
  CUDA_CHECK(cudaMalloc(&memory, (n == 0 ? 1 : n) * sizeof(unsigned int)));
  return memory;
}

// Snapshot, keys in and out; positions in and out and the verdict's marks, or the verdict's sorted
// keys and the library's scratch; the version's scratch.
double workload_bytes_per_element(const SortVersion *version, bool pairs) {
  const double words = pairs ? 3 + 2 + 1 : 3 + 1 + 1.1;
  const double scratch = pairs ? version->scratch_per_pair : version->scratch_per_key;
  return words * sizeof(unsigned int) + fmax(scratch, 0.0);
}

Workload workload_create(size_t n, bool pairs) {
  Workload w = {n, pairs, device_array(n), device_array(n), NULL, device_array(n), NULL};
  if (pairs) {
    w.positions_in = device_array(n);
    w.positions_out = device_array(n);
  }
  return w;
}

void workload_draw(Workload *w, int kind, uint64_t seed) {
  input_keys(kind, seed, w->snapshot, w->n);
}

void workload_load(Workload *w, const unsigned int *keys, size_t count) {
  for (size_t done = 0; done < w->n;) {
    const size_t part = w->n - done < count ? w->n - done : count;
    CUDA_CHECK(cudaMemcpy(w->snapshot + done, keys, part * sizeof *keys, cudaMemcpyHostToDevice));
    done += part;
  }
}

void workload_destroy(Workload *w) {
  unsigned int *const arrays[] = {w->snapshot, w->keys_in, w->positions_in, w->keys_out,
                                  w->positions_out};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) CUDA_CHECK(cudaFree(arrays[i]));
  *w = (Workload){0};
}

static void refresh(const Workload *w) {
  if (w->n == 0) return;
  CUDA_CHECK(
      cudaMemcpy(w->keys_in, w->snapshot, w->n * sizeof(unsigned int), cudaMemcpyDeviceToDevice));
  if (w->pairs) input_positions(w->positions_in, w->n);
  CUDA_CHECK(cudaDeviceSynchronize());
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The q-th quantile of sorted values, by the nearest rank.
static double quantile(const double *sorted, int count, double q) {
  return sorted[(int)(q * (count - 1) + 0.5)];
}

// The interval between two order statistics holds the median with 95% probability, whatever the
// distribution: their ranks are count / 2 -+ 0.98 sqrt(count) (the binomial's normal limit).
double noise_of_median(const double *times, int count) {
  const double reach = 0.98 * sqrt(count);
  int low = (int)floor(count / 2.0 - reach) - 1, high = (int)ceil(count / 2.0 + reach);
  if (low < 0) low = 0;
  if (high > count - 1) high = count - 1;
  const double median = quantile(times, count, 0.5);
  return median > 0.0 ? (times[high] - times[low]) / 2.0 / median : 0.0;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *host_array(size_t count, size_t size) {
  void *const memory = calloc(count, size);
  if (memory == NULL) check_cuda(cudaErrorMemoryAllocation, "calloc", __FILE__, __LINE__);
  return memory;
}

// A pair of events to put around a run.
typedef struct Clock {
  cudaEvent_t start, stop;
} Clock;

// One run on a fresh input, in milliseconds by events.
static double run_once(const LoadedVersion *version, const Workload *w, const Clock *clock) {
  refresh(w);
  CUDA_CHECK(cudaEventRecord(clock->start, 0));
  version->sort(w->keys_in, w->positions_in, w->keys_out, w->positions_out, w->n);
  CUDA_CHECK(cudaEventRecord(clock->stop, 0));
  CUDA_CHECK(cudaEventSynchronize(clock->stop));
  LAUNCH_CHECK();
  float elapsed = 0.0f;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed, clock->start, clock->stop));
  if (scratch_outstanding() != 0) {
    fprintf(stderr, "%s did not return its scratch memory\n", version->version->name);
    exit(EXIT_DEVICE);
  }
  return (double)elapsed;
}

// Keeps `count` ascending values ascending as one more comes.
static void insert(double *sorted, int count, double value) {
  for (; count > 0 && sorted[count - 1] > value; count--) sorted[count] = sorted[count - 1];
  sorted[count] = value;
}

// Timed runs until the median has settled or a limit is hit.
static void time_total(const LoadedVersion *version, const Workload *w, MeasurePlan plan,
                       const Clock *clock, Measurement *m) {
  double *const times = host_array((size_t)plan.max_repetitions, sizeof *times);
  const double start = seconds_now();
  double sum = 0.0;
  for (m->limit = LIMIT_REPETITIONS; m->repetitions < plan.max_repetitions;) {
    const double time = run_once(version, w, clock);
    sum += time;
    insert(times, m->repetitions++, time);
    m->noise = noise_of_median(times, m->repetitions);
    if (m->repetitions >= MIN_REPETITIONS && m->noise < plan.settled_noise) {
      m->limit = LIMIT_NOISE;
      break;
    }
    if (m->repetitions < plan.max_repetitions && seconds_now() - start > plan.max_seconds) {
      m->limit = LIMIT_TIME;
      break;
    }
  }
  m->median_ms = quantile(times, m->repetitions, 0.5);
  m->mean_ms = sum / m->repetitions;
  m->min_ms = times[0];
  free(times);
}

typedef struct StageTimes {
  double ms[MAX_STAGES];
} StageTimes;

static void time_stages(const LoadedVersion *version, const Workload *w, const Clock *clock,
                        Measurement *m) {
  const int repetitions = 1 + (m->repetitions - 1) / 3;
  StageTimes *const runs = host_array((size_t)repetitions, sizeof *runs);
  double *const one_stage = host_array((size_t)repetitions, sizeof *one_stage);
  for (int i = 0; i < repetitions; i++) {
    stages_begin(version->version, true);
    run_once(version, w, clock);
    m->stages = stages_end(runs[i].ms);
  }
  for (int stage = 0; stage < m->stages; stage++) {
    for (int i = 0; i < repetitions; i++) one_stage[i] = runs[i].ms[stage];
    qsort(one_stage, (size_t)repetitions, sizeof *one_stage, ascending);
    m->stage_ms[stage] = quantile(one_stage, repetitions, 0.5);
    m->passes[stage].count = stages_passes(stage, m->passes[stage].ms, MAX_PASSES);
  }
  free(one_stage);
  free(runs);
}

static Verdict judge(const LoadedVersion *version, const Workload *w) {
  return verdict_judge(version->version, w->snapshot, w->keys_out, w->positions_out, w->n);
}

Measurement measure(const LoadedVersion *version, const Workload *w, MeasurePlan plan) {
  Measurement m = {0};
  Clock clock;
  CUDA_CHECK(cudaEventCreate(&clock.start));
  CUDA_CHECK(cudaEventCreate(&clock.stop));

  stages_begin(version->version, false);
  // Poison, so that an output that is never written cannot be right by chance.
  CUDA_CHECK(cudaMemset(w->keys_out, 0xa5, w->n * sizeof(unsigned int)));
  if (w->pairs) CUDA_CHECK(cudaMemset(w->positions_out, 0xa5, w->n * sizeof(unsigned int)));
  run_once(version, w, &clock);
  m.verdict = judge(version, w);
  if (verdict_passes(&m.verdict)) {
    time_total(version, w, plan, &clock, &m);
    if (plan.stages) time_stages(version, w, &clock, &m);
    // The last timed result is judged as well: some mistakes show only now and then.
    m.verdict = judge(version, w);
  }
  stages_begin(version->version, false);
  CUDA_CHECK(cudaEventDestroy(clock.start));
  CUDA_CHECK(cudaEventDestroy(clock.stop));
  return m;
}

double measure_copy_rate(void) {
  // Large enough to be many times a GPU's cache, small enough for a laptop.
  size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
#ifdef CUDA_CPU
  size_t bytes = (size_t)1 << 26;
#else
  size_t bytes = (size_t)1 << 30;
#endif
  while (bytes > free_bytes / 4) bytes /= 2;
  void *from = NULL, *to = NULL;
  CUDA_CHECK(cudaMalloc(&from, bytes));
  CUDA_CHECK(cudaMalloc(&to, bytes));
  CUDA_CHECK(cudaMemset(from, 1, bytes));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  double times[9] = {0.0};
  for (int i = -2; i < 9; i++) {
    CUDA_CHECK(cudaEventRecord(start, 0));
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0));
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaEventSynchronize(stop));
    float elapsed = 0.0f;
    CUDA_CHECK(cudaEventElapsedTime(&elapsed, start, stop));
    if (i >= 0) times[i] = (double)elapsed;
  }
  qsort(times, 9, sizeof *times, ascending);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(from));
  CUDA_CHECK(cudaFree(to));
  return 2.0 * (double)bytes / (times[4] * 1e-3);
}
