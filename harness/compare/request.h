// What compare is asked to do: its command line.
#ifndef HARNESS_COMPARE_REQUEST_H
#define HARNESS_COMPARE_REQUEST_H

#include "harness/compare/sources.h"
#include "harness/measure/measure.h"
#include "harness/process/options.h"

enum {
  MAX_SIZES = 64,
  MAX_SETTINGS = 32,
  MAX_SWEEPS = 2,
  MAX_SWEEP_VALUES = 64,
  MAX_PRINTED = 64,  // the largest n of --print
};

// The order of the rows of a group. A group has one n, source and kind of element.
typedef enum RowOrder {
  ORDER_OF_FORMAT,  // ORDER_TIME for people (table, md), ORDER_GIVEN for programs (csv, json)
  ORDER_TIME,       // fastest first
  ORDER_NAME,       // by version, and of one version as given
  ORDER_GIVEN,      // as measured: the baseline, then the order of the command line
} RowOrder;

typedef struct Sweep {
  const char *version;  // NULL: every version that has the knob
  const char *knob;
  int values[MAX_SWEEP_VALUES];
  int count;
  bool implied;  // not on the command line
} Sweep;

typedef struct Request {
  const char **names;  // versions, or paths of version.so; none: all
  int name_count;
  uint64_t sizes[MAX_SIZES];
  int size_count;
  SourceList sources;
  KeyType type;
  bool keys, pairs, values64;
  Offsets offsets;  // of the arrays
  MeasurePlan plan;
  uint64_t seed;                       // of the inputs
  const char *settings[MAX_SETTINGS];  // "version.knob=value" or "knob=value"
  int setting_count;
  Sweep sweeps[MAX_SWEEPS];
  int sweep_count;
  const char *baseline;  // NULL: none
  bool baseline_given;
  Format format;  // of stdout
  Export exports[MAX_EXPORTS];
  int export_count;
  RowOrder order;
  bool list, print, no_color, in_process, counts;
  const char *image;       // "IMAGE,TEMPLATE" or NULL
  const char *save_input;  // path or NULL
} Request;

// Reads and checks the command line. Ends the program with EXIT_USAGE on a mistake, and with
// EXIT_RIGHT after --help.
Request request_parse(int count, char **arguments);

const char *type_name(KeyType type);  // "u64"

#endif
