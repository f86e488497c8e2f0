// What a wrong output shows by itself.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/diagnose/diagnosis_parts.h"

// ---- whole arrays -------------------------------------------------------------------------------

static bool find_untouched(const View *v, Shape *shape) {
  size_t first = 0;
  const bool keys = view_untouched(v->trial, KEYS_OUT, &first) == v->n;
  const bool positions = view_untouched(v->trial, POSITIONS_OUT, &first) == v->n;
  if (keys && positions)
    return FOUND(shape, false, MISTAKE_NOTHING_WRITTEN,
                 "nothing was written: all %zu keys%s of the output are as they were "
                 "before the sort (index 0: expected key %" PRIu32 ", found the old %" PRIu32 ")",
                 v->n, v->trial->bare_keys ? "" : " and positions", v->sorted_keys[0],
                 v->keys_out[0]);
  if (keys || positions)
    return FOUND(shape, false, MISTAKE_NOTHING_WRITTEN,
                 "no %s was written: all %zu of the output are as they were before the sort (index "
                 "0: expected %" PRIu32 ", found the old %" PRIu32 ")",
                 keys ? "key" : "position", v->n, keys ? v->sorted_keys[0] : v->sorted_positions[0],
                 keys ? v->keys_out[0] : v->positions_out[0]);
  return false;
}

// Where positions are the same as keys, as of bare keys, there is nothing to exchange: false.
static bool find_exchanged(const View *v, Shape *shape) {
  if (same_values(v->keys_out, v->keys, v->n) || !same_values(v->keys_out, v->positions, v->n) ||
      !same_values(v->positions_out, v->keys, v->n))
    return false;
  const size_t i = first_difference(v->keys_out, v->sorted_keys, v->n);
  return FOUND(shape, v->n >= ENOUGH, MISTAKE_EXCHANGED,
               "keys and positions are exchanged: d_outputVals holds all positions, d_outputPos "
               "all keys (index %zu: expected key %" PRIu32 ", found %" PRIu32 ")",
               i, v->sorted_keys[i], v->keys_out[i]);
}

static size_t in_place(const uint32_t *values, const uint32_t *expected, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += values[i] == expected[i];
  return count;
}

// The result may be where the last of several passes put it: in the inputs.
static bool find_in_inputs(const View *v, Shape *shape) {
  const bool was_sorted = same(v->keys, v->sorted_keys, v->bytes);
  const bool keys_there = same(v->trial->after[KEYS_IN], v->sorted_keys, v->bytes);
  const bool positions_there = same(v->trial->after[POSITIONS_IN], v->sorted_positions, v->bytes) &&
                               !same(v->positions, v->sorted_positions, v->bytes);
  const bool keys_wrong = !same(v->keys_out, v->sorted_keys, v->bytes);
  const bool positions_wrong = !same(v->positions_out, v->sorted_positions, v->bytes);
  size_t first = 0;
  if (was_sorted || v->n < 2) return false;
  if (keys_wrong && keys_there && view_untouched(v->trial, KEYS_OUT, &first) == v->n &&
      view_untouched(v->trial, POSITIONS_OUT, &first) == v->n)
    return FOUND(shape, true, MISTAKE_LEFT_IN_INPUTS,
                 "the result was left in the inputs: all %zu sorted keys are in d_inputVals, and "
                 "the outputs were never written (index 0: expected key %" PRIu32
                 ", found the old %" PRIu32 ")",
                 v->n, v->sorted_keys[0], v->keys_out[0]);
  if (keys_wrong && keys_there && is_varied(v)) {
    const size_t i = first_difference(v->keys_out, v->sorted_keys, v->n);
    if (!same_values(v->keys_out, v->keys, v->n))
      return FOUND(shape, true, MISTAKE_LAST_PASS,
                   "the result was not copied back as a whole: d_inputVals holds all %zu sorted "
                   "keys, d_outputVals has %zu of them in their places (index %zu: expected key "
                   "%" PRIu32 ", found %" PRIu32 ")",
                   v->n, in_place(v->keys_out, v->sorted_keys, v->n), i, v->sorted_keys[i],
                   v->keys_out[i]);
    return FOUND(shape, true, MISTAKE_LAST_PASS,
                 "the last pass was not copied back: d_inputVals holds the sorted keys, "
                 "d_outputVals those of an earlier pass (index %zu: expected key %" PRIu32
                 ", found %" PRIu32 ")",
                 i, v->sorted_keys[i], v->keys_out[i]);
  }
  if (!keys_wrong && positions_wrong && positions_there) {
    const size_t i = first_difference(v->positions_out, v->sorted_positions, v->n);
    if (!same_values(v->positions_out, v->positions, v->n))
      return FOUND(shape, true, MISTAKE_LAST_PASS,
                   "the positions were not copied back as a whole: d_inputPos holds all %zu in the "
                   "right order, d_outputPos has %zu of them in their places (index %zu: expected "
                   "position %" PRIu32 ", found %" PRIu32 ")",
                   v->n, in_place(v->positions_out, v->sorted_positions, v->n), i,
                   v->sorted_positions[i], v->positions_out[i]);
    return FOUND(shape, true, MISTAKE_LAST_PASS,
                 "the positions of the last pass were not copied back: d_inputPos holds them, "
                 "d_outputPos those of an earlier pass (index %zu: expected position %" PRIu32
                 ", found %" PRIu32 ")",
                 i, v->sorted_positions[i], v->positions_out[i]);
  }
  return false;
}

