// What a wrong output shows by itself.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/diagnose/diagnosis_parts.h"

// The keys, or the positions, of a trial.
typedef struct Side {
  const uint32_t *in, *out, *sorted;  // sorted: the expected output
} Side;

typedef struct View {
  const Trial *trial;
  size_t n, bytes;
  Side keys, positions;
} View;

static const Side *side_of(const View *v, TrialArray array) {
  return array == KEYS_OUT ? &v->keys : &v->positions;
}

// Fills in a shape; true, to be returned at once.
#define FOUND(shape, is_certain, which, ...) \
  ((shape)->certain = (is_certain), NAME(&(shape)->diagnosis, which, __VA_ARGS__))

static bool same(const uint32_t *a, const uint32_t *b, size_t bytes) {
  return memcmp(a, b, bytes) == 0;
}

// The place that shows a mistake: "index 7: expected key 3, found 5", and "index 7: key 3 follows
// the larger 5", in hexadecimal digits where bits are the matter.
typedef struct Place {
  char text[80];
} Place;

static size_t first_difference(const View *v, const Side *side) {
  size_t i = 0;
  while (i + 1 < v->n && side->out[i] == side->sorted[i]) i++;
  return i;
}

static Place first_wrong(const View *v, TrialArray array) {
  Place place;
  const Side *const side = side_of(v, array);
  const size_t i = first_difference(v, side);
  snprintf(place.text, sizeof place.text, "index %zu: expected %s %" PRIu32 ", found %" PRIu32, i,
           array == KEYS_OUT ? "key" : "position", side->sorted[i], side->out[i]);
  return place;
}

static Place first_descent(const View *v, bool hexadecimal) {
  Place place;
  size_t i = 1;
  while (i + 1 < v->n && v->keys.out[i - 1] <= v->keys.out[i]) i++;
  snprintf(place.text, sizeof place.text,
           hexadecimal ? "index %zu: key 0x%08" PRIx32 " follows the larger 0x%08" PRIx32
                       : "index %zu: key %" PRIu32 " follows the larger %" PRIu32,
           i, v->keys.out[i], v->keys.out[i - 1]);
  return place;
}

bool is_untouched(const Trial *trial, TrialArray array, size_t i) {
  return trial->after[array][i] == trial_before(trial, array, (int64_t)i);
}

static size_t count_untouched(const View *v, TrialArray array) {
  size_t count = 0;
  for (size_t i = 0; i < v->n; i++) count += is_untouched(v->trial, array, i);
  return count;
}

typedef struct Indexed {
  uint32_t value, index;
} Indexed;

