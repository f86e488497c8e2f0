// Between the files of the diagnosis; diagnosis.h is for all others.
#ifndef HARNESS_DIAGNOSIS_PARTS_H
#define HARNESS_DIAGNOSIS_PARTS_H

#include "harness/diagnose/diagnosis.h"

// Names the mistake; true, to be returned at once.
#define NAME(diagnosis, which, ...) \
  (message_fail(&(diagnosis)->sentence, __VA_ARGS__), (diagnosis)->mistake = (which), true)

// ---- one output: diagnosis_shape.c --------------------------------------------------------------

typedef struct Shape {
  Diagnosis diagnosis;
  bool certain;  // no other class of mistake makes this output, and chance does not either
} Shape;

Shape diagnose_shape(const Trial *trial, const TrialReference *reference, bool stable);

// Does a place of an output still hold what it held before the sort?
bool is_untouched(const Trial *trial, TrialArray array, size_t i);

enum { ENOUGH = 16 };  // fewer elements are in many orders at once by chance

// ---- more runs: diagnosis_rerun.c ---------------------------------------------------------------

typedef struct Case {
  const Trial *trial;
  const TrialReference *reference;
  TrialKind kind;
  bool stable;
  const Rerun *rerun;
  double deadline;
} Case;

typedef enum Answer { RIGHT, WRONG, UNKNOWN } Answer;

// An input of a kind, with n elements, whose keys are taken from the case's if that was not drawn.
Trial case_draw(const Case *c, TrialKind kind, size_t n);

// Sorts it and judges.
Answer case_judge(const Case *c, Trial *trial);

// The same input again, twice in each of some fresh processes: is it right at times? Or, if `any`,
// is the output another one at times? The same input in another order of threads, with zeros in new
// memory, and with other values in all memory that the sort has not written. Other sizes. Only
// sizes around powers of two, for a trial of many blocks.
bool find_changes(const Case *c, int processes, bool any, Diagnosis *found);
bool find_other_order(const Case *c, bool any, Diagnosis *found);
bool find_zeros_relied_on(const Case *c, Diagnosis *found);
bool find_unwritten_read(const Case *c, Diagnosis *found);
bool find_sizes(const Case *c, Diagnosis *found);
bool find_many_blocks(const Case *c, Diagnosis *found);

#endif
