#include "multi/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "harness/measure/measure.h"
#include "multi/result_file.h"
#include "multi/world/step.h"

typedef struct Runs {
  Row *row;
  const Job *job;
  void *state;
  SortResult result;  // of the last run
} Runs;

static void progress(const Runs *runs, const char *what, int run) {
  if (!runs->job->request->progress || runs->job->world->rank != 0) return;
  fprintf(stderr, "multi_sort: %s, n = %llu, %s: %s %d\n", runs->row->input,
          (unsigned long long)runs->row->n, runs->row->pairs ? "pairs" : "keys", what, run);
}

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
  const Evidence evidence = way->look(runs->state, &runs->result);
  runs->row->judgement = judge(world, &evidence, runs->row->pairs, sort_version.stable);
  runs->row->received = world_max(world, runs->result.received);
  step_leave();
  return elapsed;
}

static void time_total(Runs *runs) {
  Row *const row = runs->row;
  double *const times =
      MEMORY_CHECK(calloc((size_t)runs->job->request->repetitions, sizeof *times));
  for (int i = 0; i < runs->job->request->repetitions && row->judgement.right; i++) {
    progress(runs, "timed run", i + 1);
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
    progress(runs, "run with stages", i + 1);
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
  progress(&runs, "warm-up", 1);
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
    progress(&runs, "baselines", 1);
    row->baselines = baselines_measure(job);
  }
  step_leave();
}
