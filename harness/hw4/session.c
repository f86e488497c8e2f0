#include "harness/hw4/session.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"  // for CUDA_CPU
#include "common/knobs.h"
#include "harness/diagnose/battery.h"
#include "harness/hw4/timed_sort.h"
#include "harness/judge/process.h"

void session_open(const Session *session) {
  const SortVersion *const version = session->options->version;
  int knobs[MAX_KNOBS] = {0};
  for (int i = 0; i < MAX_KNOBS && version->knobs[i].name != NULL; i++)
    knobs[i] = knob(version->knobs[i].name);
  (void)sorter_open(session->sorter, knobs, session->max_elements);
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
                     timed_sort_is_right(trial, session->options->version->stable);
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

bool session_sort(Session *session, Trial *trial, bool poison_memory, double limit,
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
  if (!session_sort(session, trial, true, limit, &times)) return false;
  if (session->sorts++ == 0) session->first_blocks = times.blocks;
  session->last_blocks = times.blocks;
  return true;
}

double session_cpu_seconds(const Session *session) { return process_cpu_seconds(session->sorter); }

static double cpu_seconds(void *context) { return session_cpu_seconds(context); }

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
  session->quiet = true;  // dozens of sorts: their output would bury that of the image's sort
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
  const size_t room = session->max_elements - 2 * BATTERY_GUARD;
  return (Rerun){.sort = sort_again,
                 .restart = restart,
                 .other_order = switch_order,
                 .cpu_seconds = cpu_seconds,
                 .context = session,
                 // CS344's solutions sort pairs only, and the homework has no empty image.
                 .min_n = version->pairs_only ? 1 : 0,
                 .max_n = fit < room ? (size_t)fit : room,
                 .known_n = session->image_n,
                 .known_seconds = 1e-3 * session->image_ms};
}
