#include "harness/measure/measure.h"

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/measure/clock.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The q-th quantile of ascending values, by the nearest rank.
static double quantile(const double *sorted, int count, double q) {
  return sorted[(int)(q * (count - 1) + 0.5)];
}

// The interval between the order statistics of ranks count / 2 -+ 0.98 sqrt(count) contains the
// median with 95% probability, whatever the distribution (normal approximation of the binomial).
double noise_of_median(const double *times, int count) {
  const double reach = 0.98 * sqrt(count);
  int low = (int)floor(count / 2.0 - reach) - 1, high = (int)ceil(count / 2.0 + reach);
  if (low < 0) low = 0;
  if (high > count - 1) high = count - 1;
  const double median = quantile(times, count, 0.5);
  return median > 0.0 ? (times[high] - times[low]) / 2.0 / median : 0.0;
}

static cudaEvent_t start, stop;  // around a run; created once and reused, like the stages' events

static void clock_start(void) {
  if (start == NULL) {
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
  }
  CUDA_CHECK(cudaEventRecord(start, 0));
}

// Records the second event and waits for it. Returns the milliseconds since the first.
static double clock_stop(void) {
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float elapsed = 0.0f;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed, start, stop));
  return (double)elapsed;
}

// A measurement under way.
typedef struct Runs {
  const LoadedVersion *version;
  const Workload *workload;
  uint64_t next;     // number of the next run's input; 0 is the workload's own
  Verdict *verdict;  // as soon as it is no pass, no more runs
  double late_ms;    // for which the device worked after the last run's end; 0: it did not
} Runs;

// Milliseconds for which the device goes on after a run that took so long; 0: no longer than it
// takes to ask.
static double still_works(double elapsed) {
  const double asked = seconds_now(), to_ask = 0.01;
  CUDA_CHECK(cudaDeviceSynchronize());
  const double late = (seconds_now() - asked) * 1e3;
  return late > to_ask + 0.1 * elapsed ? late : 0.0;
}

// Judges the last run in full.
static void judge(const Runs *runs) {
  const Workload *const w = runs->workload;
  *runs->verdict =
      verdict_judge(runs->version->version, w->snapshot, w->keys_out, w->positions_out, w->n);
}

// Judges the last run cheaply, and in full if it is wrong, to name the mistake.
static void judge_quickly(const Runs *runs) {
  const Workload *const w = runs->workload;
  if (verdict_quick(runs->version->version, w->snapshot, w->keys_out, w->positions_out, w->n))
    return;
  judge(runs);
  runs->verdict->unsettled = verdict_passes(runs->verdict);
}

static const uint64_t REPLACED = UINT64_MAX;  // number of the input that replaces a loaded one

// One run, in milliseconds. Everything but the sort is outside the timed region: an input that this
// version has not seen, outputs that hold nothing of an earlier run, and afterwards the verdict.
// Otherwise a run could be answered from memory.
static double run_on(Runs *runs, uint64_t input) {
  const Workload *const w = runs->workload;
  if (input == REPLACED)
    workload_replace(w);
  else
    workload_vary(w, input);
  workload_poison(w, input);
  workload_refresh(w);
  // Profilers that wait for it see the last run alone: make count, ncu --profile-from-start off.
  if (input == 0) CUDA_CHECK(cudaProfilerStart());
  clock_start();
  runs->version->sort(w->keys_in, w->positions_in, w->keys_out, w->positions_out, w->n);
  const double elapsed = clock_stop();
  if (input == 0) CUDA_CHECK(cudaProfilerStop());
  const cudaError_t left = cudaGetLastError();  // also one of memory, which is not the harness's
  if (left != cudaSuccess) check_left_behind(runs->version->version->name, left);
  runs->late_ms = still_works(elapsed);
  if (scratch_outstanding() != 0)
    check_fail("%s did not return its scratch memory", runs->version->version->name);
  judge_quickly(runs);
  return elapsed;
}

static double run_next(Runs *runs) { return run_on(runs, runs->next++); }

// Inserts a value into `count` ascending ones, and space for one more.
static void insert(double *sorted, int count, double value) {
  for (; count > 0 && sorted[count - 1] > value; count--) sorted[count] = sorted[count - 1];
  sorted[count] = value;
}

// Were the late runs in a row too many for an accident? On a busy machine an honest run may seem
// late now and then. `since`: when the first of them began.
static bool too_many_late(int in_a_row, double since, double enough) {
  enum { FEW = 10, MANY = 100 };
  return in_a_row >= MANY || (in_a_row >= FEW && seconds_now() - since > enough);
}

