// A version's sorter while HW4 runs: how it is started, opened and used again.
#ifndef HW4_SESSION_H
#define HW4_SESSION_H

#include "harness/diagnosis.h"
#include "harness/hw4/options.h"
#include "harness/judge/sorter.h"

typedef struct Session {
  const Options *options;
  Sorter *sorter;
  size_t max_elements;  // of a sort with its guards
  double limit;         // seconds for one sort
  size_t image_n;       // of the image's sort, and the milliseconds that it took
  double image_ms;
  bool quiet;  // of the sorters to come
} Session;

#define SESSION_END_SECONDS 30.0  // for a process to begin or end

// Lets the sorter, which has been started, take the device in the background.
void session_open(const Session *session);

// Ends the sorter and starts another. Returns false after a failure (sorter.h).
bool session_restart(const Session *session);

// From here on, sorts whose times do not count: quieter, and with a time limit of at most 30 s.
void session_prepare_more(Session *session);

// For the battery and the diagnosis. Valid as long as the session.
Rerun session_rerun(Session *session);

#endif
