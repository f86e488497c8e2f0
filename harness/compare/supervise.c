// The printing side. Rows are measured in a child process, so that a version that crashes or hangs
// costs its own row only: the next child goes on behind it. This process never touches the device.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/compare/compare.h"

static volatile sig_atomic_t interrupted;  // the signal's number

static void interrupt(int signal_number) { interrupted = signal_number; }

typedef struct Run {
  const Request *request;
  Plan *plan;
  const Output *output;
  Conditions conditions;
  bool have_conditions;
  size_t next;           // rows before it are done
  bool measuring;        // next has been started and is not done
  double started;        // when
  double baseline_ms;    // of the present group; 0 if it has none
  size_t printed;        // rows before it have been printed
  char last_words[256];  // the last line that the child wrote on stderr
} Run;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- rows come in ------------------------------------------------------------------------------

static bool same_sweep(const Row *a, const Row *b) {
  return a->group == b->group && a->loaded == b->loaded;
}

static void mark_best(Row *rows, size_t count) {
  Row *best = NULL;
  for (Row *row = rows; row < rows + count; row++)
    if (row->status == ROW_RIGHT &&
        (best == NULL || row->measured.median_ms < best->measured.median_ms))
      best = row;
  if (best != NULL && count > 1) best->best = true;
}

// Prints the rows that are complete. Those of a sweep wait for each other: one of them is marked.
static void print_rows(Run *run, bool all) {
  Row *const rows = run->plan->rows;
  while (run->printed < run->next) {
    size_t end = run->printed + 1;
    while (end < run->plan->count && same_sweep(&rows[run->printed], &rows[end])) end++;
    if (end > run->next && !all) return;
    if (end > run->next) end = run->next;
    mark_best(rows + run->printed, end - run->printed);
    progress_clear();
    for (; run->printed < end; run->printed++)
      run->output->row(&rows[run->printed], &run->conditions, run->request, run->plan);
    fflush(stdout);
  }
}

static void finish_row(Run *run, RowStatus status, const char *message) {
  Row *const row = &run->plan->rows[run->next];
  row->status = status;
  snprintf(row->message, sizeof row->message, "%.*s", (int)sizeof row->message - 1, message);
  if (row->starts_workload) run->baseline_ms = 0.0;
  if (row->is_baseline && status == ROW_RIGHT && run->baseline_ms == 0.0)
    run->baseline_ms = row->measured.median_ms;
  if (status == ROW_RIGHT && row->measured.median_ms > 0.0)
    row->ratio = run->baseline_ms / row->measured.median_ms;
  run->next++;
  run->measuring = false;
  run->last_words[0] = '\0';
  print_rows(run, false);
}

static void deliver(const Report *report, void *context) {
  Run *const run = context;
  switch (report->what) {
    case REPORT_CONDITIONS:
      if (run->have_conditions) return;  // the first child measured the copy rate
      run->conditions = report->conditions;
      run->have_conditions = true;
      run->output->begin(&run->conditions, run->request, run->plan);
      fflush(stdout);
      return;
    case REPORT_STARTED:
      run->measuring = true;
      run->started = seconds_now();
      progress_show(run->plan, run->next);
      return;
    case REPORT_DONE:
      run->plan->rows[run->next].measured = report->measured;
      run->plan->rows[run->next].printed = report->printed;
      finish_row(run, report->status, report->message);
      return;
  }
}

// ---- the child ---------------------------------------------------------------------------------

typedef struct Child {
  pid_t process;
  int reports, words;  // ends of pipes: what it reports, what it writes on stdout and stderr
} Child;

// In one piece: a write to a pipe that blocks is cut off only by the end of this process.
static void send(const Report *report, void *context) {
  const int pipe_end = *(const int *)context;
  if (write(pipe_end, report, sizeof *report) != (ssize_t)sizeof *report) _exit(EXIT_DEVICE);
}

static void run_child(const Run *run, int reports, int words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever becomes of the parent, nobody is left behind
  signal(SIGINT, SIG_IGN);           // Ctrl-C reaches both; the parent decides
  signal(SIGTERM, SIG_DFL);
  if (dup2(words, STDOUT_FILENO) < 0 || dup2(words, STDERR_FILENO) < 0) _exit(EXIT_DEVICE);
  setvbuf(stdout, NULL, _IOLBF, 0);
  worker_run(run->request, run->plan, run->next, send, &reports);
  fflush(NULL);
  _exit(EXIT_RIGHT);
}

