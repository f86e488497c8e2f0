// The judge's side of protocol.h: runs the sorter in a child process and survives all that the
// version may do there. A crash, a hang and an early exit become sentences.
#ifndef JUDGE_SORTER_H
#define JUDGE_SORTER_H

#include <sys/types.h>

#include "harness/judge/protocol.h"
#include "harness/process/message.h"
#include "harness/verdict/trial.h"

typedef struct Sorter {
  pid_t process;  // 0: none
  int control, words, memory_file;
  uint32_t *memory;  // shared with the sorter: memory_file's
  size_t memory_bytes;
  char name[64];     // of the version, for sentences
  char heard[4096];  // the end of what it printed
  size_t heard_length;
  bool quiet;             // keep what it prints until it fails
  bool mute;              // nor then
  bool hung;              // stopped, because it did not come back
  bool patient;           // limits are longer on a busy machine: see sorter_sort()
  bool spoke;             // it has printed something since the last question
  bool opened;            // it has taken the device
  uint64_t used_seconds;  // of CPU time, rounded up, when it had ended
  bool refused;  // it ended with exit code 2 instead: a setting in the environment is wrong
  // After a failure: what happened. Empty if the sorter itself has said so and ended with exit
  // code 3, like a failed CUDA call does, or `refused`.
  Message failure;
} Sorter;

// What a sort took.
typedef struct SortTimes {
  double milliseconds;  // as the sorter measured it by events; or `waited`, if `by_judge`
  double waited;        // milliseconds by the judge's clock, from READY to DONE
  bool by_judge;
  int stages;
  double stage_ms[MAX_STAGES];
  size_t scratch_kept;  // blocks that the version did not return
  long long blocks;     // that the sorter had allocated by cudaMalloc and not freed when it began
} SortTimes;

// All functions return false after a failure; the process is gone then. Limits are in seconds. All
// that the sorter prints goes to the judge's stderr while the judge waits for it, unless `quiet`.

// Starts the process and asks what the version is: description->version, valid as long as the
// description. No CUDA call is made.
bool sorter_start(Sorter *sorter, Description *description, double limit);

// Sends the knobs, and lets the sorter take the device, in the background. `max_elements`: the
// largest n + 2 guard of a later sort. CUDA_CPU_RACECHECK is passed on from the environment.
void sorter_open(Sorter *sorter, const int *knobs, size_t max_elements);

// Waits for that. Writes the device's name.
bool sorter_opened(Sorter *sorter, char device[256], double limit);

// Sorts trial->keys and trial->positions, and fills trial->after and trial->outside. If
// sorter->patient, the limit's seconds are CPU seconds where these are fewer, but at least a
// quarter of the time that passes: a busy machine takes longer for the same sort, and a sorter that
// sleeps must end too.
bool sorter_sort(Sorter *sorter, Trial *trial, bool poison_memory, double limit, SortTimes *times);

// Milliseconds by the judge's clock of a run that sorts nothing and copies nothing, but records the
// same events: the judge cannot measure less.
bool sorter_ping(Sorter *sorter, double *milliseconds);

// Asks the process to end, and kills its process group. False if it did not
// end by itself within the limit, with exit code 0. Does nothing after a failure.
bool sorter_end(Sorter *sorter, double limit);

// CPU seconds of the process so far; -1 if it is gone.
double sorter_cpu_seconds(const Sorter *sorter);

// The line in which a sanitizer or cuda_cpu sums up, from the finding on; or NULL.
const char *sorter_finding(const Sorter *sorter, int *length);

// Descriptor of the sorter's program. program.c makes it of HW4's data; tests run others.
int sorter_program(void);

// Ends the program after a failure: exit code 3.
__attribute__((noreturn)) void sorter_quit(const Sorter *sorter);

#endif
