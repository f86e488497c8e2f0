// Steps of a run: a watchdog that ends a process whose step takes too long, and faults on demand,
// with which the tests check how a run ends.
//
// MPI and NCCL calls wait for other ranks. If one of those hangs, so would this one; the launcher
// notices only a rank that ends.
#ifndef MULTI_STEP_H
#define MULTI_STEP_H

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

#endif
