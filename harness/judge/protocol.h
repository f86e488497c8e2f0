// How the process that judges and the process that sorts talk to each other.
//
// The judge (HW4) contains no code of the version. It holds the sorter, a separate program that
// is linked with the version, as data, and runs it in a child process that has two more descriptors
// open: a socket for the records below, and a file in memory that both map, for the arrays. The
// judge asks, the sorter answers. What the answers claim is checked: arrays are judged against the
// judge's input, times are compared with its clock.
#ifndef JUDGE_PROTOCOL_H
#define JUDGE_PROTOCOL_H

#include "common/knobs.h"
#include "common/stages.h"

// The descriptors that the sorter finds open.
enum { SORTER_CONTROL = 3, SORTER_MEMORY = 4 };

typedef enum CommandKind {
  COMMAND_DESCRIBE,  // the version: answered by ANSWER_DESCRIPTION, without a CUDA call
  COMMAND_OPEN,      // takes knobs, shared memory and the device: ANSWER_OPEN
  COMMAND_PING,      // runs the clock without a sort: ANSWER_PING
  COMMAND_SORT       // ANSWER_READY, ANSWER_DONE, ANSWER_SORTED
} CommandKind;

typedef struct Command {
  CommandKind kind;
  // COMMAND_OPEN
  size_t memory_bytes;  // of SORTER_MEMORY, which has this size from now on
  int knobs[MAX_KNOBS];
  char thread_order[24];  // the cpu backend's CUDA_CPU_RACECHECK; empty: not set
  // COMMAND_SORT. The shared memory holds the arrays of harness/verdict/trial.h one after another,
  // each with its guards: n + 2 guard elements. The sorter copies them to the device and back.
  size_t n, guard;
  bool poison_memory;  // memory that the sort allocates is filled with `poison` first
  unsigned char poison;
} Command;

typedef enum AnswerKind {
  ANSWER_NONE,  // no answer of the sorter
  ANSWER_DESCRIPTION,
  ANSWER_OPEN,
  ANSWER_PING,
  ANSWER_READY,  // the arrays are on the device; the sort starts at once
  ANSWER_DONE,   // the sort has returned and the device is idle
  ANSWER_SORTED  // the arrays are in the shared memory
} AnswerKind;

// A SortVersion with its texts and lists. Its pointers are the sorter's until sorter_start() makes
// them point into the description. Longer texts are cut off.
typedef struct Description {
  SortVersion version;
  char name[64], title[256], source[256];
  const char *stages[MAX_STAGES + 1];
  char stage[MAX_STAGES][32];
  SortKnob knobs[MAX_KNOBS + 1];
  struct {
    char name[32], meaning[200];
  } knob[MAX_KNOBS];
} Description;

typedef struct Answer {
  AnswerKind kind;
  union {
    Description description;
    char device[256];     // ANSWER_OPEN: its name
    double milliseconds;  // ANSWER_DONE: of the sort, by events
    struct {              // ANSWER_SORTED
      int stages;
      double stage_ms[MAX_STAGES];
      size_t scratch_kept;  // blocks that the sort did not return
      long long blocks;     // allocated by cudaMalloc, less those freed, when the sort began
    } sorted;
  };
} Answer;

#endif
