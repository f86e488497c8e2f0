// The printing side. A worker process measures the rows; if it crashes or hangs, a new one
// continues with the row after. This process never touches the device.
#include "harness/compare/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/measure/clock.h"
#include "harness/compare/output.h"
#include "harness/compare/worker.h"
#include "harness/process/exit_guard.h"
#include "harness/process/message.h"

enum { SECONDS_TO_ANSWER = 10 };  // a worker that is stopped; then it is killed

static volatile sig_atomic_t interrupted;  // the signal's number

static void interrupt(int signal_number) { interrupted = signal_number; }

typedef struct Run {
  Comparison comparison;
  Outputs outputs;
  bool have_conditions;
  size_t next;          // rows before it are done
  bool measuring;       // next has been started and is not done
  double started;       // when, by seconds_now
  double baseline_ms;   // of the present group, the best of a sweep; 0 if it has none
  char last_line[600];  // of the present worker; not one that only adds to a line before it
} Run;

// ---- a worker in a separate process ------------------------------------------------------------

// A version that crashes, hangs or ends the program costs one row only.
typedef struct WorkerProcess {
  pid_t process;  // leads a process group, to which its children belong
  int reports;    // a socket: each record is a report
  int text;       // end of a pipe, non-blocking: what it writes on stdout and stderr
} WorkerProcess;

typedef struct Sender {
  pid_t process;
  int reports;
} Sender;

static void send_report(const Report *report, void *context) {
  const Sender *const sender = context;
  // A version may have forked, and its child comes back from the sort like the worker.
  if (getpid() != sender->process) _exit(EXIT_DEVICE);
  if (TEMP_FAILURE_RETRY(send(sender->reports, report, sizeof *report, MSG_NOSIGNAL)) < 0)
    _exit(EXIT_DEVICE);
}

static void measure_rows(const Request *request, const Plan *plan, size_t first, int reports,
                         int text) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives its parent
  setpgid(0, 0);
  signal(SIGINT, SIG_IGN);  // the parent decides
  signal(SIGTERM, SIG_DFL);
  // A process group in the background must not read from the terminal.
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(text, STDOUT_FILENO) < 0 ||
      dup2(text, STDERR_FILENO) < 0)
    _exit(EXIT_DEVICE);
  setvbuf(stdout, NULL, _IOLBF, 0);
  Sender sender = {.process = getpid(), .reports = reports};
  worker_run(request, plan, first, send_report, &sender);
  fflush(NULL);
  _exit(EXIT_RIGHT);
}

// Starts a worker that measures rows[first..]. It ends with this process.
static void start_worker(WorkerProcess *worker, const Request *request, const Plan *plan,
                         size_t first) {
  int reports[2], text[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, reports) != 0 ||
      pipe2(text, O_CLOEXEC) != 0)
    quit(EXIT_DEVICE, "no pipe: %s", strerror(errno));
  fcntl(text[0], F_SETFL, O_NONBLOCK);
  *worker = (WorkerProcess){.reports = reports[0], .text = text[0]};
  fflush(NULL);  // or both would write it
  worker->process = fork();
  if (worker->process < 0) quit(EXIT_DEVICE, "no process: %s", strerror(errno));
  if (worker->process == 0) measure_rows(request, plan, first, reports[1], text[1]);
  setpgid(worker->process, worker->process);  // as in the child, whichever comes first
  close(reports[1]);
  close(text[1]);
}

