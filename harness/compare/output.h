// How a format prints a comparison, to standard output or to a file.
#ifndef HARNESS_COMPARE_OUTPUT_H
#define HARNESS_COMPARE_OUTPUT_H

#include <stdio.h>

#include "harness/compare/comparison.h"

typedef struct Output {
  FILE *to;
  const Comparison *comparison;
  void *state;  // of the format, from begin to end
} Output;

// A format gets the beginning (conditions are known then), rows group by group, and the end, also
// after Ctrl-C.
typedef struct OutputFormat {
  RowOrder order;  // of a group's rows, without --sort
  void (*begin)(Output *output);
  void (*row)(Output *output, const Row *row);
  void (*end)(Output *output);
} OutputFormat;

#endif
