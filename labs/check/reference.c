#include "labs/check/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t *input;
static size_t elements;         // of the input
static uint32_t *pass_keys;     // input of the current pass
static uint32_t shift_of_pass;  // the pass that pass_keys belongs to
static unsigned int pass;

static uint32_t *allocate(size_t count) {
  uint32_t *const values = calloc(count + 1, sizeof *values);
  if (values == NULL) exit(2);
  return values;
}

void reference_begin(const uint32_t *keys, size_t count) {
  input = keys;
  elements = count;
  pass_keys = allocate(elements);
  memcpy(pass_keys, keys, elements * sizeof *keys);
  shift_of_pass = 0;
  pass = 0;
}

static uint32_t digit_of(uint32_t key, const LabRecord *record) {
  return (uint32_t)((uint64_t)key >> record->shift & (((uint64_t)1 << record->bits) - 1));
}

// Stable sort of keys[begin, end) by the record's digit, into `to`.
static void sort_by_digit(const LabRecord *record, const uint32_t *keys, uint32_t *to, size_t begin,
                          size_t end) {
  const size_t bins = (size_t)1 << record->bits;
  uint32_t *const start = allocate(bins + 1);
  for (size_t i = begin; i < end; i++) start[digit_of(keys[i], record) + 1]++;
  for (size_t bin = 0; bin < bins; bin++) start[bin + 1] += start[bin];
  for (size_t i = begin; i < end; i++) to[begin + start[digit_of(keys[i], record)]++] = keys[i];
  free(start);
}

// Moves pass_keys on to the record's pass. The keys before a pass are the input, sorted by all bits
// below its shift.
static void enter_pass(const LabRecord *record) {
  if (record->shift == shift_of_pass) return;
  pass = record->shift < shift_of_pass ? 0 : pass + 1;
  shift_of_pass = record->shift;
  memcpy(pass_keys, input, elements * sizeof *input);
  uint32_t *const other = allocate(elements);
  for (uint32_t bit = 0; bit < record->shift && bit < 32; bit++) {
    const LabRecord one = {.shift = bit, .bits = 1};
    sort_by_digit(&one, pass_keys, other, 0, elements);
    memcpy(pass_keys, other, elements * sizeof *other);
  }
  free(other);
}

