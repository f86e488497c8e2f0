// What compare's files share: the request from the command line, and rows of results.
#ifndef HARNESS_COMPARE_H
#define HARNESS_COMPARE_H

#include <stdio.h>

#include "common/knobs.h"
#include "harness/device_info.h"
#include "harness/measure.h"

typedef enum Format { FORMAT_TABLE, FORMAT_JSON } Format;

enum { MAX_SIZES = 64, MAX_KINDS = 32, MAX_SETTINGS = 32 };

typedef struct Request {
  const char *const *names;  // versions; none: all
  int name_count;
  size_t sizes[MAX_SIZES];
  int size_count;
  int kinds[MAX_KINDS];  // indices of input_kinds
  int kind_count;
  bool keys, pairs;
  int repetitions;
  uint64_t seed;
  const char *settings[MAX_SETTINGS];  // "version.knob=value"
  int setting_count;
  const char *baseline;
  Format format;
} Request;

// One measurement and what it was of.
typedef struct Row {
  const SortVersion *version;
  size_t n;
  int kind;
  bool pairs;
  int knobs[MAX_KNOBS];  // their values, in the order of version->knobs
  Measurement measured;
  double ratio;  // baseline's median over this one's: 2 is twice as fast; 0 without a baseline
} Row;

// The header: what everything below was measured on.
typedef struct Conditions {
  DeviceInfo device;
  double copy_bytes_per_second;
  char date[32];    // UTC, ISO 8601
  char commit[64];  // with "+changes" when the tree was not clean; "unknown" outside a checkout
} Conditions;

void print_table_header(const Conditions *conditions, const Request *request);
void print_table_row(const Row *row);

// The whole record, schema 1, as JSON (report/results/README.md describes it).
void print_json(const Conditions *conditions, const Request *request, const Row *rows,
                size_t row_count);

#endif
