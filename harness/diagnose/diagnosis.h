// Names the mistake of a sort from what it made of an input, and from a few more runs. Pure host
// code: it sees arrays only, never the sort.
#ifndef HARNESS_DIAGNOSIS_H
#define HARNESS_DIAGNOSIS_H

#include "harness/process/message.h"
#include "harness/verdict/trial.h"

typedef enum Mistake {
  MISTAKE_NONE,
  MISTAKE_OUTSIDE,          // wrote before or after its arrays
  MISTAKE_NOTHING_WRITTEN,  // the outputs, or one of them, are as they were
  MISTAKE_LEFT_IN_INPUTS,   // the result is in the input arrays
  MISTAKE_LAST_PASS,        // an output is from an earlier pass; the last pass's is in the inputs
  MISTAKE_EXCHANGED,        // the positions are in the output for keys, and the keys in the other
  MISTAKE_UNSORTED,         // the output is the input
  MISTAKE_LOW_BITS,         // sorted by the lowest bits only
  MISTAKE_BIT_31,           // sorted by all bits but the highest
  MISTAKE_HIGH_BITS,        // sorted by the highest bits only, or not by some in the middle
  MISTAKE_DESCENDING,       // largest first
  MISTAKE_SIGNED,           // sorted as signed numbers
  MISTAKE_TAIL,             // right only where n is a multiple of the block size, or a power of two
  MISTAKE_ABOVE_BLOCK,      // right only up to a size
  MISTAKE_LOST,             // places of the output were never written
  MISTAKE_DOUBLED,          // an element occurs too often
  MISTAKE_INVENTED,         // an element that the input does not have
  MISTAKE_POSITIONS_UNMOVED,  // keys right, positions as in the input
  MISTAKE_POSITIONS_APART,    // all positions are there, with other keys
  MISTAKE_UNSTABLE,           // equal keys or equal digits change their order
  MISTAKE_RACE,               // the same input gives different outputs
  MISTAKE_LATER_CALLS,        // right at the first call of a process, wrong at a later one
  MISTAKE_FIRST_CALL,         // the other way round
  MISTAKE_UNWRITTEN_READ,     // the output depends on memory that the sort never wrote
  MISTAKE_OTHER,              // wrong in no way listed here
  MISTAKES
} Mistake;

typedef struct Diagnosis {
  Mistake mistake;
  Message sentence;  // with numbers; ends with where to read on
} Diagnosis;

// How to run the sort again. Each function returns false if that is impossible: the sort crashed
// or hung, or there is no time left. Then the diagnosis uses the runs made so far.
typedef struct Rerun {
  bool (*sort)(void *context, Trial *trial);  // fills trial->after and trial->outside
  bool (*restart)(void *context);             // the next call is the first of a fresh process
  // As restart, and threads run in another order; NULL, or false, where that cannot be had.
  bool (*other_order)(void *context);
  void *context;
  size_t min_n, max_n;  // no call with fewer or more elements
  // CPU seconds that the sorts have taken so far, -1 if not known; may be NULL. On a busy machine
  // they say more about a sort than the time that passes.
  double (*cpu_seconds)(void *context);
  // A call that was timed before: its size and seconds. 0: none.
  size_t known_n;
  double known_seconds;
} Rerun;

// Names the mistake of a trial that trial_right() refuses. `kind` is its input's, or
// TRIAL_KINDS if it was not drawn. `rerun` may be NULL.
Diagnosis diagnose(const Trial *trial, TrialKind kind, bool stable, const Rerun *rerun);

// Names the mistake if the output alone shows what it is; false otherwise. The sort may have had
// bare keys (trial->bare_keys).
bool diagnose_output(const Trial *trial, bool stable, Diagnosis *diagnosis);

// "bit 31 forgotten": the name of a class, for tests and tables.
const char *mistake_name(Mistake mistake);

// Elements lost, doubled or invented, races and the like: the sentence states what the output
// shows, and different errors in the code can be the cause.
bool mistake_is_symptom(Mistake mistake);

// Where to read on: the last clause of the sentence, such as
//   see radix_v2/README.md, "By hand"
const char *mistake_hint(Mistake mistake);

#endif
