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

#include "labs/check/reference.h"

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
    char place[64], guess[100];
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
