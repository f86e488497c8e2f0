#include "harness/hw4/timed_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/check.h"
#include "harness/clock.h"

Trial timed_sort_input(const Trial *trial) {
  Trial other = trial_create(trial->n, trial->guard, trial->seed + 1);
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
    quit(EXIT_DEVICE, "no random number: %s", strerror(errno));
  const size_t shift = trial->n < 2 ? 0 : 1 + random % (trial->n - 1);
  for (size_t i = 0; i < trial->n; i++) other.keys[i] = trial->keys[(i + shift) % trial->n];
  memcpy(other.positions, trial->positions, trial->n * sizeof *other.positions);
  return other;
}

bool timed_sort_is_right(const Trial *trial, bool stable) {
  TrialReference reference = trial_reference(trial);
  const bool right = trial_right(trial, &reference, stable);
  trial_reference_free(&reference);
  return right;
}

void timed_sort_run(const Session *session, Trial *trial, SortTimes *times) {
  if (!sorter_sort(session->sorter, trial, false, session->limit, times))
    sorter_quit(session->sorter);
  if (times->scratch_kept > 0)
    quit(EXIT_DEVICE, "%s did not return its scratch memory (%zu blocks)",
         session->options->version->name, times->scratch_kept);
}

// Could a sort that took `claimed` milliseconds come back after `waited`? `ping` is what a question
// without a sort takes. Switching processes takes time too, more on a busy machine: a time is
// doubted if it is less than half of what was waited.
static bool credible(double claimed, double waited, double ping) {
  return claimed > 0.0 && waited < 2.0 * claimed + 0.1 + 4.0 * ping;
}

// The least of some: on a busy machine a single one may take as long as a sort.
static double least_ping(const Session *session) {
  enum { PINGS = 20 };
  double least = 0.0;
  for (int i = 0; i < PINGS; i++) {
    double ping = 0.0;
    if (!sorter_ping(session->sorter, &ping)) sorter_quit(session->sorter);
    if (i == 0 || ping < least) least = ping;
  }
  return least;
}

bool timed_sort_check(const Session *session, const Trial *trial, SortTimes *times,
                      Message *message) {
  enum { TRIES = 10, MANY = 100 };  // many, for sorts of a few milliseconds on a busy machine
  const double begin = seconds_now(), enough = 3.0;
  const double ping = least_ping(session);
  for (int i = 0; i < TRIES || (i < MANY && seconds_now() - begin < enough); i++) {
    if (credible(times->milliseconds, times->waited, ping)) return true;
    Trial again = timed_sort_input(trial);
    SortTimes second;
    timed_sort_run(session, &again, &second);
    trial_free(&again);
    if (credible(second.milliseconds, second.waited, ping)) return true;
    if (second.waited - second.milliseconds < times->waited - times->milliseconds) *times = second;
  }
  return message_fail(message,
                      "the time cannot be true: the sort says that it took %f msecs, and came back "
                      "after %f msecs",
                      times->milliseconds, times->waited);
}
