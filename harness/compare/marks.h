// When the timed runs of a worker begin and end, by the kernel's clock: it stamps each message when
// it is sent, however busy the supervisor is, and no version can change it.
#ifndef HARNESS_COMPARE_MARKS_H
#define HARNESS_COMPARE_MARKS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <sys/types.h>

#include "harness/measure/measure.h"

enum { SECRET_BYTES = 16 };

// Whether runs are marked and times checked. Not on a GPU: where other processes use it too, a sort
// waits for its turn, which its events need not show, and a true time would be doubted.
#ifdef CUDA_CPU
enum { MARKS_COUNT = 1 };
#else
enum { MARKS_COUNT = 0 };
#endif

// ---- the worker's side --------------------------------------------------------------------------

typedef struct MarkSender {
  int socket;
  pid_t process;  // that may send: not a child that a version forked
  unsigned char secret[SECRET_BYTES];
} MarkSender;

// A witness that reports to the supervisor. `sender` must outlive it.
Witness marks_witness(MarkSender *sender);

// ---- the supervisor's side ----------------------------------------------------------------------

// All times in milliseconds, but for `begun`.
typedef struct Watch {
  bool running;            // between the two marks of a run
  double begun;            // of the run under way, in seconds since the epoch
  double overhead;         // the least that a run without a sort took; at most 1
  int believed;            // runs of this row whose time counts
  double least;            // of their times
  double claimed, waited;  // of the last run that does not count
} Watch;

// A socket that is closed by exec, `ends[0]` non-blocking. False, with errno set, if there is none.
bool marks_open(int ends[2]);

// Takes one mark from the socket, without waiting. 1: taken, 0: there is none, -1: it is no mark of
// the worker that has the secret. *sent: seconds since the epoch.
int marks_take(int socket, const unsigned char secret[SECRET_BYTES], double *claimed, double *sent);

// Takes note of a mark, and answers one that ends a run. `row_n`: the elements of the row that is
// measured, or -1 before it: then a run sorts nothing and shows the overhead.
void marks_follow(Watch *watch, int socket, double claimed, double sent, double row_n);

// A new row: forgets the runs.
void marks_new_row(Watch *watch);

// Do the times of a right row agree with the marks? Otherwise writes the sentence.
bool marks_agree(const Watch *watch, const Measurement *measured, char *text, size_t size);

#endif
