// Between the files of the diagnosis; diagnosis.h is for all others.
#ifndef HARNESS_DIAGNOSIS_PARTS_H
#define HARNESS_DIAGNOSIS_PARTS_H

#include <string.h>

#include "harness/diagnose/diagnosis.h"

// Names the mistake; true, to be returned at once.
#define NAME(diagnosis, which, ...) \
  (message_fail(&(diagnosis)->sentence, __VA_ARGS__), (diagnosis)->mistake = (which), true)

// ---- one output: diagnosis_shape.c, diagnosis_orders.c, diagnosis_elements.c --------------------

typedef struct Shape {
  Diagnosis diagnosis;
  bool certain;  // no other class of mistake makes this output, and chance does not either
} Shape;

Shape diagnose_shape(const Trial *trial, const TrialReference *reference, bool stable);

enum { ENOUGH = 16 };  // fewer elements are in many orders at once by chance

typedef struct View {
  const Trial *trial;
  size_t n, bytes;
  const uint32_t *keys, *positions;                // the input
  const uint32_t *keys_out, *positions_out;        // the output
  const uint32_t *sorted_keys, *sorted_positions;  // the expected output
} View;

// Fills in a shape; true, to be returned at once.
#define FOUND(shape, is_certain, which, ...)                                                      \
  (message_fail(&(shape)->diagnosis.sentence, __VA_ARGS__), (shape)->diagnosis.mistake = (which), \
   (shape)->certain = (is_certain), true)

static inline bool same(const uint32_t *a, const uint32_t *b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

static inline size_t first_difference(const uint32_t *a, const uint32_t *b, size_t n) {
  size_t i = 0;
  while (i < n && a[i] == b[i]) i++;
  return i;
}

// The first index whose key is smaller than the one before it; n if there is none.
static inline size_t first_descent(const uint32_t *keys, size_t n) {
  size_t i = 1;
  while (i < n && keys[i - 1] <= keys[i]) i++;
  return i < n ? i : n;
}

// How many places of an output still hold what they held before the sort, and the first of them.
size_t view_untouched(const Trial *trial, TrialArray array, size_t *first);

// Do both arrays hold the same values, in any order?
bool same_values(const uint32_t *a, const uint32_t *b, size_t n);

// Where each output element stood in the input, by its position, to be freed; all 0 if positions
// are not the input's, so that no group is in input order.
uint32_t *view_input_indices(const View *v);

// Keys of three different values or fewer are in many orders at once: false.
bool is_varied(const View *v);

// All keys are there, in the wrong order.
bool find_order(const View *v, Shape *shape);

// Keys or positions that are lost, doubled or invented. The keys are right: what is wrong with the
// positions.
bool find_elements(const View *v, TrialArray array, Shape *shape);
bool find_positions(const View *v, bool stable, Shape *shape);

// ---- more runs: diagnosis_rerun.c, diagnosis_sizes.c --------------------------------------------

typedef struct Case {
  const Trial *trial;
  const TrialReference *reference;
  TrialKind kind;
  bool stable;
  const Rerun *rerun;
  double deadline;
} Case;

typedef enum Answer { RIGHT, WRONG, UNKNOWN } Answer;

// A copy of the case's input with another poison; an input of a kind, with n elements, whose keys
// are taken from the case's own if that was not drawn.
Trial case_copy(const Case *c, uint64_t seed);
Trial case_draw(const Case *c, TrialKind kind, size_t n);

// Sorts it and judges.
Answer case_judge(const Case *c, Trial *trial);

// "index 7: expected key 3, found 5": the first place that is wrong, keys before positions.
const char *case_place(const Case *c);

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
