// A worker in a separate process, so that a version that crashes, hangs or ends the program costs
// one row only.
#ifndef HARNESS_COMPARE_WORKER_PROCESS_H
#define HARNESS_COMPARE_WORKER_PROCESS_H

#include <sys/types.h>

#include "harness/compare/worker.h"

typedef struct WorkerProcess {
  pid_t process;    // leads a process group, to which its children belong
  int reports;      // end of a pipe, non-blocking: its reports, one after another
  int text;         // end of a pipe, non-blocking: what it writes on stdout and stderr
  Report incoming;  // the next report, of which `have` bytes have arrived
  size_t have;
} WorkerProcess;

typedef enum Received {
  RECEIVED_NOTHING,  // not yet
  RECEIVED_REPORT,
  RECEIVED_END,  // the pipe is closed
} Received;

// Starts a worker that measures rows[first..]. It ends with this process, and exits with EXIT_RIGHT
// after the last row. Ends the program with EXIT_DEVICE if there is no process.
void worker_process_start(WorkerProcess *worker, const Request *request, const Plan *plan,
                          size_t first);

// Takes a report from the pipe, without waiting; it is valid until the next call.
Received worker_process_receive(WorkerProcess *worker, const Report **report);

// Has it ended? Its children may still hold the pipes open.
bool worker_process_has_ended(const WorkerProcess *worker);

// Sends SIGQUIT to the worker.
void worker_process_quit(const WorkerProcess *worker);

// Kills the worker and its process group.
void worker_process_kill(const WorkerProcess *worker);

// Waits for the worker's end, kills what remains of its process group, and closes the pipes.
// Returns the status that waitpid reports.
int worker_process_end(const WorkerProcess *worker);

#endif
