// All outputs of a comparison: standard output in --format, and the file of each --export.
#ifndef HARNESS_COMPARE_OUTPUTS_H
#define HARNESS_COMPARE_OUTPUTS_H

#include "harness/compare/output.h"
#include "harness/process/save_file.h"

typedef struct OpenOutput {
  Output output;
  const OutputFormat *format;
  RowOrder order;
  SaveFile file;   // of an export; of standard output only stream and error are used
  size_t printed;  // rows before it have been printed
} OpenOutput;

typedef struct Outputs {
  OpenOutput open[1 + MAX_EXPORTS];  // standard output comes first
  int count;
} Outputs;

// Opens the files, so that a path that cannot be written ends the program with EXIT_USAGE before
// anything is measured. `comparison` must stay where it is.
void outputs_open(Outputs *outputs, const Comparison *comparison);

// The conditions are known.
void outputs_begin(Outputs *outputs);

// Rows before `done` have been measured. Prints those that wait for no other row: rows of a sweep
// wait for each other, because the best one is marked, and where rows are ordered those of a group
// do. With `all` nothing waits.
void outputs_advance(Outputs *outputs, size_t done, bool all);

// Ends every output and puts the files in their places. Ends the program with EXIT_USAGE if one
// could not be written.
void outputs_end(Outputs *outputs);

// Leaves no file behind.
void outputs_drop(Outputs *outputs);

#endif
