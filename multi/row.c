#include "multi/row.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/scratch.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "harness/measure/measure.h"
#include "multi/result_file.h"
#include "multi/sample_sort.h"
#include "multi/split/splitters.h"
#include "multi/world/step.h"

// ---- baselines ----------------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The median of the times, which get sorted.
static double median_of(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return times[count / 2];
}

// One sort of `count` elements of the input, in milliseconds.
static double sort_once(const ShardInput *input, Elements in, Elements out, size_t count) {
  if (count == 0) return 0.0;
  shard_input_write(input, 0, count, in);
  CUDA_CHECK(cudaDeviceSynchronize());
  const double start = seconds_now();
  your_sort(in.keys, in.positions, out.keys, out.positions, count);
  CUDA_CHECK(cudaDeviceSynchronize());
  return 1e3 * (seconds_now() - start);
}

// Collective: the median time of the slowest rank; ranks with count 0 only wait. 0 if the elements
// do not fit into the device of some rank.
static double time_alone(const Job *job, const ShardInput *input, size_t count) {
  const int repetitions = job->request->repetitions;
  Elements in = {NULL, NULL}, out = {NULL, NULL};
  const double each = job->pairs ? sort_version.scratch_per_pair : sort_version.scratch_per_key;
  scratch_trim();
  const bool fits = count <= sort_version.max_n && elements_alloc(&in, count, job->pairs) &&
                    elements_alloc(&out, count, job->pairs) && scratch_fits(count, each);
  double median = 0.0;
  if (world_max(job->world, !fits) == 0) {
    double *const times = MEMORY_CHECK(calloc((size_t)repetitions, sizeof *times));
    for (int i = -1; i < repetitions; i++) {
      const double time = sort_once(input, in, out, count);
      step_enter("baseline");
      const double slowest = world_max_real(job->world, time);
      if (i >= 0) times[i] = slowest;
    }
    median = median_of(times, repetitions);
    free(times);
  }
  elements_free(&out);
  elements_free(&in);
  return median;
}

// One sample sort of the input, from barrier to barrier, in milliseconds. 0: it does not fit, or
// its result is wrong, which a line on stderr tells.
static double sample_sort_once(const Job *job, const ShardInput *input, SampleSort *sort) {
  const World *const world = job->world;
  Evidence evidence = {.begin = 0};
  step_enter("baseline");
  sort->count = input->count;
  shard_input_write(input, 0, sort->count, (Elements){sort->keys[0], sort->positions[0]});
  slice_add(&evidence.input, sort->keys[0], sort->positions[0], sort->count);
  CUDA_CHECK(cudaDeviceSynchronize());
  world_barrier(world);
  const double start = seconds_now();
  if (!sample_sort(job->exchange->communicator, sort)) return 0.0;
  CUDA_CHECK(cudaDeviceSynchronize());
  world_barrier(world);
  const double elapsed = world_max_real(world, 1e3 * (seconds_now() - start));
  slice_add(&evidence.output, sort->keys[0], sort->positions[0], sort->count);
  world_sums_before(world, &evidence.output.count, &evidence.begin, 1);
  const Judgement judgement = judge(world, &evidence, job->pairs, true, false);
  if (judgement.right) return elapsed;
  if (world->rank == 0) fprintf(stderr, "multi_sort: Thrust and NCCL: %s\n", judgement.text);
  return 0.0;
}

// Collective: the median time; 0 without NCCL, with few elements, or if some run has no time.
static double time_sample_sort(const Job *job, const ShardInput *input) {
  const int repetitions = job->request->repetitions, ranks = job->world->ranks;
  const size_t share = input->n / (uint64_t)ranks, capacity = share + share / 8;
  Elements first = {NULL, NULL}, second = {NULL, NULL};
  if (job->exchange->communicator == NULL || share < 64 * SAMPLES) return 0.0;
  scratch_trim();
  // Thrust's second buffer and its counters.
  const bool fits = elements_alloc(&first, capacity, job->pairs) &&
                    elements_alloc(&second, capacity, job->pairs) &&
                    scratch_fits(capacity, job->pairs ? 8.5 : 4.5);
  double median = 0.0;
  if (world_max(job->world, !fits) == 0) {
    SampleSort sort = {{first.keys, second.keys}, {first.positions, second.positions}, 0, capacity};
    double *const times = MEMORY_CHECK(calloc((size_t)repetitions + 1, sizeof *times));
    int runs = 0;
    while (runs <= repetitions && (times[runs] = sample_sort_once(job, input, &sort)) > 0.0) runs++;
    if (runs > repetitions) median = median_of(times + 1, repetitions);
    free(times);
  }
  elements_free(&second);
  elements_free(&first);
  return median;
}

