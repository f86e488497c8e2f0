// A version's sorter while HW4 runs: how it is started, opened and used again, and the timed sort.
#ifndef HW4_SESSION_H
#define HW4_SESSION_H

#include "harness/diagnose/diagnosis.h"
#include "harness/hw4/options.h"
#include "harness/judge/sorter.h"

typedef struct Session {
  const Options *options;
  Sorter *sorter;
  size_t max_elements;  // of a sort with its guards
  double limit;         // seconds for one sort
  size_t image_n;       // of the image's sort, and the milliseconds that it took
  double image_ms;
  bool quiet;            // of the sorters to come
  bool mute;             // not even their failures are printed
  bool zeros_relied_on;  // the last sort that crashed would have been right with zeros
  Message finding;       // of memcheck at the end of a sorter; empty: none
  // Of the sorts of one sorter whose memory is poisoned: how many, and the blocks of cudaMalloc
  // that were not freed when the first and the last of them began.
  size_t sorts;
  long long first_blocks, last_blocks;
  size_t lost_before;  // by sorters before: session_blocks_lost()
} Session;

#define SESSION_END_SECONDS 30.0  // for a process to begin or end

// Lets the sorter, which has been started, take the device in the background.
void session_open(const Session *session);

// Ends the sorter. Returns false after a failure (sorter.h), and keeps the first finding of
// memcheck: an array that was written beyond its end is often the cause of a wrong output.
bool session_end(Session *session, double limit);

// Ends the sorter and starts another. Returns false after a failure (sorter.h).
bool session_restart(Session *session);

// What to write about session->zeros_relied_on.
#define SESSION_ZEROS_RELIED_ON                                                                   \
  "with zeros in new memory it is right, so it reads memory that it never wrote: a cudaMemset() " \
  "is missing"

// From here on, sorts whose times do not count: quieter, and with a time limit of at most 30 s.
void session_prepare_more(Session *session);

// Blocks of device memory that sorters have allocated and not freed, sort after sort; 0 if they do
// not grow with the number of sorts: a version may keep memory for later calls.
size_t session_blocks_lost(const Session *session);

// For the battery and the diagnosis. Valid as long as the session.
Rerun session_rerun(Session *session);

// The trial's keys in a random rotation: a sort takes as long, and no earlier run, not even of
// another process, had this input. To be freed.
Trial session_rotate(const Trial *trial);

// Sorts a trial to time it. Ends the program with exit code 3 if that fails; the sentence names
// memory that was never written, if that is why.
void session_time(Session *session, Trial *trial, SortTimes *times);

// Checks the time of a right sort by the judge's clock. If the clock contradicts it, such inputs
// are sorted until one has a time that it does not contradict, which replaces *times. False if
// there is none, or if one is sorted wrongly; then *message has the sentence.
//
// Where other programs use the device, each sort waits for its turn, and an honest time is
// contradicted too. That shows in runs without a sort: if most of them are so slow, then the time
// by the judge's clock, which is never too short, replaces the sort's time, and *message has a
// sentence on it, else "".
bool session_check_time(Session *session, const Trial *trial, SortTimes *times, Message *message);

#endif
