// A clock that a measured version cannot reach, because it runs in another process.
#ifndef HARNESS_WITNESS_H
#define HARNESS_WITNESS_H

#include <stdbool.h>

// begin() and end() are called directly before and after a timed run, outside the region that the
// events measure, and do not wait.
typedef struct Witness {
  void (*begin)(void *context);
  void (*end)(void *context, double claimed);  // milliseconds between the events
  bool (*believes)(void *context);  // after end(): may wait. False: its clock contradicts the claim
  void *context;
} Witness;

// Can a run that came back after `waited` milliseconds by the witness's clock have taken `claimed`?
// `overhead`: what the witness waits for if nothing is sorted. The clocks may differ by a quarter,
// because switching between processes takes longer while a device is busy.
static inline bool witness_believes(double claimed, double waited, double overhead) {
  const double slack = 0.05;
  return claimed > 0.0 && waited <= 1.25 * claimed + 2.0 * overhead + slack;
}

#endif
