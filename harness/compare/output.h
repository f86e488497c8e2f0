// What compare prints: standard output in --format, the file of each --export, and sentences.
#ifndef HARNESS_COMPARE_OUTPUT_H
#define HARNESS_COMPARE_OUTPUT_H

#include <stdio.h>

#include "harness/compare/plan.h"
#include "harness/process/save_file.h"

// The request, its rows, and where they were measured.
typedef struct Comparison {
  const Request *request;
  Plan *plan;
  Conditions conditions;  // known once a worker has started
  bool interrupted;       // by Ctrl-C: the rows that have been measured are complete
} Comparison;

// ---- formats ------------------------------------------------------------------------------------

// Standard output, or the file of an --export.
typedef struct Output {
  FILE *to;
  const Comparison *comparison;
  const struct OutputFormat *format;
  void *state;  // of the format, from begin to end
  RowOrder order;
  SaveFile file;   // of standard output only stream and error are used
  size_t printed;  // rows before it have been printed
} Output;

// A format gets the beginning (conditions are known then), rows group by group, and the end, also
// after Ctrl-C, unless `end` is NULL.
typedef struct OutputFormat {
  RowOrder order;  // of a group's rows, without --sort
  void (*begin)(Output *output);
  void (*row)(Output *output, const Row *row);
  void (*end)(Output *output);
} OutputFormat;

// For reading on a terminal: a group per input, a line per version, a bar for its ratio.
extern const OutputFormat table_format;

// A line per row, for spreadsheets and for documents.
extern const OutputFormat csv_format, md_format;

// The record that the report reads; report/results/README.md describes its schema.
extern const OutputFormat json_format;

// ---- all outputs of a comparison ----------------------------------------------------------------

typedef struct Outputs {
  Output open[1 + MAX_EXPORTS];  // standard output comes first
  int count;
} Outputs;

// Opens the files, so that a path that cannot be written ends the program with EXIT_USAGE before
// anything is measured. `comparison` must stay where it is.
void outputs_open(Outputs *outputs, const Comparison *comparison);

// The conditions are known.
void outputs_begin(Outputs *outputs);

// Rows before `done` have been measured. Prints those that wait for no other row: rows of a sweep
// wait for each other, because the best one is marked, and where rows are ordered the rows of a
// group do. With `all` nothing waits.
void outputs_advance(Outputs *outputs, size_t done, bool all);

// Ends every output and puts the files in their places. Ends the program with EXIT_USAGE if one
// could not be written.
void outputs_end(Outputs *outputs);

// Leaves no file behind.
void outputs_drop(Outputs *outputs);

// ---- sentences ----------------------------------------------------------------------------------

// "radix_v7 is fastest, 3.97 (+- 0.10) times thrust_ref" into text[size]: the fastest row of a
// group and how many times as fast as the baseline it is, or, if it is the baseline or there is
// none, as the next row. The uncertainty combines the noise of both medians (95% confidence). A
// second clause names what is as fast within that noise. Returns false, with an empty text, if
// fewer than two rows of the group have times.
bool summary_of_group(const Plan *plan, int group, char *text, size_t size);

// Prints on stderr one sentence about noisy rows and one about suspicious ones, if there are any.
// If standard output is csv or md, also the facts that these formats have no place for: versions
// that were left out, and for csv an interruption.
void summary_warn(const Comparison *comparison);

#endif
