#include "harness/compare/worker_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/message.h"

// In one piece: a write to a pipe that blocks is cut off only by the end of this process.
static void send(const Report *report, void *context) {
  const int pipe_end = *(const int *)context;
  if (write(pipe_end, report, sizeof *report) != (ssize_t)sizeof *report) _exit(EXIT_DEVICE);
}

static void run(const Request *request, const Plan *plan, size_t first, int reports, int text) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives its parent
  signal(SIGINT, SIG_IGN);           // Ctrl-C reaches both; the parent decides
  signal(SIGTERM, SIG_DFL);
  if (dup2(text, STDOUT_FILENO) < 0 || dup2(text, STDERR_FILENO) < 0) _exit(EXIT_DEVICE);
  setvbuf(stdout, NULL, _IOLBF, 0);
  worker_run(request, plan, first, send, &reports);
  fflush(NULL);
  _exit(EXIT_RIGHT);
}

WorkerProcess worker_process_start(const Request *request, const Plan *plan, size_t first) {
  int reports[2], text[2];
  if (pipe(reports) != 0 || pipe(text) != 0) quit(EXIT_DEVICE, "no pipe: %s", strerror(errno));
  fflush(NULL);  // or both would write it
  const WorkerProcess worker = {.process = fork(), .reports = reports[0], .text = text[0]};
  if (worker.process < 0) quit(EXIT_DEVICE, "no process: %s", strerror(errno));
  if (worker.process == 0) run(request, plan, first, reports[1], text[1]);
  close(reports[1]);
  close(text[1]);
  return worker;
}

int worker_process_end(const WorkerProcess *worker) {
  int status = 0;
  while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
  close(worker->reports);
  close(worker->text);
  return status;
}