// One run whose time counts. False: a wrong result, or all runs were late.
static bool time_one(Runs *runs, double max_seconds, Measurement *m, double *time) {
  const double since = seconds_now();
  for (int in_a_row = 0; !too_many_late(in_a_row, since, max_seconds); in_a_row++) {
    *time = run_next(runs);
    if (!verdict_passes(runs->verdict)) return false;
    if (runs->late_ms == 0.0) return true;
  }
  m->late_ms = runs->late_ms;
  return false;
}

// Times runs until the median has settled or a limit is reached.
static void time_total(Runs *runs, MeasurePlan plan, Measurement *m) {
  double *const times = MEMORY_CHECK(calloc((size_t)plan.max_repetitions, sizeof *times));
  const double begin = seconds_now();
  double sum = 0.0;
  for (m->limit = LIMIT_REPETITIONS; m->repetitions < plan.max_repetitions;) {
    double time = 0.0;
    if (!time_one(runs, plan.max_seconds, m, &time)) break;
    sum += time;
    insert(times, m->repetitions++, time);
    m->noise = noise_of_median(times, m->repetitions);
    if (m->repetitions >= MIN_REPETITIONS && m->noise < plan.settled_noise) {
      m->limit = LIMIT_NOISE;
      break;
    }
    if (m->repetitions < plan.max_repetitions && seconds_now() - begin > plan.max_seconds) {
      m->limit = LIMIT_TIME;
      break;
    }
  }
  if (m->repetitions > 0) {
    m->median_ms = quantile(times, m->repetitions, 0.5);
    m->mean_ms = sum / m->repetitions;
    m->min_ms = times[0];
  }
  free(times);
}

typedef double StageTimes[MAX_STAGES];  // milliseconds of each stage in one run

static void time_stages(Runs *runs, Measurement *m) {
  const int repetitions = 1 + (m->repetitions - 1) / 3;
  StageTimes *const times = MEMORY_CHECK(calloc((size_t)repetitions, sizeof *times));
  double *const one_stage = MEMORY_CHECK(calloc((size_t)repetitions, sizeof *one_stage));
  for (int i = 0; i < repetitions && verdict_passes(runs->verdict); i++) {
    stages_begin(runs->version->version, true);
    run_next(runs);
    m->stages = stages_end(times[i]);
  }
  for (int stage = 0; stage < m->stages; stage++) {
    for (int i = 0; i < repetitions; i++) one_stage[i] = times[i][stage];
    qsort(one_stage, (size_t)repetitions, sizeof *one_stage, ascending);
    m->stage_ms[stage] = quantile(one_stage, repetitions, 0.5);
    m->passes[stage].count = stages_passes(stage, m->passes[stage].ms, MAX_PASSES);
  }
  free(one_stage);
  free(times);
}

Measurement measure(const LoadedVersion *version, const Workload *w, MeasurePlan plan) {
  enum { WARM_UP = 1 };
  Measurement m = {0};
  for (int part = 0; part < VERDICT_PARTS; part++) m.verdict.part[part].state = VERDICT_NOT_JUDGED;
  Runs runs = {.version = version, .workload = w, .next = WARM_UP, .verdict = &m.verdict};
  workload_guard(w);
  stages_begin(version->version, false);
#ifdef CUDA_CPU
  CUDA_CHECK(cudaProfilerStop());  // until the last run; a COUNT build counts from the start
#endif
  // A loaded input of equal keys is the same in every run: its answer must not be the first one.
  if (w->kind < 0) run_on(&runs, REPLACED);
  if (verdict_passes(&m.verdict)) {
    run_next(&runs);
    judge(&runs);
  }
  if (verdict_passes(&m.verdict)) time_total(&runs, plan, &m);
  if (verdict_passes(&m.verdict) && m.late_ms == 0.0 && plan.stages) time_stages(&runs, &m);
  stages_begin(version->version, false);
  // The last run sorts the workload's input number 0, which a caller may read afterwards.
  if (verdict_passes(&m.verdict)) {
    run_on(&runs, 0);
    if (cuda_cpu_take_counts != NULL) cuda_cpu_take_counts(&m.counts);
    if (verdict_passes(&m.verdict)) judge(&runs);
  }
  (void)workload_whole(w, &m.outside);
  return m;
}

double measure_copy_rate(void) {
  // Many times a GPU's cache, but small enough for a laptop.
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
  double times[9] = {0.0};
  for (int i = -2; i < 9; i++) {  // two warm-ups
    clock_start();
    CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0));
    const double elapsed = clock_stop();
    if (i >= 0) times[i] = elapsed;
  }
  qsort(times, 9, sizeof *times, ascending);
  CUDA_CHECK(cudaFree(from));
  CUDA_CHECK(cudaFree(to));
  return 2.0 * (double)bytes / (times[4] * 1e-3);
}