// Collective: bytes per second, in plus out and added up over the ranks, of copies in both
// directions at once between page-locked host memory and the device. device_memory: bytes that the
// arrays on the device may take; 0: any.
static double copy_rate(const World *world, uint64_t device_memory) {
  enum { REPETITIONS = 9 };
#ifdef CUDA_CPU
  size_t bytes = (size_t)1 << 22;
#else
  size_t bytes = (size_t)1 << 30;
#endif
  while (device_memory > 0 && bytes > 4096 && 2 * bytes > device_memory) bytes /= 2;
  void *host[2] = {NULL, NULL}, *device[2] = {NULL, NULL};
  cudaStream_t stream[2];
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaMallocHost(&host[i], bytes));
    CUDA_CHECK(cudaMalloc(&device[i], bytes));
    CUDA_CHECK(cudaMemset(device[i], 1, bytes));
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
  }
  double times[REPETITIONS] = {0.0};
  for (int run = -1; run < REPETITIONS; run++) {
    CUDA_CHECK(cudaDeviceSynchronize());
    world_barrier(world);
    const double start = seconds_now();
    CUDA_CHECK(cudaMemcpyAsync(device[0], host[0], bytes, cudaMemcpyHostToDevice, stream[0]));
    CUDA_CHECK(cudaMemcpyAsync(host[1], device[1], bytes, cudaMemcpyDeviceToHost, stream[1]));
    CUDA_CHECK(cudaDeviceSynchronize());
    const double slowest = world_max_real(world, seconds_now() - start);
    if (run >= 0) times[run] = slowest;
  }
  for (int i = 0; i < 2; i++) {
    CUDA_CHECK(cudaStreamDestroy(stream[i]));
    CUDA_CHECK(cudaFree(device[i]));
    CUDA_CHECK(cudaFreeHost(host[i]));
  }
  return 2.0 * (double)bytes * world->ranks / median_of(times, REPETITIONS);
}