static Child start_child(const Run *run) {
  int reports[2], words[2];
  if (pipe(reports) != 0 || pipe(words) != 0)
    compare_quit(EXIT_DEVICE, "no pipe: %s", strerror(errno));
  fflush(NULL);
  const Child child = {fork(), reports[0], words[0]};
  if (child.process < 0) compare_quit(EXIT_DEVICE, "no process: %s", strerror(errno));
  if (child.process == 0) run_child(run, reports[1], words[1]);
  close(reports[1]);
  close(words[1]);
  return child;
}

// Passes on what the child says, and remembers its last line. False at the end.
static bool hear(Run *run, int words) {
  char text[1024];
  const ssize_t length = read(words, text, sizeof text);
  if (length < 0 && errno == EINTR) return true;
  if (length <= 0) return false;
  progress_clear();
  fwrite(text, 1, (size_t)length, stderr);
  ssize_t end = length;
  while (end > 0 && text[end - 1] == '\n') end--;
  ssize_t start = end;
  while (start > 0 && text[start - 1] != '\n') start--;
  if (end > start)
    snprintf(run->last_words, sizeof run->last_words, "%.*s", (int)(end - start), text + start);
  return true;
}

// Reads one report. False at the end, which is also that of the child; a report that it could not
// finish is dropped.
static bool listen(Run *run, int reports) {
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

static double time_allowed(const Run *run) { return STOP_FACTOR * run->request->plan.max_seconds; }

// Follows a child to its end; true when it was stopped because its row took too long.
static bool follow(Run *run, const Child *child) {
  struct pollfd ends[2] = {{child->reports, POLLIN, 0}, {child->words, POLLIN, 0}};
  while (ends[0].fd >= 0 && !interrupted) {
    const double left = run->started + time_allowed(run) - seconds_now();
    if (run->measuring && left <= 0.0) {
      kill(child->process, SIGKILL);
      return true;
    }
    const int wait_ms = run->measuring && left < 1.0 ? (int)(left * 1000.0) + 1 : 1000;
    if (poll(ends, 2, wait_ms) < 0) continue;
    if (run->measuring) progress_show(run->plan, run->next);
    if (ends[1].revents != 0 && !hear(run, child->words)) ends[1].fd = -1;
    if (ends[0].revents != 0 && !listen(run, child->reports)) ends[0].fd = -1;
  }
  if (interrupted) kill(child->process, SIGKILL);
  while (ends[1].fd >= 0 && hear(run, child->words)) continue;
  return false;
}

// What became of the row that a child was measuring when it ended.
static void explain_end(Run *run, int status, bool stopped) {
  char text[256];
  const char *const words = run->last_words;
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
    snprintf(text, sizeof text, "failed: %.200s", words[0] == '\0' ? "exit code 3" : words);
  } else {
    snprintf(text, sizeof text, "ended without a result, exit code %d%s%.180s", WEXITSTATUS(status),
             words[0] == '\0' ? "" : ": ", words);
  }
  run->plan->rows[run->next].measured = (Measurement){0};
  finish_row(run, became, text);
}

// One child after another until all rows are done.
static void run_children(Run *run) {
  while (run->next < run->plan->count && !interrupted) {
    const size_t before = run->next;
    const Child child = start_child(run);
    const bool stopped = follow(run, &child);
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
    close(child.reports);
    close(child.words);
    if (interrupted) return;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT;
    if (run->measuring)
      explain_end(run, status, stopped);
    else if (run->next < run->plan->count && (!good || run->next == before)) {
      // Not inside a sort: there is no device, or its memory is taken; the child has said so.
      progress_clear();
      if (!run->have_conditions)
        exit(WIFEXITED(status) && !good ? WEXITSTATUS(status) : EXIT_DEVICE);
      explain_end(run, status, false);
    }
  }
}

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
  static const Output *const outputs[] = {&table_output, &csv_output, &json_output, &md_output};
  Run run = {.request = request, .plan = plan, .output = outputs[request->format]};
  if (request->in_process) {
    worker_run(request, plan, 0, deliver, &run);
  } else {
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    run_children(&run);
  }
  print_rows(&run, true);
  progress_clear();
  if (!run.have_conditions) return 128 + interrupted;
  run.output->end(&run.conditions, request, plan, interrupted != 0);
  if (fflush(stdout) != 0 || ferror(stdout))
    compare_quit(EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
  return interrupted ? 128 + interrupted : exit_code(plan);
}
