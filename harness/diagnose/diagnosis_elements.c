// Lost, doubled and invented elements, and positions without their keys.
#include <inttypes.h>
#include <stdlib.h>

#include "harness/diagnose/diagnosis_parts.h"

size_t view_untouched(const Trial *trial, TrialArray array, size_t *first) {
  size_t count = 0;
  for (size_t i = trial->n; i-- > 0;)
    if (trial->after[array][i] == trial_before(trial, array, (int64_t)i)) {
      count++;
      *first = i;
    }
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

uint32_t *view_input_indices(const View *v) {
  uint32_t *const indices = host_memory(v->n, sizeof *indices);
  Indexed *const in = index_values(v->positions, v->n);
  Indexed *const out = index_values(v->positions_out, v->n);
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

bool same_values(const uint32_t *a, const uint32_t *b, size_t n) {
  uint64_t difference = 0;  // of their sums: spares most arrays the sorts
  for (size_t i = 0; i < n; i++) difference += (uint64_t)a[i] - b[i];
  return difference == 0 && compare_elements(a, b, n).lost == 0;
}

bool find_elements(const View *v, TrialArray array, Shape *shape) {
  const bool keys = array == KEYS_OUT;
  const char *const what = keys ? "key" : "position";
  const uint32_t *const out = keys ? v->keys_out : v->positions_out;
  const uint32_t *const sorted = keys ? v->sorted_keys : v->sorted_positions;
  const Elements e = compare_elements(keys ? v->keys : v->positions, out, v->n);
  if (e.lost == 0) return false;
  size_t first = 0;
  const size_t unwritten = view_untouched(v->trial, array, &first);
  if (unwritten > 0)
    return FOUND(shape, false, MISTAKE_LOST,
                 "%ss lost: %zu of %zu; places of the output that were never written: %zu (index "
                 "%zu: expected %" PRIu32 ", found the old %" PRIu32 ")",
                 what, e.lost, v->n, unwritten, first, sorted[first], out[first]);
  if (e.invented > 0)
    return FOUND(shape, false, MISTAKE_INVENTED,
                 "%ss invented: %zu of %zu, which the input does not have (index %zu: expected "
                 "%" PRIu32 ", found %" PRIu32 ")",
                 what, e.invented, v->n, e.invented_place, sorted[e.invented_place],
                 out[e.invented_place]);
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
  if (same(v->positions_out, v->sorted_positions, v->bytes)) return false;
  size_t counted = 0;
  while (counted < v->n && v->positions[counted] == counted) counted++;
  if (counted == v->n) return false;
  bool *const seen = host_memory(v->n, sizeof *seen);
  bool each_once = true;
  for (size_t i = 0; i < v->n && each_once; i++) {
    const uint32_t position = v->positions_out[i];
    each_once = position < v->n && !seen[position] && v->keys[position] == v->keys_out[i];
    if (each_once) seen[position] = true;
  }
  free(seen);
  return each_once;
}

bool find_positions(const View *v, bool stable, Shape *shape) {
  const size_t n = v->n, i = first_difference(v->positions_out, v->sorted_positions, n);
  const bool enough = n >= ENOUGH;
  if (i == n) return false;
  if (same(v->positions_out, v->positions, v->bytes))
    return FOUND(
        shape, enough, MISTAKE_POSITIONS_UNMOVED,
        "the keys are right, but the positions were not moved with them: they are in input "
        "order (index %zu: expected position %" PRIu32 ", found %" PRIu32 ")",
        i, v->sorted_positions[i], v->positions_out[i]);
  if (counts_elements(v))
    return FOUND(shape, enough, MISTAKE_POSITIONS_UNMOVED,
                 "the positions are indices that the sort counted itself, not those of d_inputPos "
                 "(index %zu: expected position %" PRIu32 ", found %" PRIu32 ")",
                 i, v->sorted_positions[i], v->positions_out[i]);
  if (find_elements(v, POSITIONS_OUT, shape)) return true;
  uint32_t *const index_of = view_input_indices(v);
  size_t apart = 0, first = n;
  for (size_t k = n; k-- > 0;)
    if (v->keys[index_of[k]] != v->keys_out[k]) {
      apart++;
      first = k;
    }
  const uint32_t owner = first < n ? v->keys[index_of[first]] : 0;
  free(index_of);
  if (apart > 0)
    return FOUND(shape, enough, MISTAKE_POSITIONS_APART,
                 "the keys are right, but positions were moved without their keys: %zu of %zu are "
                 "with another key (index %zu: key %" PRIu32 " has the position of key %" PRIu32
                 ")",
                 apart, n, first, v->keys_out[first], owner);
  if (!stable) return false;
  return FOUND(shape, enough, MISTAKE_UNSTABLE,
               "not stable, as the version claims to be: equal keys changed their order (index "
               "%zu, key %" PRIu32 ": expected position %" PRIu32 ", found %" PRIu32 ")",
               i, v->keys_out[i], v->sorted_positions[i], v->positions_out[i]);
}