static int by_value(const void *a, const void *b) {
  const Indexed *const x = a, *const y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static Indexed *index_values(const uint32_t *values, size_t n) {
  Indexed *const table = host_memory(n, sizeof *table);
  for (size_t i = 0; i < n; i++) table[i] = (Indexed){values[i], (uint32_t)i};
  qsort(table, n, sizeof *table, by_value);
  return table;
}

// Where each output element stood in the input, by its position, to be freed; all 0 if positions
// are not the input's, so that no group is in input order.
static uint32_t *view_input_indices(const View *v) {
  uint32_t *const indices = host_memory(v->n, sizeof *indices);
  Indexed *const in = index_values(v->positions.in, v->n);
  Indexed *const out = index_values(v->positions.out, v->n);
  bool all = true;
  for (size_t i = 0; i < v->n; i++) {
    all = all && in[i].value == out[i].value;
    indices[out[i].index] = in[i].index;
  }
  if (!all) memset(indices, 0, v->bytes);
  free(in);
  free(out);
  return indices;
}

// ---- elements -----------------------------------------------------------------------------------

// What became of a set of values: counts, and the first place of each in the output.
typedef struct Elements {
  size_t doubled, invented, lost;
  uint32_t doubled_value, lost_value;
  size_t doubled_count, doubled_expected, invented_place;
} Elements;

static size_t run_length(const Indexed *table, size_t n, size_t i) {
  size_t end = i;
  while (end < n && table[end].value == table[i].value) end++;
  return end - i;
}

static Elements compare_elements(const uint32_t *in, const uint32_t *out, size_t n) {
  Indexed *const before = index_values(in, n), *const after = index_values(out, n);
  Elements e = {0};
  for (size_t i = 0, j = 0; i < n || j < n;) {
    const size_t had =
        i < n && (j >= n || before[i].value <= after[j].value) ? run_length(before, n, i) : 0;
    const size_t has =
        j < n && (i >= n || after[j].value <= before[i].value) ? run_length(after, n, j) : 0;
    if (had > has && e.lost == 0) e.lost_value = before[i].value;
    if (had > has) e.lost += had - has;
    if (had == 0) {
      if (e.invented == 0) e.invented_place = after[j].index;
      e.invented += has;
    } else if (has > had) {
      if (e.doubled == 0) {
        e.doubled_value = after[j].value;
        e.doubled_count = has;
        e.doubled_expected = had;
      }
      e.doubled += has - had;
    }
    i += had;
    j += has;
  }
  free(before);
  free(after);
  return e;
}

// Do both arrays hold the same values, in any order?
static bool same_values(const uint32_t *a, const uint32_t *b, size_t n) {
  uint64_t difference = 0;  // of their sums: spares most arrays the sorts
  for (size_t i = 0; i < n; i++) difference += (uint64_t)a[i] - b[i];
  return difference == 0 && compare_elements(a, b, n).lost == 0;
}

// Keys or positions that are lost, doubled or invented.
static bool find_elements(const View *v, TrialArray array, Shape *shape) {
  const char *const what = array == KEYS_OUT ? "key" : "position";
  const Side *const side = side_of(v, array);
  const Elements e = compare_elements(side->in, side->out, v->n);
  if (e.lost == 0) return false;
  const size_t unwritten = count_untouched(v, array);
  size_t first = 0;
  while (unwritten > 0 && !is_untouched(v->trial, array, first)) first++;
  if (unwritten > 0)
    return FOUND(shape, false, MISTAKE_LOST,
                 "%ss lost: %zu of %zu; places of the output that were never written: %zu (index "
                 "%zu: expected %" PRIu32 ", found the old %" PRIu32 ")",
                 what, e.lost, v->n, unwritten, first, side->sorted[first], side->out[first]);
  if (e.invented > 0)
    return FOUND(shape, false, MISTAKE_INVENTED,
                 "%ss invented: %zu of %zu, which the input does not have (index %zu: expected "
                 "%" PRIu32 ", found %" PRIu32 ")",
                 what, e.invented, v->n, e.invented_place, side->sorted[e.invented_place],
                 side->out[e.invented_place]);
  return FOUND(shape, false, MISTAKE_DOUBLED,
               "%ss doubled: %zu of %zu, and as many lost; %" PRIu32
               " occurs %zu times instead of %zu, %" PRIu32 " too seldom",
               what, e.doubled, v->n, e.doubled_value, e.doubled_count, e.doubled_expected,
               e.lost_value);
}

// ---- positions ----------------------------------------------------------------------------------

// Do the output's positions count the input's elements instead of being the input's positions?
// Where the input's positions are 0, 1, 2, .., they are these numbers themselves: false.
static bool counts_elements(const View *v) {
  if (same(v->positions.out, v->positions.sorted, v->bytes)) return false;
  size_t counted = 0;
  while (counted < v->n && v->positions.in[counted] == counted) counted++;
  if (counted == v->n) return false;
  bool *const seen = host_memory(v->n, sizeof *seen);
  bool each_once = true;
  for (size_t i = 0; i < v->n && each_once; i++) {
    const uint32_t position = v->positions.out[i];
    each_once = position < v->n && !seen[position] && v->keys.in[position] == v->keys.out[i];
    if (each_once) seen[position] = true;
  }
  free(seen);
  return each_once;
}

// The keys are right: how many positions are another key's? And the first of them, with its key.
static size_t count_apart(const View *v, size_t *first, uint32_t *owner) {
  uint32_t *const index_of = view_input_indices(v);
  size_t apart = 0;
  for (size_t k = v->n; k-- > 0;)
    if (v->keys.in[index_of[k]] != v->keys.out[k]) {
      apart++;
      *first = k;
      *owner = v->keys.in[index_of[k]];
    }
  free(index_of);
  return apart;
}

// The keys are right: what is wrong with the positions?
static bool find_positions(const View *v, bool stable, Shape *shape) {
  const size_t n = v->n;
  const bool enough = n >= ENOUGH;
  if (same(v->positions.out, v->positions.sorted, v->bytes)) return false;
  if (same(v->positions.out, v->positions.in, v->bytes))
    return FOUND(
        shape, enough, MISTAKE_POSITIONS_UNMOVED,
        "the keys are right, but the positions were not moved with them: they are in input order "
        "(%s)",
        first_wrong(v, POSITIONS_OUT).text);
  if (counts_elements(v))
    return FOUND(shape, enough, MISTAKE_POSITIONS_UNMOVED,
                 "the positions are indices that the sort counted itself, not d_inputPos "
                 "(%s)",
                 first_wrong(v, POSITIONS_OUT).text);
  if (find_elements(v, POSITIONS_OUT, shape)) return true;
  size_t first = n;
  uint32_t owner = 0;
  const size_t apart = count_apart(v, &first, &owner);
  if (apart > 0)
    return FOUND(shape, enough, MISTAKE_POSITIONS_APART,
                 "the keys are right, but positions were moved without their keys: %zu of %zu are "
                 "with another key (index %zu: key %" PRIu32 " has the position of key %" PRIu32
                 ")",
                 apart, n, first, v->keys.out[first], owner);
  if (!stable) return false;
  const size_t i = first_difference(v, &v->positions);
  return FOUND(shape, enough, MISTAKE_UNSTABLE,
               "not stable, as the version claims to be: equal keys changed their order (index "
               "%zu, key %" PRIu32 ": expected position %" PRIu32 ", found %" PRIu32 ")",
               i, v->keys.out[i], v->positions.sorted[i], v->positions.out[i]);
}

// ---- all keys are there, in another order -------------------------------------------------------

// Otherwise keys may be in the order of low bits and of signed numbers, descending, or sorted after
// any pass, all at once.
static bool is_varied(const View *v) {
  enum { FEW_STEPS = 3 };
  size_t steps = 0;
  for (size_t i = 1; i < v->n; i++) steps += v->keys.sorted[i - 1] != v->keys.sorted[i];
  return steps >= FEW_STEPS;
}

static bool ascending_under(const uint32_t *keys, size_t n, uint32_t flip, uint32_t mask) {
  for (size_t i = 1; i < n; i++)
    if (((keys[i - 1] ^ flip) & mask) > ((keys[i] ^ flip) & mask)) return false;
  return true;
}

// The largest number of neighbours that are equal under the mask.
static size_t longest_run(const uint32_t *keys, size_t n, uint32_t mask) {
  size_t longest = 1, run = 1;
  for (size_t i = 1; i < n; i++) {
    run = ((keys[i] ^ keys[i - 1]) & mask) == 0 ? run + 1 : 1;
    if (run > longest) longest = run;
  }
  return longest;
}

static bool low_groups_in_input_order(const View *v, uint32_t mask) {
  uint32_t *const index_of = view_input_indices(v);
  bool in_order = true;
  for (size_t i = 1; i < v->n; i++)
    if (((v->keys.out[i - 1] ^ v->keys.out[i]) & mask) == 0 && index_of[i - 1] > index_of[i])
      in_order = false;
  free(index_of);
  return in_order;
}

// Where nearly all keys have the same low bits, any output may be in their order.
static bool find_low_bits(const View *v, Shape *shape) {
  enum { FEW = 8 };
  int bits = 31;
  while (bits > 0 && !ascending_under(v->keys.out, v->n, 0, (1u << bits) - 1)) bits--;
  if (bits == 0 || v->n - longest_run(v->keys.out, v->n, (1u << bits) - 1) < FEW) return false;
  const Place place = first_descent(v, true);
  if (bits == 31)
    return FOUND(shape, true, MISTAKE_BIT_31,
                 "bit 31 was forgotten: the keys are in the order of bits 0 to 30 (%s)",
                 place.text);
  if (!low_groups_in_input_order(v, (1u << bits) - 1))
    return FOUND(shape, true, MISTAKE_LOW_BITS,
                 "in the order of bits 0 to %d only, and not in input order where these are equal, "
                 "as after passes from the highest digit to the lowest (%s)",
                 bits - 1, place.text);
  return FOUND(shape, true, MISTAKE_LOW_BITS,
               "sorted only up to bit %d: the keys are in the order of their %d lowest bits (%s)",
               bits - 1, bits, place.text);
}

// The order inside groups of equal high bits: how many groups and neighbours in one group there
// are, how many of the neighbours have a smaller key behind a larger one, how many groups are
// large, how many of the large ones are sorted, and whether all groups are in input order.
typedef struct Groups {
  size_t count, neighbours, descents, large, large_sorted;
  bool input_order;
} Groups;

// index_of[i]: where the element at output index i stood in the input.
static Groups look_at_groups(const View *v, int shift, const uint32_t *index_of) {
  Groups groups = {.input_order = true};
  for (size_t begin = 0, end; begin < v->n; begin = end) {
    size_t descents = 0;
    for (end = begin + 1; end < v->n && v->keys.out[end] >> shift == v->keys.out[begin] >> shift;) {
      descents += v->keys.out[end - 1] > v->keys.out[end];
      groups.input_order = groups.input_order && index_of[end - 1] < index_of[end];
      end++;
    }
    groups.count++;
    groups.neighbours += end - begin - 1;
    groups.descents += descents;
    groups.large += end - begin >= ENOUGH;
    groups.large_sorted += end - begin >= ENOUGH && descents == 0;
  }
  return groups;
}

// Are the groups in disorder everywhere, not at some places as after a race?
static bool in_disorder(Groups groups) {
  enum { FEW_GROUPS = 8 };
  return groups.count >= FEW_GROUPS && groups.large_sorted == 0 &&
         (groups.large >= FEW_GROUPS || groups.descents * 4 >= groups.neighbours);
}

// The number of lowest bits by which each group of equal high bits is in order.
static int low_bits_of_groups(const View *v, int shift) {
  int bits = shift - 1;
  for (size_t i = 1; i < v->n; i++) {
    const uint32_t before = v->keys.out[i - 1], key = v->keys.out[i];
    if (before >> shift != key >> shift) continue;
    while (bits > 0 && (before & ((1u << bits) - 1)) > (key & ((1u << bits) - 1))) bits--;
  }
  return bits;
}

// In the order of the highest bits, and the bits below are in disorder, not at one place or two:
// digits were never sorted, or the last pass undid the passes before it. In the order of a few
// groups another sort may be by chance, such as one whose last merges are missing.
static bool find_high_bits(const View *v, Shape *shape) {
  int shift = 1;
  while (shift < 32 && !ascending_under(v->keys.out, v->n, 0, ~0u << shift)) shift++;
  if (shift == 32 || longest_run(v->keys.out, v->n, ~0u << shift) == v->n) return false;
  uint32_t *const index_of = view_input_indices(v);
  const Groups groups = look_at_groups(v, shift, index_of);
  free(index_of);
  if (groups.descents < 4 || groups.descents * 100 < groups.neighbours) return false;
  const Place place = first_descent(v, true);
  if (groups.input_order)
    return FOUND(shape, true, MISTAKE_HIGH_BITS,
                 "sorted only from bit %d up: elements that differ in lower bits alone are in "
                 "input order (%s)",
                 shift, place.text);
  const int low = low_bits_of_groups(v, shift);
  const size_t many = low < 4 ? 64 : 16;  // of one bit, chance orders more of them
  if (low > 0 && groups.neighbours >= many)
    return FOUND(shape, true, MISTAKE_HIGH_BITS,
                 "bits %d to %d were left out: the keys are in the order of bits %d to 31 and, "
                 "where these are equal, of bits 0 to %d (%s, %zu such places)",
                 low, shift - 1, shift, low - 1, place.text, groups.descents);
  if (!in_disorder(groups)) return false;
  return FOUND(
      shape, true, MISTAKE_UNSTABLE,
      "in the order of bits %d to 31 only; usual causes: a last pass that is not stable, which "
      "undoes the passes before it, or lower bits that were left out (%s, %zu such places)",
      shift, place.text, groups.descents);
}

// All keys are there, in the wrong order.
static bool find_order(const View *v, Shape *shape) {
  const size_t n = v->n;
  const bool enough = n >= ENOUGH && is_varied(v);
  if (same(v->keys.out, v->keys.in, v->bytes) && ascending_under(v->keys.in, n, ~0u, ~0u))
    return FOUND(shape, false, MISTAKE_UNSORTED,
                 "the output is the input, which is in descending order: not sorted, or sorted in "
                 "that order (%s)",
                 first_descent(v, false).text);
  if (same(v->keys.out, v->keys.in, v->bytes))
    return FOUND(shape, false, MISTAKE_UNSORTED,
                 "the output is the input, unsorted: all %zu keys are in input order (%s)", n,
                 first_descent(v, false).text);
  if (ascending_under(v->keys.out, n, ~0u, ~0u))
    return FOUND(shape, enough, MISTAKE_DESCENDING, "sorted in descending order (%s, the largest)",
                 first_wrong(v, KEYS_OUT).text);
  if (ascending_under(v->keys.out, n, 1u << 31, ~0u))
    return FOUND(
        shape, enough, MISTAKE_SIGNED,
        "in the order of signed numbers: keys with bit 31 come first (index 0: expected key "
        "0x%08" PRIx32 ", found 0x%08" PRIx32 ")",
        v->keys.sorted[0], v->keys.out[0]);
  if (enough && (find_low_bits(v, shape) || find_high_bits(v, shape))) return true;
  return false;
}

// ---- whole arrays -------------------------------------------------------------------------------

static bool find_untouched(const View *v, Shape *shape) {
  const bool keys = count_untouched(v, KEYS_OUT) == v->n;
  const bool positions = count_untouched(v, POSITIONS_OUT) == v->n;
  if (keys && positions)
    return FOUND(shape, false, MISTAKE_NOTHING_WRITTEN,
                 "nothing was written: all %zu keys%s of the output are as they were "
                 "before the sort (index 0: expected key %" PRIu32 ", found the old %" PRIu32 ")",
                 v->n, v->trial->bare_keys ? "" : " and positions", v->keys.sorted[0],
                 v->keys.out[0]);
  const Side *const side = keys ? &v->keys : &v->positions;
  if (keys || positions)
    return FOUND(shape, false, MISTAKE_NOTHING_WRITTEN,
                 "no %s was written: all %zu of the output are as they were before the sort (index "
                 "0: expected %" PRIu32 ", found the old %" PRIu32 ")",
                 keys ? "key" : "position", v->n, side->sorted[0], side->out[0]);
  return false;
}

// Where positions are the same as keys, as of bare keys, there is nothing to exchange: false.
static bool find_exchanged(const View *v, Shape *shape) {
  if (same_values(v->keys.out, v->keys.in, v->n) ||
      !same_values(v->keys.out, v->positions.in, v->n) ||
      !same_values(v->positions.out, v->keys.in, v->n))
    return false;
  return FOUND(shape, v->n >= ENOUGH, MISTAKE_EXCHANGED,
               "keys and positions are exchanged: d_outputVals holds all positions, d_outputPos "
               "all keys (%s)",
               first_wrong(v, KEYS_OUT).text);
}

static size_t in_place(const Side *side, size_t n) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += side->out[i] == side->sorted[i];
  return count;
}

