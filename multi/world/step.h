// Steps of a run: a watchdog that ends a process whose step takes too long, faults on demand, with
// which the tests check how a run ends, and the times of a run's stages.
//
// MPI and NCCL calls wait for other ranks. If one of those hangs, so would this one; the launcher
// notices only a rank that ends.
#ifndef MULTI_WORLD_STEP_H
#define MULTI_WORLD_STEP_H

#include "multi/world/world.h"

// Starts the watchdog: a step that takes longer than `seconds` ends the process with EXIT_DEVICE
// and a sentence. 0: no watchdog.
void step_watch(int rank, double seconds);

// A new step begins; its name is for messages. Also causes the fault that the environment variable
// MULTI_SORT_FAULT=RANK:STEP:KIND asks for, once; KIND is kill, exit or hang.
void step_enter(const char *name);

// No step until the next step_enter(): the watchdog waits.
void step_leave(void);

// Whether MULTI_SORT_FAULT asks this rank for the fault STEP:KIND, such as result:order.
int step_fault(int rank, const char *step, const char *kind);

// Times of the stages of a run on this rank, between which the ranks wait for each other.
typedef struct StageClock {
  const World *world;
  double *seconds;  // of each stage; NULL: no stage is timed, and nothing waits
  double last;
} StageClock;

// Collective. The seconds of all stages are 0 before.
StageClock stage_clock_start(const World *world, double *seconds);

// Collective: the time since the last call belongs to the stage.
void stage_end(StageClock *clock, int stage);

#endif
