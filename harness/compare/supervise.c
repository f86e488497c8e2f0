// The printing side. A worker process measures the rows; if it crashes or hangs, a new one
// continues with the row after. This process never touches the device.
#include "harness/compare/supervise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/clock.h"
#include "harness/compare/outputs.h"
#include "harness/compare/progress.h"
#include "harness/compare/summary.h"
#include "harness/compare/worker_process.h"

static volatile sig_atomic_t interrupted;  // the signal's number

static void interrupt(int signal_number) { interrupted = signal_number; }

typedef struct Run {
  Comparison comparison;
  Outputs outputs;
  bool have_conditions;
  size_t next;          // rows before it are done
  bool measuring;       // next has been started and is not done
  double started;       // when, by seconds_now
  double baseline_ms;   // of the present group; 0 if it has none
  char last_line[256];  // the last that the worker wrote on stdout or stderr
} Run;

// ---- rows come in ------------------------------------------------------------------------------

static bool same_sweep(const Row *a, const Row *b) {
  return a->group == b->group && a->loaded == b->loaded;
}

// Once the last row of a sweep is done: marks the fastest.
static void mark_best(const Plan *plan, size_t done) {
  Row *const last = &plan->rows[done - 1];
  if (!last->swept || (done < plan->count && same_sweep(last, &plan->rows[done]))) return;
  Row *best = NULL;
  for (Row *row = last; row >= plan->rows && same_sweep(row, last); row--)
    if (row->status == ROW_RIGHT &&
        (best == NULL || row->measured.median_ms <= best->measured.median_ms))
      best = row;
  if (best != NULL) best->best = true;
}

static void finish_row(Run *run, RowStatus status, const char *message) {
  Row *const row = &run->comparison.plan->rows[run->next];
  row->status = status;
  snprintf(row->message, sizeof row->message, "%.*s", (int)sizeof row->message - 1, message);
  if (row->starts_workload) run->baseline_ms = 0.0;
  if (row->is_baseline && status == ROW_RIGHT && run->baseline_ms == 0.0)
    run->baseline_ms = row->measured.median_ms;
  if (status == ROW_RIGHT && row->measured.median_ms > 0.0)
    row->ratio = run->baseline_ms / row->measured.median_ms;
  run->next++;
  run->measuring = false;
  run->last_line[0] = '\0';
  mark_best(run->comparison.plan, run->next);
  progress_clear();
  outputs_advance(&run->outputs, run->next, false);
}

static void deliver(const Report *report, void *context) {
  Run *const run = context;
  Row *const row = &run->comparison.plan->rows[run->next];
  switch (report->kind) {
    case REPORT_CONDITIONS:
      if (run->have_conditions) return;  // the first worker measured the copy rate
      run->comparison.conditions = report->conditions;
      run->have_conditions = true;
      outputs_begin(&run->outputs);
      return;
    case REPORT_STARTED:
      run->measuring = true;
      run->started = seconds_now();
      progress_show(run->comparison.plan, run->next);
      return;
    case REPORT_DONE:
      row->measured = report->measured;
      row->printed = report->printed;
      finish_row(run, report->status, report->message);
      return;
  }
}

// ---- following a worker ------------------------------------------------------------------------

// Passes on the worker's text to stderr, and keeps its last line. False at the end of the text.
static bool pass_on_text(Run *run, int from) {
  char text[1024];
  const ssize_t length = read(from, text, sizeof text);
  if (length < 0 && errno == EINTR) return true;
  if (length <= 0) return false;
  progress_clear();
  fwrite(text, 1, (size_t)length, stderr);
  ssize_t end = length;
  while (end > 0 && text[end - 1] == '\n') end--;
  ssize_t start = end;
  while (start > 0 && text[start - 1] != '\n') start--;
  if (end > start)
    snprintf(run->last_line, sizeof run->last_line, "%.*s", (int)(end - start), text + start);
  return true;
}

// Reads one report. False at the end of the pipe: the worker has ended. A report that it had not
// finished is dropped.
static bool read_report(Run *run, int reports) {
  Report report = {0};
  size_t have = 0;
  while (have < sizeof report) {
    const ssize_t length = read(reports, (char *)&report + have, sizeof report - have);
    if (length < 0 && errno == EINTR && !interrupted) continue;
    if (length <= 0) return false;
    have += (size_t)length;
  }
  deliver(&report, run);
  return true;
}

static double time_allowed(const Run *run) {
  return STOP_FACTOR * run->comparison.request->plan.max_seconds;
}