// The inputs hold the right values, but is the output neither of an earlier pass nor copied in
// part? Every place was written, and nearly all are right, or in an order that no pass leaves, or
// new.
static bool is_no_pass(const View *v, TrialArray array) {
  enum { FEW = 8 };  // 1 / FEW of the places
  const Side *const side = side_of(v, array);
  size_t first = 0;
  uint32_t owner = 0;
  if (v->n < ENOUGH || count_untouched(v, array) > 0) return false;
  if (v->n - in_place(side, v->n) < v->n / FEW) return true;
  if (compare_elements(side->in, side->out, v->n).invented > 0) return true;
  if (array == POSITIONS_OUT) return count_apart(v, &first, &owner) == 0;
  return ascending_under(side->out, v->n, ~0u, ~0u) ||
         ascending_under(side->out, v->n, 1u << 31, ~0u);
}

static bool name_last_pass(const View *v, TrialArray array, Shape *shape) {
  const bool keys = array == KEYS_OUT;
  const Side *const side = side_of(v, array);
  const char *const from = keys ? "d_inputVals" : "d_inputPos", *const to = keys ? "d_outputVals"
                                                                                 : "d_outputPos";
  if (!same_values(side->out, side->in, v->n))
    return FOUND(shape, true, MISTAKE_LAST_PASS,
                 "the %s not copied back as a whole: %s holds all %zu %s, %s has %zu of them in "
                 "their places (%s)",
                 keys ? "result was" : "positions were", from, v->n,
                 keys ? "sorted keys" : "in the right order", to, in_place(side, v->n),
                 first_wrong(v, array).text);
  return FOUND(shape, true, MISTAKE_LAST_PASS,
               "the last pass was not copied back: %s holds the sorted %s, and %s still holds what "
               "an earlier pass left (%s)",
               from, keys ? "keys" : "positions", to, first_wrong(v, array).text);
}

