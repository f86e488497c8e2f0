#include "multi/row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/your_sort.h"
#include "harness/measure/clock.h"
#include "harness/measure/measure.h"
#include "multi/baseline.h"
#include "multi/result_file.h"
#include "multi/spoil.h"
#include "multi/step.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double sorted_median(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, ascending);
  return times[count / 2];
}

typedef struct Runs {
  Row *row;
  const Job *job;
  const RowPlan *plan;
  void *state;
  size_t count;  // elements of the last result on this rank
} Runs;

static void progress(const Runs *runs, const char *what, int run) {
  if (!runs->plan->progress || runs->job->world->rank != 0) return;
  fprintf(stderr, "multi_sort: %s, n = %llu, %s: %s %d\n", runs->row->input,
          (unsigned long long)runs->row->n, runs->row->pairs ? "pairs" : "keys", what, run);
}

// One run and its verdict. Returns the milliseconds from barrier to barrier of the slowest rank.
static double run_once(Runs *runs, double *seconds) {
  const World *const world = runs->job->world;
  const Way *const way = runs->row->way;
  step_enter("input");
  way->fill(runs->state);
  world_barrier(world);
  const double start = seconds_now();
  const RunFacts facts = way->run(runs->state, seconds);
  step_enter("finish");
  world_barrier(world);
  const double elapsed = world_max_real(world, 1e3 * (seconds_now() - start));
  runs->count = facts.count;
  spoil_result(way, runs->state, world->rank, facts.count, runs->row->pairs);
  step_enter("verdict");
  const Evidence evidence = way->look(runs->state);
  runs->row->judgement = judge(world, &evidence, runs->row->pairs, sort_version.stable);
  runs->row->received = world_max(world, facts.received);
  step_leave();
  return elapsed;
}

static void time_total(Runs *runs) {
  Row *const row = runs->row;
  double *const times = MEMORY_CHECK(calloc((size_t)runs->plan->repetitions, sizeof *times));
  for (int i = 0; i < runs->plan->repetitions && row->judgement.right; i++) {
    progress(runs, "timed run", i + 1);
    times[row->repetitions++] = run_once(runs, NULL);
  }
  if (row->judgement.right) {
    row->median_ms = sorted_median(times, row->repetitions);
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
  const int repetitions = 1 + (runs->plan->repetitions - 1) / 3;
  double *const times = MEMORY_CHECK(calloc((size_t)repetitions * MOST_STAGES, sizeof *times));
  for (int i = 0; i < repetitions && row->judgement.right; i++) {
    progress(runs, "run with stages", i + 1);
    double seconds[MOST_STAGES] = {0.0};
    run_once(runs, seconds);
    for (int s = 0; s < MOST_STAGES; s++)
      times[s * repetitions + i] = 1e3 * world_max_real(runs->job->world, seconds[s]);
  }
  for (int s = 0; s < MOST_STAGES && row->judgement.right; s++)
    row->stage_ms[s] = sorted_median(times + s * repetitions, repetitions);
  free(times);
}

void row_measure(Row *row, const Job *job, const RowPlan *plan) {
  Runs runs = {row, job, plan, NULL, 0};
  step_enter("create");
  runs.state = row->way->create(job);
  progress(&runs, "warm-up", 1);
  run_once(&runs, NULL);
  if (row->judgement.right) time_total(&runs);
  if (row->judgement.right && plan->stages) time_stages(&runs);
  if (row->judgement.right) {
    step_enter("output");
    result_save(job->world, row->way, runs.state, runs.count, plan->output, false);
    result_save(job->world, row->way, runs.state, runs.count, plan->output_positions, true);
  }
  step_enter("destroy");
  row->way->destroy(runs.state);
  if (row->judgement.right && plan->baselines) {
    progress(&runs, "baselines", 1);
    baseline_measure(row, job, plan->repetitions);
  }
  step_leave();
}
