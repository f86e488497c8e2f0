// Keeps the state of this process while a library is loaded, whose constructor may change it. One
// that ignores SIGCHLD lets a parent wait for ever; one that closes stdout lets the next file take
// its number.
#ifndef HARNESS_PROCESS_STATE_H
#define HARNESS_PROCESS_STATE_H

typedef struct ProcessState ProcessState;

// Notes signal actions and mask, timers, limits, CPUs, the mode mask, the working directory, the
// standard descriptors, locale and floating-point modes. NULL without memory.
ProcessState *process_state_keep(void);

// Sets them as they were, as far as the system allows it, and frees the state. Does nothing if it
// is NULL.
void process_state_restore(ProcessState *state);

#endif
