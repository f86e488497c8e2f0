#include "harness/process/process_state.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { SIGNALS = 65, STANDARD = 3, TIMERS = 3 };

static const int timers[TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

struct ProcessState {
  bool known[SIGNALS];
  struct sigaction actions[SIGNALS];
  sigset_t blocked;
  struct itimerval running[TIMERS];
  struct rlimit limits[RLIM_NLIMITS];
  cpu_set_t cpus;
  bool have_cpus;
  mode_t mask;
  int folder;              // -1: the working directory cannot be opened
  int standard[STANDARD];  // copies; -1: it was closed
  char *locale;
  fenv_t modes;
};

ProcessState *process_state_keep(void) {
  ProcessState *const state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  for (int i = 1; i < SIGNALS; i++) state->known[i] = sigaction(i, NULL, &state->actions[i]) == 0;
  sigprocmask(SIG_SETMASK, NULL, &state->blocked);
  for (int i = 0; i < TIMERS; i++) getitimer(timers[i], &state->running[i]);
  for (int i = 0; i < RLIM_NLIMITS; i++) getrlimit((__rlimit_resource_t)i, &state->limits[i]);
  state->have_cpus = sched_getaffinity(0, sizeof state->cpus, &state->cpus) == 0;
  state->mask = umask(0);
  umask(state->mask);
  state->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < STANDARD; i++) state->standard[i] = fcntl(i, F_DUPFD_CLOEXEC, STANDARD);
  const char *const locale = setlocale(LC_ALL, NULL);
  state->locale = locale == NULL ? NULL : strdup(locale);
  fegetenv(&state->modes);
  return state;
}

// Is descriptor `now` open, and the same file as its copy?
static bool is_same(int now, int copy) {
  struct stat a, b;
  return fstat(now, &a) == 0 && fstat(copy, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

static void restore_descriptors(const ProcessState *state) {
  for (int i = 0; i < STANDARD; i++) {
    if (state->standard[i] < 0) continue;
    if (!is_same(i, state->standard[i])) dup2(state->standard[i], i);
    close(state->standard[i]);
  }
}

void process_state_restore(ProcessState *state) {
  if (state == NULL) return;
  // Limits first: without them, the rest may not be possible.
  for (int i = 0; i < RLIM_NLIMITS; i++) setrlimit((__rlimit_resource_t)i, &state->limits[i]);
  for (int i = 0; i < TIMERS; i++) setitimer(timers[i], &state->running[i], NULL);
  for (int i = 1; i < SIGNALS; i++)
    if (state->known[i]) sigaction(i, &state->actions[i], NULL);
  sigprocmask(SIG_SETMASK, &state->blocked, NULL);
  if (state->have_cpus) sched_setaffinity(0, sizeof state->cpus, &state->cpus);
  umask(state->mask);
  if (state->folder >= 0) {
    (void)!fchdir(state->folder);
    close(state->folder);
  }
  restore_descriptors(state);
  if (state->locale != NULL) setlocale(LC_ALL, state->locale);
  fesetenv(&state->modes);
  free(state->locale);
  free(state);
}