// Follows a worker to its end; true when it was stopped because its row took too long.
static bool follow(Run *run, const WorkerProcess *worker) {
  struct pollfd ends[2] = {{.fd = worker->reports, .events = POLLIN},
                           {.fd = worker->text, .events = POLLIN}};
  while (ends[0].fd >= 0 && !interrupted) {
    const double left = run->started + time_allowed(run) - seconds_now();
    if (run->measuring && left <= 0.0) {
      kill(worker->process, SIGKILL);
      return true;
    }
    const int wait_ms = run->measuring && left < 1.0 ? (int)(left * 1000.0) + 1 : 1000;
    if (poll(ends, 2, wait_ms) < 0) continue;
    if (run->measuring) progress_show(run->comparison.plan, run->next);
    if (ends[1].revents != 0 && !pass_on_text(run, worker->text)) ends[1].fd = -1;
    if (ends[0].revents != 0 && !read_report(run, worker->reports)) ends[0].fd = -1;
  }
  if (interrupted) kill(worker->process, SIGKILL);
  while (ends[1].fd >= 0 && pass_on_text(run, worker->text)) continue;
  return false;
}

// The row that a worker was measuring when it ended gets its status and a sentence.
static void explain_end(Run *run, int status, bool stopped) {
  char text[256];
  const char *const line = run->last_line;
  RowStatus became = ROW_CRASHED;
  if (stopped) {
    became = ROW_STOPPED;
    snprintf(text, sizeof text, "stopped after %g s, %d times the time limit", time_allowed(run),
             STOP_FACTOR);
  } else if (WIFSIGNALED(status)) {
    snprintf(text, sizeof text, "crashed: %.100s (signal %d)", strsignal(WTERMSIG(status)),
             WTERMSIG(status));
  } else if (WEXITSTATUS(status) == EXIT_DEVICE) {
    became = ROW_FAILED;
    snprintf(text, sizeof text, "failed: %.200s", line[0] == '\0' ? "exit code 3" : line);
  } else {
    snprintf(text, sizeof text, "ended without a result, exit code %d%s%.180s", WEXITSTATUS(status),
             line[0] == '\0' ? "" : ": ", line);
  }
  run->comparison.plan->rows[run->next].measured = (Measurement){0};
  finish_row(run, became, text);
}

// One worker after another until all rows are done.
static void run_workers(Run *run) {
  const Plan *const plan = run->comparison.plan;
  while (run->next < plan->count && !interrupted) {
    const size_t before = run->next;
    const WorkerProcess worker = worker_process_start(run->comparison.request, plan, run->next);
    const bool stopped = follow(run, &worker);
    const int status = worker_process_end(&worker);
    if (interrupted) return;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT;
    if (run->measuring) {
      explain_end(run, status, stopped);
    } else if (run->next < plan->count && (!good || run->next == before)) {
      // Not inside a sort: there is no device, or its memory is taken; the worker has printed why.
      progress_clear();
      if (!run->have_conditions) {
        outputs_drop(&run->outputs);
        exit(WIFEXITED(status) && !good ? WEXITSTATUS(status) : EXIT_DEVICE);
      }
      explain_end(run, status, false);
    }
  }
}

// ---- the whole run -----------------------------------------------------------------------------

static int exit_code(const Plan *plan) {
  int code = EXIT_RIGHT;
  size_t refused = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const RowStatus status = plan->rows[i].status;
    if (status == ROW_WRONG || status == ROW_CRASHED || status == ROW_STOPPED)
      return EXIT_WRONG_RESULT;
    if (status == ROW_FAILED || status == ROW_NO_MEMORY) code = EXIT_DEVICE;
    refused += status == ROW_REFUSED;
  }
  return refused == plan->count ? EXIT_USAGE : code;  // nothing at all could be sorted
}

int supervise(const Request *request, Plan *plan) {
  Run run = {.comparison = {.request = request, .plan = plan}};
  outputs_open(&run.outputs, &run.comparison);
  if (request->in_process) {
    worker_run(request, plan, 0, deliver, &run);
  } else {
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    run_workers(&run);
  }
  progress_clear();
  if (!run.have_conditions) {
    outputs_drop(&run.outputs);
    return 128 + interrupted;
  }
  run.comparison.interrupted = interrupted != 0;
  outputs_advance(&run.outputs, run.next, true);
  outputs_end(&run.outputs);
  summary_warn(&run.comparison);
  return interrupted ? 128 + interrupted : exit_code(plan);
}