// The result may be where the last of several passes put it: in the inputs.
static bool find_in_inputs(const View *v, Shape *shape) {
  const bool was_sorted = same(v->keys.in, v->keys.sorted, v->bytes);
  const bool keys_there = same(v->trial->after[KEYS_IN], v->keys.sorted, v->bytes);
  const bool positions_there = same(v->trial->after[POSITIONS_IN], v->positions.sorted, v->bytes) &&
                               !same(v->positions.in, v->positions.sorted, v->bytes);
  const bool keys_wrong = !same(v->keys.out, v->keys.sorted, v->bytes);
  const bool positions_wrong = !same(v->positions.out, v->positions.sorted, v->bytes);
  if (was_sorted || v->n < 2) return false;
  if (keys_wrong && keys_there && count_untouched(v, KEYS_OUT) == v->n &&
      count_untouched(v, POSITIONS_OUT) == v->n)
    return FOUND(shape, true, MISTAKE_LEFT_IN_INPUTS,
                 "the result was left in the inputs: all %zu sorted keys are in d_inputVals, and "
                 "the outputs were never written (index 0: expected key %" PRIu32
                 ", found the old %" PRIu32 ")",
                 v->n, v->keys.sorted[0], v->keys.out[0]);
  if (keys_wrong && keys_there && is_varied(v) && !is_no_pass(v, KEYS_OUT))
    return name_last_pass(v, KEYS_OUT, shape);
  if (!keys_wrong && positions_wrong && positions_there && !is_no_pass(v, POSITIONS_OUT))
    return name_last_pass(v, POSITIONS_OUT, shape);
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
    if (v->keys.out[i - 1] <= v->keys.out[i]) continue;
    descents++;
    step = greatest_common_divisor(step, i);
  }
  const Place place = first_descent(v, false);
  if (are_blocks(step, descents))
    (void)FOUND(
        shape, false, MISTAKE_ABOVE_BLOCK,
        "sorted only within blocks of %zu: %zu blocks start with a smaller key than the one "
        "before (%s)",
        step, descents, place.text);
  else
    (void)FOUND(shape, false, MISTAKE_OTHER, "out of order at %zu place%s (%s)", descents,
                descents == 1 ? "" : "s", place.text);
}

Shape diagnose_shape(const Trial *trial, const TrialReference *reference, bool stable) {
  const View v = {trial,
                  trial->n,
                  trial->n * sizeof(uint32_t),
                  {trial->keys, trial->after[KEYS_OUT], reference->keys},
                  {trial->positions, trial->after[POSITIONS_OUT], reference->positions}};
  Shape shape = {0};
  if (v.n == 0 || find_exchanged(&v, &shape) || find_in_inputs(&v, &shape) ||
      find_untouched(&v, &shape))
    return shape;
  if (same(v.keys.out, v.keys.sorted, v.bytes)) {
    (void)find_positions(&v, stable, &shape);
    return shape;
  }
  if (find_elements(&v, KEYS_OUT, &shape) || find_order(&v, &shape)) return shape;
  describe_disorder(&v, &shape);
  return shape;
}
