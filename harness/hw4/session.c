#include "harness/hw4/session.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/check.h"
#include "common/knobs.h"
#include "harness/diagnose/battery.h"
#include "harness/judge/sorter.h"
#include "harness/measure/clock.h"

// ---- the sorter's process -----------------------------------------------------------------------

void session_open(const Session *session) {
  const SortVersion *const version = session->options->version;
  int knobs[MAX_KNOBS] = {0};
  for (int i = 0; version->knobs[i].name != NULL; i++) knobs[i] = knob(version->knobs[i].name);
  sorter_open(session->sorter, knobs, session->max_elements);
}

bool session_end(Session *session, double limit) {
  if (sorter_end(session->sorter, limit)) return true;
  const char *const found = strstr(session->sorter->failure.text, "memcheck: ");
  if (found != NULL && session->finding.text[0] == '\0')
    message_write(&session->finding, "%s", found);
  return false;
}

// Blocks that the sorter has lost, if they grow with the number of sorts.
static size_t lost_by_sorter(const Session *session) {
  enum { FEWEST_SORTS = 10 };
  const bool grew = session->last_blocks > session->first_blocks;
  const size_t lost = (size_t)session->last_blocks - (size_t)session->first_blocks;
  return grew && session->sorts >= FEWEST_SORTS && lost >= session->sorts / 2 ? lost : 0;
}

size_t session_blocks_lost(const Session *session) {
  return session->lost_before + lost_by_sorter(session);
}

bool session_restart(Session *session) {
  Description description;
  char device[256];
  (void)session_end(session, SESSION_END_SECONDS);
  if (!sorter_start(session->sorter, &description, SESSION_END_SECONDS)) return false;
  session->sorter->quiet = session->quiet || session->mute;
  session->sorter->mute = session->mute;
#ifdef CUDA_CPU
  session->sorter->patient = session->quiet;
#endif
  session->lost_before = session_blocks_lost(session);
  session->sorts = 0;
  session_open(session);
  return sorter_opened(session->sorter, device, SESSION_END_SECONDS);
}

static bool restart(void *context) { return session_restart(context); }

static bool is_right(Session *session, Trial *trial, bool zero_memory, double limit) {
  SortTimes times;
  trial->zero_memory = zero_memory;
  const bool right = sorter_sort(session->sorter, trial, true, limit, &times) &&
                     trial_right(trial, session->options->version->stable);
  trial->zero_memory = false;
  return right;
}

// The sort once more in a new process, with zeros in new memory. Is it right, and wrong without
// them? The failure of the first process stays.
static bool relies_on_zeros(Session *session, Trial *trial, double limit) {
  const Sorter ended = *session->sorter;
  session->mute = true;
  const bool relies = session_restart(session) && is_right(session, trial, true, limit) &&
                      !is_right(session, trial, false, limit);
  session->mute = false;
  (void)sorter_end(session->sorter, 1.0);
  *session->sorter = ended;
  return relies;
}

// Sorts the trial. False after a failure (sorter.h). After a crash it finds out whether the sort is
// right with zeros in memory that it allocates: session->zeros_relied_on.
static bool sort_once(Session *session, Trial *trial, bool poison_memory, double limit,
                      SortTimes *times) {
  if (sorter_sort(session->sorter, trial, poison_memory, limit, times)) return true;
  session->zeros_relied_on = !session->sorter->hung && relies_on_zeros(session, trial, limit);
  return false;
}

static bool sort_again(void *context, Trial *trial) {
  Session *const session = context;
  SortTimes times;
  if (session->sorter->process == 0 && !restart(context)) return false;  // the call before crashed
  // More time for more elements than the image has.
  double limit = session->limit;
  if (session->image_n > 0)
    limit += 4e-3 * session->image_ms * (double)trial->n / (double)session->image_n;
  if (!sort_once(session, trial, true, limit, &times)) return false;
  if (session->sorts++ == 0) session->first_blocks = times.blocks;
  session->last_blocks = times.blocks;
  return true;
}

static double cpu_seconds(void *context) {
  return sorter_cpu_seconds(((const Session *)context)->sorter);
}

#ifdef CUDA_CPU
// Shuffled instead of plain, or plain instead of shuffled.
static bool switch_order(void *context) {
  static const char variable[] = "CUDA_CPU_RACECHECK";
  if (getenv(variable) != NULL)
    unsetenv(variable);
  else
    setenv(variable, "1", 1);
  return restart(context);
}
#else
#define switch_order NULL
#endif