// Collective. What belongs to the other way is 0.
static Baselines baselines_measure(const Job *job) {
  const World *const world = job->world;
  Baselines found = {0.0, 0.0, 0.0, 0.0};
  step_enter("baseline");
  if (job->request->host) {
    found.copy_bytes_per_second = copy_rate(world, job->request->device_memory);
    return found;
  }
  if (world->ranks == 1) return found;
  // The ranks' shards may be unequal, and a file's are in host memory: so a generated input of the
  // share's size, or as much of the file's shard as there is.
  ShardInput input = job->input;
  const uint64_t begin = share_begin(input.n, world->rank, world->ranks);
  size_t count = share_begin(input.n, world->rank + 1, world->ranks) - begin;
  if (input.file_keys != NULL && count > input.count) count = input.count;
  if (input.file_keys == NULL) input.begin = begin;
  found.share_ms = time_alone(job, &input, count);
  if (input.file_keys != NULL) return found;
  input.count = count;
  found.thrust_nccl_ms = time_sample_sort(job, &input);
  input.begin = 0;
  found.all_ms = time_alone(job, &input, world->rank == 0 ? input.n : 0);
  return found;
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct Runs {
  Row *row;
  const Job *job;
  void *state;
  SortResult result;  // of the last run
} Runs;

// Spoils the result where MULTI_SORT_FAULT=RANK:result:KIND asks for it, to test the verdict.
static void spoil(const SortResult *result, int rank) {
  // Which of the rank's first two and last two elements give their key and their position to its
  // first, second and last place.
  static const struct {
    const char *kind;
    int key[3], position[3];
  } faults[] = {{"order", {3, 1, 0}, {3, 1, 0}},    // the first and the last element are exchanged
                {"lost", {0, 1, 2}, {0, 1, 2}},     // the last one is a copy of the one before
                {"pairing", {0, 1, 3}, {3, 1, 0}},  // positions of the first and the last one
                {"stability", {0, 1, 3}, {1, 0, 3}}};  // of the first two, whose keys are equal
  const size_t places[4] = {0, 1, result->count - 2, result->count - 1};
  uint32_t key[4] = {0}, position[4] = {0};
  if (result->count < 4) return;
  for (int i = 0; i < 4; i++)
    elements_copy((Elements){&key[i], &position[i]}, elements_at(result->elements, places[i]), 1);
  for (int f = 0; f < 4; f++)
    for (int i = 0; i < 3 && step_fault(rank, "result", faults[f].kind); i++)
      elements_copy(elements_at(result->elements, places[i < 2 ? i : 3]),
                    (Elements){&key[faults[f].key[i]], &position[faults[f].position[i]]}, 1);
}

// One run and its verdict. Returns the milliseconds from barrier to barrier of the slowest rank.
static double run_once(Runs *runs, double *seconds) {
  const World *const world = runs->job->world;
  const Way *const way = runs->row->way;
  step_enter("input");
  way->fill(runs->state);
  world_barrier(world);
  const double start = seconds_now();
  runs->result = way->run(runs->state, seconds);
  step_enter("finish");
  world_barrier(world);
  const double elapsed = world_max_real(world, 1e3 * (seconds_now() - start));
  spoil(&runs->result, world->rank);
  step_enter("verdict");
  const Evidence evidence = way->summarise(runs->state, &runs->result);
  runs->row->judgement = judge(world, &evidence, runs->row->pairs, sort_version.stable, true);
  runs->row->received = world_max(world, runs->result.received);
  step_leave();
  return elapsed;
}

static void time_total(Runs *runs) {
  Row *const row = runs->row;
  double *const times =
      MEMORY_CHECK(calloc((size_t)runs->job->request->repetitions, sizeof *times));
  for (int i = 0; i < runs->job->request->repetitions && row->judgement.right; i++) {
    times[row->repetitions++] = run_once(runs, NULL);
  }
  if (row->judgement.right) {
    row->median_ms = median_of(times, row->repetitions);
    row->min_ms = times[0];
    row->noise = noise_of_median(times, row->repetitions);
  } else {
    row->repetitions = 0;
  }
  free(times);
}

// A third as many runs, with the stages one after another.
static void time_stages(Runs *runs) {
  Row *const row = runs->row;
  const int repetitions = 1 + (runs->job->request->repetitions - 1) / 3;
  double *const times = MEMORY_CHECK(calloc((size_t)repetitions * MOST_STAGES, sizeof *times));
  for (int i = 0; i < repetitions && row->judgement.right; i++) {
    double seconds[MOST_STAGES] = {0.0};
    run_once(runs, seconds);
    for (int s = 0; s < MOST_STAGES; s++)
      times[s * repetitions + i] = 1e3 * world_max_real(runs->job->world, seconds[s]);
  }
  for (int s = 0; s < MOST_STAGES && row->judgement.right; s++)
    row->stage_ms[s] = median_of(times + s * repetitions, repetitions);
  free(times);
}

void row_measure(Row *row, const Job *job) {
  const Request *const request = job->request;
  Runs runs = {.row = row, .job = job};
  step_enter("create");
  runs.state = row->way->create(job);
  run_once(&runs, NULL);
  if (row->judgement.right) time_total(&runs);
  if (row->judgement.right && request->stages) time_stages(&runs);
  if (row->judgement.right) {
    const Elements sorted = runs.result.elements;
    step_enter("output");
    result_save(job->world, sorted.keys, runs.result.count, request->output);
    result_save(job->world, sorted.positions, runs.result.count, request->output_positions);
  }
  step_enter("destroy");
  row->way->destroy(runs.state);
  if (row->judgement.right && request->baselines) {
    row->baselines = baselines_measure(job);
  }
  step_leave();
}