static int by_value(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void reference_keys(const LabRecord *record, const uint32_t *keys) {
  enter_pass(record);
  if (record->count == elements) memcpy(pass_keys, keys, elements * sizeof *keys);
}

static void sort_runs(uint32_t *values, size_t n, size_t width) {
  for (size_t begin = 0; begin < n; begin += width)
    qsort(values + begin, n - begin < width ? n - begin : width, sizeof *values, by_value);
}

void reference_sort_parts(const LabRecord *record, uint32_t *actual) {
  if (record->part > 1) sort_runs(actual, record->count, record->part);
}

bool reference_array(const LabRecord *record, Expected *expected) {
  if (record->bits > 16 || record->shift > 31) return false;
  const size_t n = elements, whole = n == 0 ? 1 : n;
  if (record->part != 0) {
    *expected = (Expected){.values = allocate(n), .count = n, .width = record->tile};
    memcpy(expected->values, input, n * sizeof *input);
    sort_runs(expected->values, n, record->tile == 0 ? whole : record->tile);
    return true;
  }
  enter_pass(record);
  const char *const name = record->name;
  const size_t tile = record->tile == 0 || record->tile > n ? whole : record->tile;
  const size_t tiles = (whole + tile - 1) / tile, bins = (size_t)1 << record->bits;
  *expected = (Expected){.tiles = tiles, .pass = pass, .count = n};
  uint32_t *const tiled = allocate(n);  // each tile sorted by its digit
  for (size_t begin = 0; begin < n; begin += tile)
    sort_by_digit(record, pass_keys, tiled, begin, begin + tile < n ? begin + tile : n);
  const bool table = strcmp(name, "hist") == 0 || strcmp(name, "scan") == 0;
  uint32_t *const values = expected->values = allocate(table ? bins * tiles + 1 : n + 1);
  bool known = true;
  if (table) {
    expected->bins = bins;
    expected->count = bins * tiles + (strcmp(name, "scan") == 0);
    for (size_t i = 0; i < n; i++) values[digit_of(pass_keys[i], record) * tiles + i / tile]++;
    uint32_t sum = 0;
    for (size_t i = 0; i < expected->count && strcmp(name, "scan") == 0; i++) {
      const uint32_t count = values[i];
      values[i] = sum;
      sum += count;
    }
  } else if (strcmp(name, "ones") == 0) {
    expected->count = n + 1;
    for (size_t i = 0; i < n; i++) values[i + 1] = values[i] + digit_of(pass_keys[i], record);
  } else if (strcmp(name, "rank") == 0 || strcmp(name, "tile_rank") == 0) {
    const uint32_t *const keys = name[0] == 't' ? tiled : pass_keys;
    uint32_t *const seen = allocate(bins);
    for (size_t i = 0; i < n; i++) {
      if (i % tile == 0) memset(seen, 0, bins * sizeof *seen);
      values[i] = seen[digit_of(keys[i], record)]++;
    }
    free(seen);
  } else if (strcmp(name, "digit") == 0 || strcmp(name, "tile_digit") == 0) {
    for (size_t i = 0; i < n; i++)
      values[i] = digit_of(name[0] == 't' ? tiled[i] : pass_keys[i], record);
  } else if (strcmp(name, "keys") == 0 || strcmp(name, "tile") == 0) {
    memcpy(values, name[0] == 't' ? tiled : pass_keys, n * sizeof *values);
  } else if (strcmp(name, "sorted") == 0) {
    sort_by_digit(record, pass_keys, values, 0, n);
  } else {
    known = false;
    free(values);
  }
  free(tiled);
  return known;
}

void reference_place(const Expected *expected, size_t i, char *text, size_t size) {
  if (expected->width != 0)
    snprintf(text, size, "at index %zu, in runs of %zu", i, expected->width);
  else if (expected->bins == 0 || i >= expected->bins * expected->tiles)
    snprintf(text, size, "in pass %u at index %zu", expected->pass, i);
  else if (expected->tiles == 1)
    snprintf(text, size, "in pass %u at bin %zu", expected->pass, i);
  else
    snprintf(text, size, "in pass %u at bin %zu of tile %zu", expected->pass, i / expected->tiles,
             i % expected->tiles);
}

static uint64_t sum_of(const uint32_t *values, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += values[i];
  return sum;
}

// Do the first `count` values of actual equal the expected ones, `offset` places on and `more`
// greater?
static bool is_shifted(const uint32_t *actual, const Expected *expected, size_t count,
                       size_t offset, uint32_t more) {
  for (size_t i = 0; i < count && i + offset < expected->count; i++)
    if (actual[i] != expected->values[i + offset] + more) return false;
  return count > 1;
}

// Are they its values one place further on, behind a zero?
static bool is_late(const uint32_t *actual, const Expected *expected, size_t count) {
  for (size_t i = 0; i + 1 < count; i++)
    if (actual[i + 1] != expected->values[i]) return false;
  return count > 1 && actual[0] == 0;
}

// The wrong value that memory has before anything is written; 0 if there is none.
static uint32_t unwritten_value(const uint32_t *actual, const Expected *expected, size_t count) {
  static const uint32_t fills[] = {0xdbdbdbdb,   // new memory on the cpu backend
                                   0xa5a5a5a5};  // the sort's outputs (worker.c)
  for (size_t i = 0; i < count; i++)
    for (size_t fill = 0; fill < sizeof fills / sizeof *fills; fill++)
      if (actual[i] == fills[fill] && expected->values[i] != fills[fill]) return fills[fill];
  return 0;
}

// What was counted on top of 0xdbdbdbdb, in an array that holds no keys; 0 if nothing was.
static uint32_t counted_on_top(const char *name, const uint32_t *actual, size_t count) {
  static const char *const counts[] = {"hist", "scan", "ones", "rank", "tile_rank"};
  bool is_counts = false;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    is_counts = is_counts || strcmp(name, counts[i]) == 0;
  for (size_t i = 0; i < count && is_counts; i++)
    if (actual[i] > 0xdbdbdbdb && actual[i] - 0xdbdbdbdb <= elements) return actual[i] - 0xdbdbdbdb;
  return 0;
}

static bool is_transposed(const uint32_t *actual, const Expected *expected) {
  for (size_t bin = 0; bin < expected->bins; bin++)
    for (size_t tile = 0; tile < expected->tiles; tile++)
      if (actual[tile * expected->bins + bin] != expected->values[bin * expected->tiles + tile])
        return false;
  return expected->tiles > 1;
}

static bool is_digit_of(const LabRecord *record, const uint32_t *actual, uint32_t shift,
                        uint32_t mask) {
  for (size_t i = 0; i < record->count; i++)
    if (actual[i] != (pass_keys[i] >> shift & mask)) return false;
  return true;
}

void reference_guess(const Expected *expected, const LabRecord *record, const uint32_t *actual,
                     char *text, size_t size) {
  const char *const name = record->name;
  const size_t count = record->count;
  const uint32_t mask = (uint32_t)(((uint64_t)1 << record->bits) - 1);
  text[0] = '\0';
  const uint32_t on_top = counted_on_top(name, actual, count);
  const uint32_t unwritten = unwritten_value(actual, expected, count);
  const bool scan = strcmp(name, "scan") == 0 || strcmp(name, "ones") == 0;
  if (scan && is_shifted(actual, expected, count, 1, 0)) {
    snprintf(text, size, " (an inclusive scan?)");
  } else if (on_top != 0) {
    snprintf(text, size, " (0xdbdbdbdb and %u counted: cleared before the pass?)", on_top);
  } else if (unwritten != 0) {
    snprintf(text, size, " (0x%x: is it written?)", unwritten);
  } else if (sum_of(actual, count) == 0) {
    snprintf(text, size, " (all zero: is it written?)");
  } else if (is_shifted(actual, expected, count, 0, 1)) {
    snprintf(text, size, " (one too many everywhere: does it count itself?)");
  } else if (strcmp(name, "hist") == 0) {
    const uint64_t sum = sum_of(actual, count);
    if (count == expected->bins * expected->tiles && is_transposed(actual, expected))
      snprintf(text, size, " (block by block? the table has a row per bin)");
    else if (is_shifted(actual, expected, count, 1, 0) || is_late(actual, expected, count))
      snprintf(text, size, " (each count one place too %s: is it the right address?)",
               is_late(actual, expected, count) ? "late" : "early");
    else if (sum < elements)
      snprintf(text, size, " (%llu of %zu counted: are the additions atomic?)",
               (unsigned long long)sum, elements);
    else if (sum > elements)
      snprintf(text, size, " (%llu counted of %zu: cleared before the pass? i < n tested?)",
               (unsigned long long)sum, elements);
  } else if (strcmp(name, "digit") == 0) {
    if (is_digit_of(record, actual, record->shift, UINT32_MAX))
      snprintf(text, size, " (no mask?)");
    else if (is_digit_of(record, actual, 0, mask))
      snprintf(text, size, " (not shifted?)");
    else if (is_digit_of(record, actual, 0, mask << record->shift))
      snprintf(text, size, " (masked, but not shifted down?)");
  } else if (strcmp(name, "keys") == 0 && expected->pass > 0) {
    if (memcmp(actual, input, count * sizeof *actual) == 0)
      snprintf(text, size, " (the input again: are the buffers exchanged?)");
  }
}