void session_prepare_more(Session *session) {
  const double most = 30.0;
  if (session->limit > most) session->limit = most;
  session->quiet = true;  // dozens of sorts: their output would bury the output of the image's sort
  // On a busy machine, a thread that spins at a barrier keeps others from getting there.
  setenv("OMP_WAIT_POLICY", "passive", 0);
  // On a single CPU the cpu backend would run one block after the other, and hide races of blocks.
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) == 1)
    setenv("OMP_NUM_THREADS", "2", 0);
}

Rerun session_rerun(Session *session) {
  const SortVersion *const version = session->options->version;
  const uint64_t fit = version->slow_n != 0 ? version->slow_n : version->max_n;
  const size_t most = session->max_elements - 2 * BATTERY_GUARD;
  return (Rerun){.sort = sort_again,
                 .restart = restart,
                 .other_order = switch_order,
                 .cpu_seconds = cpu_seconds,
                 .context = session,
                 // CS344's solutions sort pairs only, and the homework has no empty image.
                 .min_n = version->pairs_only ? 1 : 0,
                 .max_n = fit < most ? (size_t)fit : most,
                 .known_n = session->image_n,
                 .known_seconds = 1e-3 * session->image_ms};
}

// ---- the timed sort -----------------------------------------------------------------------------

Trial session_rotate(const Trial *trial) {
  Trial other = trial_create(trial->n, trial->guard, trial->seed + 1);
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
    quit(EXIT_DEVICE, "no random number: %s", strerror(errno));
  const size_t shift = trial->n < 2 ? 0 : 1 + random % (trial->n - 1);
  for (size_t i = 0; i < trial->n; i++) other.keys[i] = trial->keys[(i + shift) % trial->n];
  memcpy(other.positions, trial->positions, trial->n * sizeof *other.positions);
  return other;
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

void session_time(Session *session, Trial *trial, SortTimes *times) {
  if (!sort_once(session, trial, false, session->limit, times)) quit_after(session);
  if (times->scratch_kept > 0)
    quit(EXIT_DEVICE, "%s did not return its scratch memory (%zu block%s)",
         session->options->version->name, times->scratch_kept, times->scratch_kept == 1 ? "" : "s");
}

// ---- the judge's clock --------------------------------------------------------------------------

// Can a run that came back after `waited` milliseconds by the judge's clock have taken `claimed`?
// `ping`: milliseconds of a run without a sort. The clocks may differ by a quarter, because
// switching between processes takes longer while a device is busy.
static bool believes(double claimed, double waited, double ping) {
  const double slack = 0.05;
  return claimed > 0.0 && waited <= 1.25 * claimed + 2.0 * ping + slack;
}

static double ping(const Session *session) {
  double milliseconds = 0.0;
  if (!sorter_ping(session->sorter, &milliseconds)) sorter_quit(session->sorter);
  return milliseconds;
}

// At most 1: the least of some, because on a busy machine a single one may take as long as a sort.
static double least_ping(const Session *session) {
  enum { PINGS = 20 };
  double least = 1.0;
  for (int i = 0; i < PINGS; i++) least = fmin(least, ping(session));
  return least;
}

bool session_check_time(Session *session, const Trial *trial, SortTimes *times, Message *message) {
  enum { TRIES = 10, MANY = 100 };  // many, for sorts of a few milliseconds on a busy machine
  const double begin = seconds_now(), enough = 3.0, least = least_ping(session);
  int slow = 0;
  message->text[0] = '\0';
  for (int i = 0; !believes(times->milliseconds, times->waited, least); i++) {
    if (i >= MANY || (i >= TRIES && seconds_now() - begin > enough)) {
      if (2 * slow <= i)
        return message_fail(
            message,
            "the time cannot be true: the sort says that it took %f msecs, and came back after %f "
            "msecs. The time is that of the default stream: work in another one must have ended "
            "when a sort returns",
            times->milliseconds, times->waited);
      message_write(message,
                    "This is the time by HW4's clock. The sort says %f msecs, which cannot be "
                    "checked: the device is slow to answer, as if other programs use it",
                    times->milliseconds);
      times->milliseconds = times->waited;
      times->by_judge = true;
      return true;
    }
    // Would the judge's clock contradict an honest sort, too?
    const double claimed = fmax(times->milliseconds, 1e-6);
    slow += !believes(claimed, claimed + ping(session), least);
    Trial again = session_rotate(trial);
    session_time(session, &again, times);
    const bool right = trial_right(&again, session->options->version->stable);
    trial_free(&again);
    if (!right)
      return message_fail(message,
                          "right at times: wrong when it was timed once more, because the judge's "
                          "clock contradicted its time");
  }
  return true;
}
