// The text that a worker writes on stdout and stderr: passed on to stderr, last line remembered.
#ifndef HARNESS_COMPARE_WORKER_TEXT_H
#define HARNESS_COMPARE_WORKER_TEXT_H

#include <stdbool.h>

typedef struct WorkerText {
  char last_line[256];  // the last that does not only add to one before it
} WorkerText;

// Passes on what the pipe's end `from` holds, without waiting. Control characters, with which a
// version could change the terminal or hide other lines, become '?'. False: the pipe is closed.
bool worker_text_pass_on(WorkerText *text, int from);

#endif