// ---- all ----------------------------------------------------------------------------------------

static size_t greatest_common_divisor(size_t a, size_t b) {
  while (b != 0) {
    const size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Are these blocks, or a few places whose distances have a common divisor by chance? Blocks are
// mostly multiples of a warp.
static bool are_blocks(size_t step, size_t descents) {
  return step >= 32 && descents > (step % 32 == 0 ? 1 : 4);
}

// Blocks that are each in order, but not with each other.
static void describe_disorder(const View *v, Shape *shape) {
  size_t step = 0, descents = 0;
  for (size_t i = 1; i < v->n; i++) {
    if (v->keys_out[i - 1] <= v->keys_out[i]) continue;
    descents++;
    step = greatest_common_divisor(step, i);
  }
  const size_t i = first_descent(v->keys_out, v->n);
  if (are_blocks(step, descents))
    (void)FOUND(
        shape, false, MISTAKE_ABOVE_BLOCK,
        "sorted only within blocks of %zu: %zu blocks start with a smaller key than the one "
        "before (index %zu: key %" PRIu32 " follows the larger %" PRIu32 ")",
        step, descents, i, v->keys_out[i], v->keys_out[i - 1]);
  else
    (void)FOUND(shape, false, MISTAKE_OTHER,
                "out of order at %zu place%s (index %zu: key %" PRIu32
                " follows the larger %" PRIu32 ")",
                descents, descents == 1 ? "" : "s", i, v->keys_out[i], v->keys_out[i - 1]);
}

Shape diagnose_shape(const Trial *trial, const TrialReference *reference, bool stable) {
  const View v = {trial,
                  trial->n,
                  trial->n * sizeof(uint32_t),
                  trial->keys,
                  trial->positions,
                  trial->after[KEYS_OUT],
                  trial->after[POSITIONS_OUT],
                  reference->keys,
                  reference->positions};
  Shape shape = {0};
  if (v.n == 0 || find_exchanged(&v, &shape) || find_in_inputs(&v, &shape) ||
      find_untouched(&v, &shape))
    return shape;
  if (same(v.keys_out, v.sorted_keys, v.bytes)) {
    (void)find_positions(&v, stable, &shape);
    return shape;
  }
  if (find_elements(&v, KEYS_OUT, &shape) || find_order(&v, &shape)) return shape;
  describe_disorder(&v, &shape);
  return shape;
}
