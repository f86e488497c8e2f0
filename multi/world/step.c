#include "multi/world/step.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/measure/clock.h"

static struct {
  int rank;
  double limit;     // seconds; 0: none
  double deadline;  // of the step, by seconds_now(); 0: no step
  const char *name;
  pthread_mutex_t lock;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *watchdog(void *unused) {
  (void)unused;
  while (true) {
    usleep(50000);
    pthread_mutex_lock(&watch.lock);
    const bool late = watch.deadline > 0.0 && seconds_now() > watch.deadline;
    const char *const name = watch.name;
    pthread_mutex_unlock(&watch.lock);
    if (!late) continue;
    // quit() could wait for ever: the main thread may hold the locks of stdio or wait inside MPI.
    char text[256];
    const int length = snprintf(text, sizeof text,
                                "multi_sort: rank %d: no progress for %g s in step '%s'; another "
                                "rank may have died (--timeout changes the limit)\n",
                                watch.rank, watch.limit, name);
    (void)!write(STDERR_FILENO, text, (size_t)length);
    _exit(EXIT_DEVICE);
  }
  return NULL;
}

void step_watch(int rank, double seconds) {
  watch.rank = rank;
  watch.limit = seconds;
  if (seconds <= 0.0) return;
  pthread_t thread;
  if (pthread_create(&thread, NULL, watchdog, NULL) != 0)
    check_fail("multi_sort: the watchdog's thread cannot be started");
  pthread_detach(thread);
}

int step_fault(int rank, const char *step, const char *kind) {
  const char *const wanted = getenv("MULTI_SORT_FAULT");
  char text[128];
  snprintf(text, sizeof text, "%d:%s:%s", rank, step, kind);
  return wanted != NULL && strcmp(wanted, text) == 0;
}

static void set_deadline(const char *name) {
  pthread_mutex_lock(&watch.lock);
  watch.name = name;
  watch.deadline = name != NULL && watch.limit > 0.0 ? seconds_now() + watch.limit : 0.0;
  pthread_mutex_unlock(&watch.lock);
}

void step_enter(const char *name) {
  set_deadline(name);
  if (step_fault(watch.rank, name, "kill")) raise(SIGKILL);
  if (step_fault(watch.rank, name, "exit"))
    check_fail("multi_sort: rank %d: fault on demand", watch.rank);
  if (step_fault(watch.rank, name, "hang")) {
    set_deadline(NULL);
    while (true) pause();
  }
}

void step_leave(void) { set_deadline(NULL); }

StageClock stage_clock_start(const World *world, double *seconds) {
  StageClock clock = {world, seconds, 0.0};
  if (seconds == NULL) return clock;
  CUDA_CHECK(cudaDeviceSynchronize());
  world_barrier(world);
  clock.last = seconds_now();
  return clock;
}

void stage_end(StageClock *clock, int stage) {
  if (clock->seconds == NULL) return;
  CUDA_CHECK(cudaDeviceSynchronize());
  clock->seconds[stage] += seconds_now() - clock->last;
  world_barrier(clock->world);
  clock->last = seconds_now();
}
