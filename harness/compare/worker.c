#include "harness/compare/worker.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "harness/diagnose/diagnosis.h"
#include "harness/measure/clock.h"

// ---- warming up ---------------------------------------------------------------------------------
// A device that was idle has low clocks and raises them only under load. The first rows of a run
// would be slower than the rest.

static double busy_until = -1e9;  // seconds_now()

// Keeps the device and this thread busy for 0.2 s with small copies, if the device has been idle
// for 0.2 s. Without effect on the cpu backend.
static void device_warm_up(void) {
#ifndef CUDA_CPU
  const double most_idle = 0.2, duration = 0.2;
  enum { LAUNCHES = 64 };
  const size_t bytes = (size_t)1 << 22;  // stays in the cache
  const double start = seconds_now();
  if (start - busy_until < most_idle) return;
  char *buffer = NULL;
  CUDA_CHECK(cudaMalloc((void **)&buffer, 2 * bytes));
  CUDA_CHECK(cudaMemset(buffer, 0, 2 * bytes));
  while (seconds_now() - start < duration) {
    for (int i = 0; i < LAUNCHES; i++)
      CUDA_CHECK(cudaMemcpyAsync(buffer + bytes, buffer, bytes, cudaMemcpyDeviceToDevice, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaFree(buffer));
  busy_until = seconds_now();
#endif
}

// ---- rows ---------------------------------------------------------------------------------------

// Can a version sort a row in `free_bytes`? If not, the report gets how many elements fit.
static bool fits(const Row *row, size_t free_bytes, Report *report) {
  const SortVersion *const version = row->loaded->version;
  const double needed = workload_bytes(version, row->n, row->pairs);
  if (needed <= (double)free_bytes) return true;
  report->status = ROW_NO_MEMORY;
  snprintf(report->message, sizeof report->message,
           "%zu %s need %.3g GB with scratch memory%s, %.3g GB are free: at most %zu fit", row->n,
           elements_name(row), needed / 1e9,
           version->scratch_per_key < 0.0 ? " (the version's own is unknown)" : "",
           (double)free_bytes / 1e9, workload_largest_n(version, row->pairs, (double)free_bytes));
  return false;
}

static Workload make_workload(const Row *row, const Request *request) {
  Workload workload = workload_create(row->loaded->version, row->n, row->pairs, request->offsets);
  if (row->source->kind >= 0)
    workload_draw(&workload, row->source->kind, request->seed);
  else
    workload_load(&workload, row->source->file.keys, row->source->file.count);
  return workload;
}

static void set_knobs(const Row *row) {
  const SortVersion *const version = row->loaded->version;
  knobs_begin(version);
  for (int i = 0; version->knobs[i].name != NULL; i++) knob_set(i, row->knobs[i]);
}

static void fetch(unsigned int *to, const unsigned int *d_from, size_t n) {
  if (d_from != NULL) CUDA_CHECK(cudaMemcpy(to, d_from, n * sizeof *to, cudaMemcpyDeviceToHost));
}

// Appends the mistake to the verdict's text, if the output shows it.
static void name_mistake(const Row *row, const Workload *workload, char *text, size_t size) {
  enum { MOST = 1 << 22 };  // elements that are copied to the host for it
  if (row->n > MOST || row->loaded->version->key != KEY_U32) return;
  Trial trial = workload_trial(workload);
  Diagnosis diagnosis;
  const size_t used = strlen(text);
  if (diagnose_output(&trial, row->loaded->version->stable, &diagnosis))
    snprintf(text + used, size - used, "; %s", diagnosis.sentence.text);
  trial_free(&trial);
}

static void measure_row(const Row *row, const Workload *workload, const Request *request,
                        Report *report) {
  set_knobs(row);
  const bool on_host = row->loaded->version->on_host;
  if (!on_host) device_warm_up();
  check_blame(row->loaded->version->name);
  report->measured = measure(row->loaded, workload, request->plan);
  check_blame(NULL);
  if (!on_host) busy_until = seconds_now();
  const Verdict *const verdict = &report->measured.verdict;
  const char *const outside = report->measured.outside.text;
  const double late_ms = report->measured.late_ms;
  const bool right = verdict_passes(verdict) && outside[0] == '\0' && late_ms == 0.0;
  report->status = right ? ROW_RIGHT : ROW_WRONG;
  if (outside[0] != '\0') {
    snprintf(report->message, sizeof report->message, "FAIL: %.600s", outside);
  } else if (verdict_passes(verdict) && !right) {
    snprintf(report->message, sizeof report->message,
             "FAIL: the sort returned before it was done: the device worked for %.4f ms more, in a "
             "stream that does not wait for the default one",
             late_ms);
  } else if (!right) {
    verdict_describe(verdict, report->message, sizeof report->message);
    if (!verdict->unsettled) name_mistake(row, workload, report->message, sizeof report->message);
  }
  if (request->print) {
    fetch(report->printed.before, workload->snapshot, row->n);
    fetch(report->printed.after, workload->keys_out, row->n);
    fetch(report->printed.positions, workload->positions_out, row->n);
  }
  scratch_trim();
}

void worker_run(const Request *request, const Plan *plan, size_t first, Deliver *deliver,
                void *context) {
  device_warm_up();  // so that the conditions show the clocks of the rows
  Report report = {.kind = REPORT_CONDITIONS, .conditions = conditions_now()};
  report.conditions.copy_bytes_per_second = first == 0 ? measure_copy_rate() : 0.0;
  deliver(&report, context);
  Workload workload = {0};
  int group = -1;                          // that the present rows belong to
  bool made = false;                       // the group's workload is there
  size_t free_bytes = 0, total_bytes = 0;  // without the workload
  for (size_t i = first; i < plan->count; i++) {
    const Row *const row = &plan->rows[i];
    report = (Report){.kind = REPORT_STARTED};
    if (row->group != group) {
      if (made) workload_destroy(&workload);
      made = false;
      group = row->group;
      CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    }
    const bool sorts = row->status != ROW_REFUSED && fits(row, free_bytes, &report);
    if (sorts && !made) {
      workload = make_workload(row, request);
      CUDA_CHECK(cudaDeviceSynchronize());
      made = true;
    }
    deliver(&report, context);
    report.kind = REPORT_DONE;
    if (row->status == ROW_REFUSED) {
      report.status = ROW_REFUSED;
      memcpy(report.message, row->message, sizeof report.message);
    } else if (sorts) {
      measure_row(row, &workload, request, &report);
    }
    deliver(&report, context);
  }
  if (made) workload_destroy(&workload);
}
