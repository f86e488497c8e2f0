// What a sentence says of a wrong sort must be true of it: sorts of the host whose output looks
// like that of another mistake. tests/judge/test_diagnosis.c has one sort after another for each
// mistake.
#include "tests/unit.h"

#include "harness/diagnose/battery.h"

// ---- running a sort -----------------------------------------------------------------------------

// Sorts trial->keys and trial->positions into trial->after. `sorted` is the right answer.
typedef void Sort(Trial *trial, const TrialReference *sorted);

static void copy(Trial *trial, TrialArray to, const uint32_t *from, size_t n) {
  memcpy(trial->after[to], from, n * sizeof *from);
}

static void sorts(Trial *trial, const TrialReference *sorted) {
  copy(trial, KEYS_OUT, sorted->keys, trial->n);
  copy(trial, POSITIONS_OUT, sorted->positions, trial->n);
}

// The elements at places i and i + 1 of the output.
static void exchange(Trial *trial, size_t i) {
  for (TrialArray array = KEYS_OUT; array <= POSITIONS_OUT; array++) {
    const uint32_t element = trial->after[array][i];
    trial->after[array][i] = trial->after[array][i + 1];
    trial->after[array][i + 1] = element;
  }
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

// What HW4 says after an input of the battery, or of an image (TRIAL_KINDS): 4096 different keys
// and positions 0, 1, 2, .., as of an image.
static const char *told(Sort *sort, TrialKind kind, size_t n) {
  static Diagnosis found;
  const Rerun rerun = {
      .sort = call, .restart = restart, .context = &sort, .max_n = 2 * BATTERY_LARGEST};
  Trial trial = trial_create(n, 0, 1);
  trial_draw(&trial, kind < TRIAL_KINDS ? kind : TRIAL_RANDOM, 1);
  for (size_t i = 0; i < n && kind == TRIAL_KINDS; i++) {
    trial.keys[i] >>= 20;
    trial.positions[i] = (uint32_t)i;
  }
  (void)call(&sort, &trial);
  found = diagnose(&trial, kind, true, &rerun);
  trial_free(&trial);
  return found.sentence.text;
}

// What compare says, from the output alone; "" if nothing. Frees the trial.
static const char *told_by_output(Sort *sort, Trial *trial) {
  static Diagnosis found;
  (void)call(&sort, trial);
  const bool named = diagnose_output(trial, true, &found);
  trial_free(trial);
  return named ? found.sentence.text : "";
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

TEST(test_results_in_inputs) {
  expect_part(
      told(copies_bytes, TRIAL_RANDOM, 1000),
      "not copied back as a whole: d_inputVals holds all 1000 sorted keys, d_outputVals has 250 "
      "of them in their places (index 250: ");
  expect_part(
      told(copies_bytes_of_positions, TRIAL_RANDOM, 1000),
      "not copied back as a whole: d_inputPos holds all 1000 in the right order, d_outputPos "
      "has 250 of them in their places (index 250: ");
}

// ---- orders that look like high bits ------------------------------------------------------------

// Stable, by the bits of a mask; from the last element to the first, if `backwards`.
static void sort_by(Trial *trial, uint32_t mask, bool backwards) {
  const size_t n = trial->n;
  Trial by = trial_create(n, 0, 0);
  for (size_t i = 0; i < n; i++) {
    by.positions[i] = (uint32_t)(backwards ? n - 1 - i : i);
    by.keys[i] = trial->keys[by.positions[i]] & mask;
  }
  TrialReference order = trial_reference(&by);
  for (size_t i = 0; i < n; i++) {
    trial->after[KEYS_OUT][i] = trial->keys[order.positions[i]];
    trial->after[POSITIONS_OUT][i] = trial->positions[order.positions[i]];
  }
  trial_reference_free(&order);
  trial_free(&by);
}

static void skips_a_digit(Trial *trial, const TrialReference *sorted) {
  (void)sorted;
  sort_by(trial, ~0xf00u, false);
}

// Buckets of the upper 8 bits, and no sort of each bucket.
static void buckets_alone(Trial *trial, const TrialReference *sorted) {
  (void)sorted;
  sort_by(trial, 0xffu << 24, true);
}

// A compare-exchange that is missing at the end of a network.
static void exchanges_neighbours(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  for (size_t i = 0; i + 1 < trial->n; i += 2) exchange(trial, i);
}

// Right but for neighbours at 20 places that are exchanged, none of which differ in the upper 4
// bits.
static void exchanges_a_few(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  for (size_t i = 3, count = 0; i + 1 < trial->n && count < 20; i += 45) {
    if (sorted->keys[i] >> 28 != sorted->keys[i + 1] >> 28) continue;
    exchange(trial, i);
    count++;
  }
}

TEST(test_high_bits) {
  expect_part(told(skips_a_digit, TRIAL_RANDOM, 1000),
              "bits 8 to 11 were left out: the keys are in the order of bits 12 to 31");
  expect_part(told(buckets_alone, TRIAL_RANDOM, 1000),
              "usual causes: a last pass that is not stable");
  expect_part(told(exchanges_a_few, TRIAL_RANDOM, 1000), "out of order at 20 places");
  // Keys as of an image: their highest bits have two values.
  Trial trial = trial_create(1000, 0, 1);
  trial_draw(&trial, TRIAL_RANDOM, 1);
  for (size_t i = 0; i < trial.n; i++)
    trial.keys[i] = i < 100 ? 0 : 0x38000000u + trial.keys[i] / 32;
  assert_string_equal(told_by_output(exchanges_neighbours, &trial), "");
}

// ---- keys of few values -------------------------------------------------------------------------

static void backwards(Trial *trial, const TrialReference *sorted) {
  for (size_t i = 0; i < trial->n; i++) {
    trial->after[KEYS_OUT][i] = sorted->keys[trial->n - 1 - i];
    trial->after[POSITIONS_OUT][i] = sorted->positions[trial->n - 1 - i];
  }
}

// d_inputVals holds the sorted keys afterwards, as after some even pass.
static void backwards_after_a_pass(Trial *trial, const TrialReference *sorted) {
  backwards(trial, sorted);
  copy(trial, KEYS_IN, sorted->keys, trial->n);
}

// Of 100 keys, of which all but one are `low`.
static const char *told_of_outlier(uint32_t low, uint32_t outlier) {
  Trial trial = trial_create(100, 0, 1);
  for (size_t i = 0; i < trial.n; i++) {
    trial.keys[i] = i == 33 ? outlier : low;
    trial.positions[i] = (uint32_t)i;
  }
  return told_by_output(backwards_after_a_pass, &trial);
}

// The output may be in the order of signed numbers, in descending order, or that before the last
// pass: with such keys they are the same.
TEST(test_few_values) {
  assert_string_equal(told_of_outlier(5, 0x80000000u), "");
  assert_string_equal(told_of_outlier(0x80000000u, 5), "");
  expect_part(told(backwards, TRIAL_RANDOM, 100), "sorted in descending order");
}

// Two keys are as they were: after a descending sort, one of signed numbers, or none.
TEST(test_two_keys) {
  Trial trial = trial_create(2, 0, 1);
  trial.keys[0] = 0x80000000u;
  assert_string_equal(told_by_output(backwards, &trial), "");
}

// A sort in descending order leaves it as it is, and one that sorts nothing does too.
TEST(test_descending_input) {
  Trial trial = trial_create(100, 0, 1);
  trial_draw(&trial, TRIAL_REVERSED, 1);
  expect_part(told_by_output(backwards, &trial), "not sorted, or sorted in that order");
}

// ---- a few wrong places -------------------------------------------------------------------------

static void exchanges_at_thirds(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  if (trial->n < 8) return;
  exchange(trial, trial->n / 3 - 1);
  exchange(trial, trial->n / 3 * 2 - 1);
}

static void exchanges_at_half(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  if (trial->n > 1) exchange(trial, trial->n / 2 - 1);
}

// Exchanges the first two elements of n: of 1024 keys with few bits set, both are 0.
static void exchanges_the_first(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  if (trial->n > 1) exchange(trial, 0);
}

TEST(test_few_places) {
  expect_part(told(exchanges_at_thirds, TRIAL_RANDOM, 1001), "out of order at 2 places");
  expect_part(told(exchanges_at_half, TRIAL_RANDOM, 1000), "out of order at 1 place (");
  expect_part(told(exchanges_the_first, TRIAL_RANDOM, 1000), "out of order at 1 place (");
}

// All keys but one have the same low bits, by which the output is in order.
TEST(test_few_low_bits) {
  Trial trial = trial_create(20, 0, 1);
  for (size_t i = 0; i < trial.n; i++) {
    trial.keys[i] = (uint32_t)i << 27 | (i == 19);
    trial.positions[i] = (uint32_t)i;
  }
  assert_string_equal(told_by_output(exchanges_at_thirds, &trial), "");
}

// ---- positions ----------------------------------------------------------------------------------

static void zeroes_positions(Trial *trial, const TrialReference *sorted) {
  copy(trial, KEYS_OUT, sorted->keys, trial->n);
  memset(trial->after[POSITIONS_OUT], 0, trial->n * sizeof(uint32_t));
}

// With equal keys, any index is that of an equal key; but each element has its own.
TEST(test_positions) {
  expect_part(told(zeroes_positions, TRIAL_EQUAL, 1000), "positions invented: 1000 of 1000");
}

// ---- sizes --------------------------------------------------------------------------------------

static void powers_of_two(Trial *trial, const TrialReference *sorted) {
  copy(trial, KEYS_OUT, trial->keys, trial->n);
  copy(trial, POSITIONS_OUT, trial->positions, trial->n);
  if ((trial->n & (trial->n - 1)) != 0) return;
  sorts(trial, sorted);
}

// The same, but equal keys come in reverse order.
static void powers_of_two_unstable(Trial *trial, const TrialReference *sorted) {
  powers_of_two(trial, sorted);
  if ((trial->n & (trial->n - 1)) == 0) sort_by(trial, ~0u, true);
}

// if (i < n - 1) in the last block, where that is full.
static void multiples_of_256(Trial *trial, const TrialReference *sorted) {
  sorts(trial, sorted);
  if (trial->n % 256 == 0 && trial->n > 0) exchange(trial, trial->n - 2);
}

// Leaves the places of equal keys but the first free.
static void loses_equal_keys(Trial *trial, const TrialReference *sorted) {
  for (size_t i = 0, to = 0; i < trial->n; i++) {
    if (i > 0 && sorted->keys[i] == sorted->keys[i - 1]) continue;
    trial->after[KEYS_OUT][to] = sorted->keys[i];
    trial->after[POSITIONS_OUT][to++] = sorted->positions[i];
  }
}

// Random keys go wrong at any size, and equal ones above 262 elements.
static void wrong_with_random_keys(Trial *trial, const TrialReference *sorted) {
  const bool equal = trial->n == 0 || sorted->keys[0] == sorted->keys[trial->n - 1];
  sorts(trial, sorted);
  if (trial->n > 1 && (!equal || trial->n > 262)) trial->after[POSITIONS_OUT][0] = 77;
}

TEST(test_sizes) {
  expect_part(told(powers_of_two, TRIAL_RANDOM, 1000), "wrong where n is no power of two: ");
  expect_part(told(powers_of_two, TRIAL_KINDS, 220480), "wrong where n is no power of two: ");
  expect_part(told(powers_of_two_unstable, TRIAL_KINDS, 1000),
              "wrong where n is no power of two: ");
  expect_part(told(multiples_of_256, TRIAL_RANDOM, 256), "out of order at 1 place");
  expect_part(told(wrong_with_random_keys, TRIAL_EQUAL, 1000), "positions ");
  // The more elements, the more equal keys: still there is no limit on n.
  expect_part(told(loses_equal_keys, TRIAL_KINDS, 1000), "keys lost: ");
}

// ---- the same input again -----------------------------------------------------------------------

// A histogram that is not cleared. HW4's own sort of an image finds other values in new memory than
// its later sorts, all of which find the same ones.
static void uncleared(Trial *trial, const TrialReference *sorted) {
  static int calls;
  const size_t place = trial->zero_memory ? 0 : calls++ == 0 ? 7 : 9;
  sorts(trial, sorted);
  if (place >= trial->n) return;
  trial->after[KEYS_OUT][place] = sorted->keys[0];
  trial->after[POSITIONS_OUT][place] = sorted->positions[0];
}

// By a pivot drawn at random: no thread is to blame.
static void draws(Trial *trial, const TrialReference *sorted) {
  static size_t place;
  sorts(trial, sorted);
  place = (place + 35) % 901;
  if (place + 1 < trial->n) exchange(trial, place);
}

// A place that the first pass leaves out is read by the second.
static void passes_on_a_hole(Trial *trial, const TrialReference *sorted) {
  const uint32_t old = trial->after[KEYS_OUT][5 % trial->n];
  sorts(trial, sorted);
  if (trial->n > 9) trial->after[KEYS_OUT][9] = old;
}

TEST(test_changes) {
  expect_part(told(uncleared, TRIAL_KINDS, 1000),
              "reads memory that it never wrote: right where new");
  expect_part(told(passes_on_a_hole, TRIAL_RANDOM, 1000), "such as places that a pass left out: ");
  expect_part(told(draws, TRIAL_RANDOM, 1000),
              "the output differs from run to run of the same input, so threads race, or place "
              "elements in the order in which they come, or it depends on something else");
}

RUN_TESTS("sentences", NULL, NULL)