// Its children may still hold the pipes open.
static bool has_ended(const WorkerProcess *worker) {
  siginfo_t about = {.si_pid = 0};
  if (waitid(P_PID, (id_t)worker->process, &about, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return about.si_pid != 0;
}

static void kill_worker(const WorkerProcess *worker) {
  kill(-worker->process, SIGKILL);
  kill(worker->process, SIGKILL);  // if it is not yet in its group
}

// Waits for its end, kills what remains of its process group, and closes the pipes. Returns the
// status that waitpid reports.
static int reap(const WorkerProcess *worker) {
  siginfo_t about;
  // WNOWAIT: the group's number stays taken until its other members have been killed.
  while (waitid(P_PID, (id_t)worker->process, &about, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    continue;
  kill(-worker->process, SIGKILL);
  int status = 0;
  while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
  close(worker->reports);
  close(worker->text);
  return status;
}

// ---- progress -----------------------------------------------------------------------------------
// One line on stderr, only on a terminal: which row is being measured, and the time left.

static bool shown;  // the line

// A row's time, roughly and in no unit: a constant and its elements.
static double cost(const Row *row) {
  return row->status == ROW_REFUSED ? 0.0 : 2e5 + (double)row->n;
}

// Shows or refreshes the line, at most once a second for the same row.
static void progress_show(const Plan *plan, size_t row) {
  static double start, last;
  static size_t last_row;
  const double now = seconds_now();
  if (start == 0.0) start = now;
  if (row >= plan->count || !isatty(STDERR_FILENO)) return;
  if (shown && row == last_row && now - last < 1.0) return;
  last = now;
  last_row = row;
  double done = 0.0, all = 0.0;
  for (size_t i = 0; i < plan->count; i++) {
    all += cost(&plan->rows[i]);
    if (i < row) done += cost(&plan->rows[i]);
  }
  char label[100], left[40] = "";
  row_label(&plan->rows[row], label, sizeof label);
  if (done > 0.0) {
    const double seconds = (now - start) * (all - done) / done;
    snprintf(left, sizeof left, ", %d:%02d left", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
  }
  // ?7: a line that is too long is cut off; wrapped, only its end could be overwritten.
  fprintf(stderr, "\r\033[K\033[?7l%zu/%zu %s, %zu %s %s%s\033[?7h", row + 1, plan->count, label,
          plan->rows[row].n, plan->rows[row].source->name, elements_name(&plan->rows[row]), left);
  fflush(stderr);
  shown = true;
}

// Removes the line, before anything else is written on the terminal.
static void progress_clear(void) {
  if (shown) fputs("\r\033[K", stderr);
  shown = false;
}

// ---- the text that a worker writes --------------------------------------------------------------

// Lines that only add to the one before: empty ones, indented ones, as in the findings of the cpu
// backend, and "==PID==ABORTING", which a sanitizer writes after its summary.
static bool says_nothing(const char *line, size_t length) {
  return length == 0 || line[0] == ' ' || (length > 2 && memcmp(line, "==", 2) == 0);
}

// Remembers the last line of text[length] that says something.
static void remember(Run *run, const char *text, size_t length) {
  for (size_t end = length, start; end > 0; end = start) {
    while (end > 0 && text[end - 1] == '\n') end--;
    start = end;
    while (start > 0 && text[start - 1] != '\n') start--;
    if (says_nothing(text + start, end - start)) continue;
    snprintf(run->last_line, sizeof run->last_line, "%.*s", (int)(end - start), text + start);
    return;
  }
}

// Passes on to stderr what the worker has written, without waiting. Control characters, with
// which a version could change the terminal or hide other lines, become '?'. False: the pipe is
// closed.
static bool pass_on_text(Run *run, const WorkerProcess *worker) {
  // A process that escaped from the worker's group may write for ever.
  for (int part = 0; part < 64; part++) {
    char bytes[4096];
    const ssize_t length = read(worker->text, bytes, sizeof bytes);
    if (length < 0) return errno == EINTR || errno == EAGAIN;
    if (length == 0) return false;
    progress_clear();
    printable_text(bytes, (size_t)length);
    fwrite(bytes, 1, (size_t)length, stderr);
    remember(run, bytes, (size_t)length);
  }
  return true;
}

// ---- rows come in ------------------------------------------------------------------------------

static void finish_row(Run *run, RowStatus status, const char *message) {
  Row *const row = &run->comparison.plan->rows[run->next];
  row->status = status;
  printable_utf8(message, row->message, sizeof row->message);
  if (row->starts_workload) run->baseline_ms = 0.0;
  if (row->is_baseline && status == ROW_RIGHT &&
      (run->baseline_ms == 0.0 || row->measured.median_ms < run->baseline_ms)) {
    run->baseline_ms = row->measured.median_ms;
    for (Row *other = row - 1; !other[1].starts_workload; other--)  // slower rows of its sweep
      if (other->ratio > 0.0) other->ratio = run->baseline_ms / other->measured.median_ms;
  }
  if (status == ROW_RIGHT && row->measured.median_ms > 0.0)
    row->ratio = run->baseline_ms / row->measured.median_ms;
  run->next++;
  run->measuring = false;
  run->last_line[0] = '\0';
  plan_mark_best(run->comparison.plan, run->next);
  progress_clear();
  outputs_advance(&run->outputs, run->next, false);
}

static void deliver(const Report *report, void *context) {
  Run *const run = context;
  if (report->kind == REPORT_CONDITIONS) {
    if (run->have_conditions) return;  // the first worker measured the copy rate
    run->comparison.conditions = report->conditions;
    run->have_conditions = true;
    outputs_begin(&run->outputs);
  } else if (report->kind == REPORT_STARTED) {
    run->measuring = true;
    run->started = seconds_now();
    progress_show(run->comparison.plan, run->next);
  } else {
    Row *const row = &run->comparison.plan->rows[run->next];
    row->measured = report->measured;
    row->printed = report->printed;
    finish_row(run, report->status, report->message);
  }
}

// ---- following a worker ------------------------------------------------------------------------

static double time_allowed(const Run *run) {
  return STOP_FACTOR * run->comparison.request->plan.max_seconds;
}

// Takes all reports that are there, without waiting. False: no more will come.
static bool take_reports(Run *run, const WorkerProcess *worker) {
  Report report;
  while (true) {
    const ssize_t got = recv(worker->reports, &report, sizeof report, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0 && errno == EAGAIN;
    if (got == (ssize_t)sizeof report) deliver(&report, run);
  }
}

// A worker whose row takes too long is asked for the kernel that it runs: on the cpu backend it
// answers SIGQUIT with a line, elsewhere it just ends.
static void ask_for_kernel(Run *run, const WorkerProcess *worker) {
  const double deadline = seconds_now() + SECONDS_TO_ANSWER;
  kill(worker->process, SIGQUIT);
  while (!has_ended(worker) && !interrupted && seconds_now() < deadline) {
    poll(NULL, 0, 5);
    pass_on_text(run, worker);
  }
  pass_on_text(run, worker);
}

// Follows a worker until it has ended or must be killed. Returns whether its row took too long.
static bool follow(Run *run, const WorkerProcess *worker) {
  struct pollfd ends[2] = {{.fd = worker->reports, .events = POLLIN},
                           {.fd = worker->text, .events = POLLIN}};
  bool ended = false, stopped = false;
  while (!ended && !interrupted) {
    const double left = run->started + time_allowed(run) - seconds_now();
    stopped = run->measuring && left <= 0.0;
    if (stopped) break;
    // A child of the version may hold the pipes open, so that their end is not seen.
    const int wait_ms = run->measuring && left < 0.25 ? (int)(left * 1000.0) + 1 : 250;
    if (poll(ends, 2, wait_ms) < 0) continue;
    if (run->measuring) progress_show(run->comparison.plan, run->next);
    ended = has_ended(worker);  // before its last reports are taken
    if (ends[1].fd >= 0 && !pass_on_text(run, worker)) ends[1].fd = -1;
    if (!take_reports(run, worker)) break;
  }
  if (stopped) ask_for_kernel(run, worker);
  if (stopped || interrupted) kill_worker(worker);
  return stopped;
}

// The row that a worker was measuring when it ended gets its status and a sentence.
static void explain_end(Run *run, int status, bool stopped) {
  char text[MESSAGE_SIZE];
  const char *const line = run->last_line;
  RowStatus became = ROW_CRASHED;
  if (stopped) {
    became = ROW_STOPPED;
    const char *const kernel = strstr(line, "still running");
    snprintf(text, sizeof text, "stopped after %g s, %d times the time limit%s%.*s",
             time_allowed(run), STOP_FACTOR, kernel == NULL ? "" : ": ",
             kernel == NULL ? 0 : (int)strcspn(kernel, ";"), kernel == NULL ? "" : kernel);
  } else if (WIFSIGNALED(status)) {
    snprintf(text, sizeof text, "crashed: %.100s (signal %d)", strsignal(WTERMSIG(status)),
             WTERMSIG(status));
  } else if (WEXITSTATUS(status) == EXIT_DEVICE || strncmp(line, "libgomp: ", 9) == 0) {
    // OpenMP's runtime ends a program with exit code 1 where the system has no thread for it.
    became = ROW_FAILED;
    snprintf(text, sizeof text, "failed: %s", line[0] == '\0' ? "exit code 3" : line);
  } else {
    // In quotes: it may be "PASS".
    snprintf(text, sizeof text, "ended without a result, exit code %d%s%.180s%s",
             WEXITSTATUS(status), line[0] == '\0' ? "" : "; its last line was \"", line,
             line[0] == '\0' ? "" : "\"");
  }
  run->comparison.plan->rows[run->next].measured = (Measurement){0};
  finish_row(run, became, text);
}

// Waits for a worker's end, after which its text is complete. Returns waitpid's status.
static int end_worker(Run *run, const WorkerProcess *worker, bool *stopped) {
  // It may have closed its pipes and live on.
  const double last = run->measuring ? run->started + time_allowed(run) : seconds_now() + 10.0;
  while (!has_ended(worker)) {
    *stopped = *stopped || seconds_now() > last;
    if (interrupted || *stopped) kill_worker(worker);
    poll(NULL, 0, 5);
    pass_on_text(run, worker);
  }
  pass_on_text(run, worker);
  return reap(worker);
}

// One worker after another until all rows are done.
static void run_workers(Run *run) {
  const Plan *const plan = run->comparison.plan;
  while (run->next < plan->count && !interrupted) {
    const size_t before = run->next;
    WorkerProcess worker;
    start_worker(&worker, run->comparison.request, plan, run->next);
    bool stopped = follow(run, &worker);
    const int status = end_worker(run, &worker, &stopped);
    if (interrupted) return;
    const bool good = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_RIGHT;
    if (run->measuring) {
      explain_end(run, status, stopped);
    } else if (run->next < plan->count && (!good || run->next == before)) {
      // It ended outside a sort: there is no device, or its memory is taken; it has printed why.
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

int supervise(const Request *request, Plan *plan) {
  Run run = {.comparison = {.request = request, .plan = plan}};
  outputs_open(&run.outputs, &run.comparison);
  if (request->in_process) {
    exit_guard_version(true);
    worker_run(request, plan, 0, deliver, &run);
    exit_guard_version(false);
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
  return interrupted ? 128 + interrupted : plan_exit_code(plan);
}
