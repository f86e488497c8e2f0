#include "harness/compare/worker_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/process/message.h"

// ---- the worker --------------------------------------------------------------------------------

typedef struct Sender {
  pid_t process;
  int pipe_end;
} Sender;

static void send_report(const Report *report, void *context) {
  const Sender *const sender = context;
  // A version may have forked, and its child comes back from the sort like the worker.
  if (getpid() != sender->process) _exit(EXIT_DEVICE);
  const char *bytes = (const char *)report;
  for (size_t left = sizeof *report; left > 0;) {
    const ssize_t sent = write(sender->pipe_end, bytes, left);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) _exit(EXIT_DEVICE);
    bytes += sent;
    left -= (size_t)sent;
  }
}

static void run(const Request *request, const Plan *plan, size_t first, int reports, int text) {
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
  Sender sender = {.process = getpid(), .pipe_end = reports};
  worker_run(request, plan, first, send_report, &sender);
  if (getpid() != sender.process) _exit(EXIT_DEVICE);
  fflush(NULL);
  _exit(EXIT_RIGHT);
}

// ---- its parent --------------------------------------------------------------------------------

void worker_process_start(WorkerProcess *worker, const Request *request, const Plan *plan,
                          size_t first) {
  int reports[2], text[2];
  if (pipe2(reports, O_CLOEXEC) != 0 || pipe2(text, O_CLOEXEC) != 0)
    quit(EXIT_DEVICE, "no pipe: %s", strerror(errno));
  fcntl(reports[0], F_SETFL, O_NONBLOCK);
  fcntl(text[0], F_SETFL, O_NONBLOCK);
  *worker = (WorkerProcess){.reports = reports[0], .text = text[0]};
  fflush(NULL);  // or both would write it
  worker->process = fork();
  if (worker->process < 0) quit(EXIT_DEVICE, "no process: %s", strerror(errno));
  if (worker->process == 0) run(request, plan, first, reports[1], text[1]);
  setpgid(worker->process, worker->process);  // as in the child, whichever comes first
  close(reports[1]);
  close(text[1]);
}

Received worker_process_receive(WorkerProcess *worker, const Report **report) {
  Report *const incoming = &worker->incoming;
  while (worker->have < sizeof *incoming) {
    const ssize_t got =
        read(worker->reports, (char *)incoming + worker->have, sizeof *incoming - worker->have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return RECEIVED_NOTHING;
    if (got <= 0) return RECEIVED_END;  // a report that it could not finish is dropped
    worker->have += (size_t)got;
  }
  worker->have = 0;
  *report = incoming;
  return RECEIVED_REPORT;
}

bool worker_process_has_ended(const WorkerProcess *worker) {
  siginfo_t about = {.si_pid = 0};
  if (waitid(P_PID, (id_t)worker->process, &about, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return about.si_pid != 0;
}

void worker_process_quit(const WorkerProcess *worker) { kill(worker->process, SIGQUIT); }

void worker_process_kill(const WorkerProcess *worker) {
  kill(-worker->process, SIGKILL);
  kill(worker->process, SIGKILL);  // if it is not yet in its group
}

int worker_process_end(const WorkerProcess *worker) {
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
