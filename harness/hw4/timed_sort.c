#include "harness/hw4/timed_sort.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "common/check.h"
#include "harness/measure/clock.h"
#include "harness/measure/witness.h"

// One to one. The upper bits, by which keys differ in size, stay, and so does 0, the least score.
// The lower bits of a score are as good as random, and become others that are.
static uint32_t scramble(uint32_t key, uint32_t odd) {
  const uint32_t lower = (1u << 20) - 1;
  return (key & ~lower) | (key * odd & lower);
}

Trial timed_sort_input(const Trial *trial) {
  Trial other = trial_create(trial->n, trial->guard, trial->seed + 1);
  uint64_t random[2] = {0};
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    quit(EXIT_DEVICE, "no random number: %s", strerror(errno));
  const size_t shift = trial->n < 2 ? 0 : 1 + random[0] % (trial->n - 1);
  const uint32_t odd = (uint32_t)random[1] | 1;
  for (size_t i = 0; i < trial->n; i++)
    other.keys[i] = scramble(trial->keys[(i + shift) % trial->n], odd);
  memcpy(other.positions, trial->positions, trial->n * sizeof *other.positions);
  return other;
}

bool timed_sort_is_right(const Trial *trial, bool stable) {
  TrialReference reference = trial_reference(trial);
  const bool right = trial_right(trial, &reference, stable);
  trial_reference_free(&reference);
  return right;
}

// After a failed sort.
__attribute__((noreturn)) static void quit_after(const Session *session) {
  Message *const failure = &session->sorter->failure;
  const Message crash = *failure;
  if (session->zeros_relied_on)
    message_write(failure, "%.700s%s%s", crash.text, crash.text[0] != '\0' ? "; " : "",
                  SESSION_ZEROS_RELIED_ON);
  sorter_quit(session->sorter);
}

void timed_sort_run(Session *session, Trial *trial, SortTimes *times) {
  if (!session_sort(session, trial, false, session->limit, times)) quit_after(session);
  if (times->scratch_kept > 0)
    quit(EXIT_DEVICE, "%s did not return its scratch memory (%zu block%s)",
         session->options->version->name, times->scratch_kept, times->scratch_kept == 1 ? "" : "s");
}

// ---- the judge's clock --------------------------------------------------------------------------

// Milliseconds that an honest sorter spends, at the most, with everything but the sort: it copies
// four arrays to the device and back, of which the judge writes two and reads four.
static double most_copying(const SortTimes *times) { return 1.0 + 5.0 * times->copying; }

// The whole shows a sorter that sorts before it says that it is ready, or after it is done. The
// judge's own part of it is processor time. A run during which the judge was stopped does not
// count: what the sorter did in the meantime is in no time but the whole.
static bool credible(const SortTimes *times, double overhead) {
  if (times->stopped) return false;
  const double whole = times->whole - most_copying(times);
  return witness_believes(times->milliseconds, times->waited, overhead) &&
         witness_believes(times->milliseconds, whole, overhead);
}

// Milliseconds that a run without a sort takes by the judge's clock, at most 1: the least of some,
// because on a busy machine a single one may take as long as a sort.
static double least_ping(const Session *session) {
  enum { PINGS = 20 };
  double least = 1.0;
  for (int i = 0; i < PINGS; i++) {
    double ping = 0.0;
    if (!sorter_ping(session->sorter, &ping)) sorter_quit(session->sorter);
    if (ping < least) least = ping;
  }
  return least;
}

// Would an honest sort of `claimed` milliseconds be contradicted, too? If a run of all but the sort
// takes so long, it would. The input is another one than that of any sort.
static bool is_slow(const Session *session, const Trial *trial, double claimed, double overhead) {
  Trial other = timed_sort_input(trial);
  SortTimes times;
  if (!sorter_sort_nothing(session->sorter, &other, session->limit, &times))
    sorter_quit(session->sorter);
  trial_free(&other);
  times.milliseconds = claimed > 0.0 ? claimed : 1e-6;  // a time of 0 is contradicted anyway
  times.waited += claimed;
  times.whole += claimed;
  return !times.stopped && !credible(&times, overhead);
}

// Takes the time by the judge's clock. *message tells why.
static void take_own_time(SortTimes *times, Message *message) {
  message_write(
      message,
      "This is the time by HW4's clock, copies to the device and back included. The sort says "
      "%f msecs, which cannot be checked: the device is slow to answer, as if other "
      "programs use it",
      times->milliseconds);
  times->milliseconds = times->whole;
  times->by_judge = true;
}

bool timed_sort_check(Session *session, const Trial *trial, SortTimes *times, Message *message) {
  enum { TRIES = 10, MANY = 100 };  // many, for sorts of a few milliseconds on a busy machine
  const double begin = seconds_now(), enough = 3.0;
  const double overhead = least_ping(session);
  int slow = 0, stopped = 0;
  message->text[0] = '\0';
  for (int i = 0; !credible(times, overhead); i++) {
    stopped += times->stopped;
    if (i >= MANY || (i >= TRIES && seconds_now() - begin > enough)) {
      if (2 * stopped > i)
        return message_fail(message,
                            "no time counts: HW4 was stopped (SIGSTOP) and continued during %d of "
                            "%d timed runs",
                            stopped, i + 1);
      if (2 * slow <= i)
        return message_fail(
            message,
            "the time cannot be true: the sort says that it took %f msecs, and came back after %f "
            "msecs; its output was there %f msecs after its keys. The time is that of the default "
            "stream: work in another one must have ended when a sort returns",
            times->milliseconds, times->waited, times->whole);
      take_own_time(times, message);
      return true;
    }
    slow += is_slow(session, trial, times->milliseconds, overhead);
    Trial again = timed_sort_input(trial);
    timed_sort_run(session, &again, times);
    const bool right = timed_sort_is_right(&again, session->options->version->stable);
    trial_free(&again);
    if (!right)
      return message_fail(message,
                          "right at times: wrong when it was timed once more, because the judge's "
                          "clock contradicted its time");
  }
  return true;
}
