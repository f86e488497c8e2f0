#include "harness/measure.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/input.h"

static unsigned int *device_array(size_t n) {
  void *memory = NULL;
  CUDA_CHECK(cudaMalloc(&memory, (n == 0 ? 1 : n) * sizeof(unsigned int)));
  return memory;
}

Workload workload_create(size_t n, bool pairs, int kind, uint64_t seed) {
  Workload w = {n, pairs, device_array(n), device_array(n), NULL, device_array(n), NULL};
  if (pairs) {
    w.positions_in = device_array(n);
    w.positions_out = device_array(n);
  }
  input_keys(kind, seed, w.snapshot, n);
  return w;
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

// One run on a fresh input, in milliseconds by events.
static double run_once(const LoadedVersion *version, const Workload *w, cudaEvent_t start,
                       cudaEvent_t stop) {
  refresh(w);
  CUDA_CHECK(cudaEventRecord(start, 0));
  version->sort(w->keys_in, w->positions_in, w->keys_out, w->positions_out, w->n);
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaEventSynchronize(stop));
  LAUNCH_CHECK();
  float elapsed = 0.0f;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed, start, stop));
  if (scratch_outstanding() != 0) {
    fprintf(stderr, "%s did not return its scratch memory\n", version->version->name);
    exit(EXIT_DEVICE);
  }
  return (double)elapsed;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The q-th quantile of sorted values, by the nearest rank.
static double quantile(const double *sorted, int count, double q) {
  return sorted[(int)(q * (count - 1) + 0.5)];
}

static void time_stages(const LoadedVersion *version, const Workload *w, int repetitions,
                        cudaEvent_t start, cudaEvent_t stop, Measurement *m) {
  double(*const runs)[MAX_STAGES] = calloc((size_t)repetitions, sizeof *runs);
  double *const one_stage = calloc((size_t)repetitions, sizeof *one_stage);
  if (runs == NULL || one_stage == NULL)
    check_cuda(cudaErrorMemoryAllocation, "calloc", __FILE__, __LINE__);
  for (int i = 0; i < repetitions; i++) {
    stages_begin(version->version, true);
    run_once(version, w, start, stop);
    m->stages = stages_end(runs[i]);
  }
  for (int stage = 0; stage < m->stages; stage++) {
    for (int i = 0; i < repetitions; i++) one_stage[i] = runs[i][stage];
    qsort(one_stage, (size_t)repetitions, sizeof *one_stage, ascending);
    m->stage_ms[stage] = quantile(one_stage, repetitions, 0.5);
  }
  free(one_stage);
  free(runs);
}

Measurement measure(const LoadedVersion *version, const Workload *w, int repetitions) {
  Measurement m = {0};
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));

  stages_begin(version->version, false);
  // Poison, so that an output that is never written cannot be right by chance.
  CUDA_CHECK(cudaMemset(w->keys_out, 0xa5, w->n * sizeof(unsigned int)));
  if (w->pairs) CUDA_CHECK(cudaMemset(w->positions_out, 0xa5, w->n * sizeof(unsigned int)));
  run_once(version, w, start, stop);
  m.verdict = verdict_judge(version->version, w->snapshot, w->keys_out, w->positions_out, w->n);
  if (verdict_passes(&m.verdict)) {
    double *const times = calloc((size_t)repetitions, sizeof *times);
    if (times == NULL) check_cuda(cudaErrorMemoryAllocation, "calloc", __FILE__, __LINE__);
    for (int i = 0; i < repetitions; i++) times[i] = run_once(version, w, start, stop);
    qsort(times, (size_t)repetitions, sizeof *times, ascending);
    m.repetitions = repetitions;
    m.median_ms = quantile(times, repetitions, 0.5);
    m.min_ms = times[0];
    m.noise =
        (quantile(times, repetitions, 0.75) - quantile(times, repetitions, 0.25)) / m.median_ms;
    free(times);
    time_stages(version, w, (repetitions + 2) / 3, start, stop, &m);
    // The last timed result is judged as well: some mistakes show only now and then.
    m.verdict = verdict_judge(version->version, w->snapshot, w->keys_out, w->positions_out, w->n);
  }
  stages_begin(version->version, false);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  return m;
}

double measure_copy_rate(void) {
  // Large enough to be many times a GPU's cache, small enough for a laptop.
  size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  size_t bytes = (size_t)1 << 30;
  while (bytes > free_bytes / 4) bytes /= 2;
#ifdef CUDA_CPU
  bytes = (size_t)1 << 26;
#endif
  void *from = NULL, *to = NULL;
  CUDA_CHECK(cudaMalloc(&from, bytes));
  CUDA_CHECK(cudaMalloc(&to, bytes));
  CUDA_CHECK(cudaMemset(from, 1, bytes));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  double times[9];
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
