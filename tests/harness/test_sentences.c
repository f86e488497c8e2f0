// What a sentence says of a wrong sort must be true of it: sorts of the host whose output looks
// like that of another mistake. tests/judge/test_diagnosis.c has one sort after another for each
// mistake.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness/battery.h"

// ---- running a sort -----------------------------------------------------------------------------

// Sorts trial->keys and trial->positions into trial->after. `sorted` is the right answer.
typedef void Sort(Trial *trial, const TrialReference *sorted);

static void copy(Trial *trial, TrialArray to, const uint32_t *from, size_t n) {
  memcpy(trial->after[to], from, n * sizeof *from);
}

static bool call(void *context, Trial *trial) {
  TrialReference sorted = trial_reference(trial);
  for (TrialArray array = 0; array < TRIAL_ARRAYS; array++)
    for (size_t i = 0; i < trial->n; i++)
      trial->after[array][i] = trial_before(trial, array, (int64_t)i);
  trial->outside.found = false;
  (*(Sort **)context)(trial, &sorted);
  trial_reference_free(&sorted);
  return true;
}

static bool restart(void *context) { return context != NULL; }

// What HW4 says after an input of its own, as of an image (TRIAL_KINDS: keys as of random numbers,
// positions 0, 1, 2, ..) or of the battery.
static const char *told(Sort *sort, TrialKind kind, size_t n) {
  static Diagnosis found;
  const Rerun rerun = {
      .sort = call, .restart = restart, .context = &sort, .max_n = 2 * BATTERY_LARGEST};
  Trial trial = trial_create(n, 0, 1);
  trial_draw(&trial, kind < TRIAL_KINDS ? kind : TRIAL_RANDOM, 1);
  for (size_t i = 0; i < n && kind == TRIAL_KINDS; i++) trial.positions[i] = (uint32_t)i;
  (void)call(&sort, &trial);
  found = diagnose(&trial, kind, true, &rerun);
  trial_free(&trial);
  return found.sentence.text;
}

static void expect(const char *sentence, const char *part) {
  if (strstr(sentence, part) == NULL) fail_msg("expected '%s' in: %s", part, sentence);
}

// ---- results in the inputs ----------------------------------------------------------------------

// cudaMemcpy(d_outputVals, d_inputVals, n, ..): bytes instead of elements.
static void copies_bytes(Trial *trial, const TrialReference *sorted) {
  copy(trial, KEYS_IN, sorted->keys, trial->n);
  copy(trial, POSITIONS_IN, sorted->positions, trial->n);
  copy(trial, KEYS_OUT, sorted->keys, trial->n / 4);
  copy(trial, POSITIONS_OUT, sorted->positions, trial->n / 4);
}

static void copies_bytes_of_positions(Trial *trial, const TrialReference *sorted) {
  copies_bytes(trial, sorted);
  copy(trial, KEYS_OUT, sorted->keys, trial->n);
}

static void test_results_in_inputs(void **state) {
  (void)state;
  expect(told(copies_bytes, TRIAL_RANDOM, 1000),
         "not copied back as a whole: d_inputVals holds all 1000 sorted keys, d_outputVals has 250 "
         "of them in their places (index 250: ");
  expect(told(copies_bytes_of_positions, TRIAL_RANDOM, 1000),
         "not copied back as a whole: d_inputPos holds all 1000 in the right order, d_outputPos "
         "has 250 of them in their places (index 250: ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_results_in_inputs),
  };
  return cmocka_run_group_tests_name("sentences", tests, NULL, NULL);
}
