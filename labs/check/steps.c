// steps KEYS < RECORDS: compares the arrays that a lab's sort showed (common/lab.h) with what a
// plain radix sort computes. KEYS: a file of the input's 32-bit keys. One line per array name:
//
//   hist: right
//   scan: wrong in pass 0 at bin 3: 7, expected 5 (an inclusive scan?)
//   first: scan                                the array that was wrong before all others
//
// Exit code: 0 all right, 1 something wrong, 2 unreadable.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/lab.h"

// ---- a plain least-significant-digit radix sort -------------------------------------------------

// The right contents of an array.
typedef struct Expected {
  uint32_t *values;  // freed by the caller
  size_t count;
  size_t bins, tiles;  // of a table hist[bin * tiles + tile]; bins 0: one value per element
  size_t width;        // of runs; 0: an array of a pass
  unsigned int pass;   // counted from 0
} Expected;

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

// Starts with the n input keys, which must stay where they are.
static void reference_begin(const uint32_t *keys, size_t count) {
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

// What the sort showed as the keys of the record's pass: its arrays are computed from them, so that
// a mistake in a step shows although an earlier one is missing.
static void reference_keys(const LabRecord *record, const uint32_t *keys) {
  enter_pass(record);
  if (record->count == elements) memcpy(pass_keys, keys, elements * sizeof *keys);
}

static void sort_runs(uint32_t *values, size_t n, size_t width) {
  for (size_t begin = 0; begin < n; begin += width)
    qsort(values + begin, n - begin < width ? n - begin : width, sizeof *values, by_value);
}

// Sorts each part of runs whose parts may be in any order.
static void reference_sort_parts(const LabRecord *record, uint32_t *actual) {
  if (record->part > 1) sort_runs(actual, record->count, record->part);
}

// Computes the array that the record names. Returns false for an unknown name.
static bool reference_array(const LabRecord *record, Expected *expected) {
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

// Writes where element i is: "in pass 0 at bin 3 of tile 1".
static void reference_place(const Expected *expected, size_t i, char *text, size_t size) {
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

// Writes what may be the mistake in parentheses, after a space; an empty string if unknown.
static void reference_guess(const Expected *expected, const LabRecord *record,
                            const uint32_t *actual, char *text, size_t size) {
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

// ---- the records --------------------------------------------------------------------------------

enum { MAX_NAMES = 32 };

typedef struct Line {
  char name[24];
  char wrong[300];  // empty: right so far
} Line;

static Line lines[MAX_NAMES];
static int line_count;
static const Line *first_wrong;
static uint32_t first_shift, keys_shift;  // keys_shift: the pass whose keys were shown
static bool keys_shown;

static void quit(const char *text) {
  fprintf(stderr, "steps: %s\n", text);
  exit(2);
}

static Line *line_of(const char *name) {
  for (int i = 0; i < line_count; i++)
    if (strcmp(lines[i].name, name) == 0) return &lines[i];
  if (line_count == MAX_NAMES) quit("more than 32 names of arrays");
  snprintf(lines[line_count].name, sizeof lines[0].name, "%s", name);
  return &lines[line_count++];
}

static uint32_t *read_file(const char *path, size_t *count) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) quit("cannot read the keys");
  const long bytes = ftell(file);
  rewind(file);
  *count = (size_t)bytes / sizeof(uint32_t);
  uint32_t *const keys = calloc(*count + 1, sizeof *keys);
  if (keys == NULL || fread(keys, sizeof *keys, *count, file) != *count)
    quit("cannot read the keys");
  fclose(file);
  return keys;
}

static void compare(Line *line, const LabRecord *record, const Expected *expected,
                    const uint32_t *actual) {
  if (record->count > expected->count) {
    snprintf(line->wrong, sizeof line->wrong, "wrong: %llu values shown, there are %zu",
             (unsigned long long)record->count, expected->count);
    return;
  }
  for (size_t i = 0; i < record->count; i++) {
    if (actual[i] == expected->values[i]) continue;
    char place[80], guess[100];
    reference_place(expected, i, place, sizeof place);
    reference_guess(expected, record, actual, guess, sizeof guess);
    snprintf(line->wrong, sizeof line->wrong, "wrong %s: %u, expected %u%s", place, actual[i],
             expected->values[i], guess);
    return;
  }
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2) quit("usage: steps KEYS < RECORDS");
  size_t n = 0;
  uint32_t *const keys = read_file(arguments[1], &n);
  reference_begin(keys, n);
  LabRecord record;
  while (fread(&record, sizeof record, 1, stdin) == 1) {
    if (memcmp(record.magic, LAB_MAGIC, sizeof record.magic) != 0 ||
        record.count > 64 * n + (1u << 20))
      quit("a damaged record");
    record.name[sizeof record.name - 1] = '\0';
    uint32_t *const actual = calloc(record.count + 1, sizeof *actual);
    if (actual == NULL || fread(actual, sizeof *actual, record.count, stdin) != record.count)
      quit("an incomplete record: the sort ended early");
    Line *const line = line_of(record.name);
    const bool keys = record.part == 0 && strcmp(record.name, "keys") == 0;
    reference_sort_parts(&record, actual);
    // Later passes follow from the first mistake, unless they show the keys that they begin with.
    const bool from_keys = !keys && keys_shown && record.shift == keys_shift;
    const bool follows = first_wrong != NULL && record.shift != first_shift && !from_keys;
    if (line->wrong[0] == '\0' && !follows) {
      Expected expected;
      if (reference_array(&record, &expected)) {
        compare(line, &record, &expected, actual);
        free(expected.values);
      } else {
        snprintf(line->wrong, sizeof line->wrong, "unknown name: see labs/README.md");
      }
    }
    if (first_wrong == NULL && line->wrong[0] != '\0') {
      first_wrong = line;
      first_shift = record.shift;
    }
    if (keys) {
      reference_keys(&record, actual);
      keys_shift = record.shift;
      keys_shown = true;
    }
    free(actual);
  }
  bool right = true;
  for (int i = 0; i < line_count; i++) {
    right = right && lines[i].wrong[0] == '\0';
    printf("%s: %s\n", lines[i].name, lines[i].wrong[0] == '\0' ? "right" : lines[i].wrong);
  }
  if (first_wrong != NULL) printf("first: %s\n", first_wrong->name);
  free(keys);
  return right ? 0 : 1;
}
