// Runs the sorters of a build folder (HW4_DIR, build/cpu where it is not set) for the tests of the
// judge, in place of the one that HW4 holds.
#ifndef TESTS_RUN_SORTER_H
#define TESTS_RUN_SORTER_H

#include <fcntl.h>

#include "harness/diagnose/battery.h"
#include "harness/judge/sorter.h"
#include "tests/unit.h"

typedef struct Session {
  Sorter sorter;
  Description description;
  int knobs[MAX_KNOBS];
} Session;

static Session session;
static int program = -1;  // the sorter's file

int sorter_program(void) { return program; }

static bool restart(void *context) {
  Session *const s = context;
  char device[256];
  (void)sorter_end(&s->sorter, 10.0);
  if (!sorter_start(&s->sorter, &s->description, 10.0)) return false;
  sorter_open(&s->sorter, s->knobs, BATTERY_LARGEST + 2 * BATTERY_GUARD);
  return sorter_opened(&s->sorter, device, 30.0);
}

static bool sort_again(void *context, Trial *trial) {
  Session *const s = context;
  SortTimes times;
  if (s->sorter.process == 0 && !restart(s)) return false;
  return sorter_sort(&s->sorter, trial, true, 60.0, &times);
}

// As HW4 does it on the cpu backend.
static inline bool switch_order(void *context) {
  static const char variable[] = "CUDA_CPU_RACECHECK";
  if (getenv(variable) != NULL)
    unsetenv(variable);
  else
    setenv(variable, "1", 1);
  return restart(context);
}

static const Rerun rerun = {.sort = sort_again,
                            .restart = restart,
                            .other_order = switch_order,
                            .context = &session,
                            .max_n = BATTERY_LARGEST};

// Starts the sorter of a folder with all knobs at their defaults.
static inline void use_sorter(const char *path) {
  setenv("OMP_WAIT_POLICY", "passive", 0);  // as HW4 does
  unsetenv("CUDA_CPU_RACECHECK");
  (void)sorter_end(&session.sorter, 10.0);
  if (program >= 0) close(program);
  program = open(path, O_RDONLY | O_CLOEXEC);
  if (program < 0) fail_msg("no %s: make build_tests builds it", path);
  memset(session.knobs, 0, sizeof session.knobs);
  if (!sorter_start(&session.sorter, &session.description, 10.0))
    fail_msg("%s: %s", path, session.sorter.failure.text);
  for (int i = 0; session.description.knobs[i].name != NULL; i++)
    session.knobs[i] = session.description.knobs[i].default_value;
  if (!restart(&session)) fail_msg("%s: %s", path, session.sorter.failure.text);
}

#endif
