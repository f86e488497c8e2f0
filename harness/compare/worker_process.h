// A worker in a process of its own, so that a version that crashes or hangs costs its own row only.
#ifndef HARNESS_COMPARE_WORKER_PROCESS_H
#define HARNESS_COMPARE_WORKER_PROCESS_H

#include <sys/types.h>

#include "harness/compare/worker.h"

typedef struct WorkerProcess {
  pid_t process;
  int reports;  // end of a pipe: its reports, one after another
  int text;     // end of a pipe: what it writes on stdout and stderr
} WorkerProcess;

// Starts a worker that measures rows[first..]. It ends with this process, ignores Ctrl-C, and exits
// with EXIT_RIGHT after the last row. Ends the program with EXIT_DEVICE if there is no process.
WorkerProcess worker_process_start(const Request *request, const Plan *plan, size_t first);

// Waits for its end and closes the pipes. Returns the status that waitpid reports.
int worker_process_end(const WorkerProcess *worker);

#endif
