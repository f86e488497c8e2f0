// One row: an input of one size, sorted, judged and timed.
#ifndef MULTI_ROW_H
#define MULTI_ROW_H

#include "multi/way.h"

typedef struct Row {
  // The input
  const Way *way;
  const char *input;  // name of the input, or the file
  uint64_t n;
  bool pairs;
  // Results, the same on all ranks
  Judgement judgement;
  int repetitions;                  // 0: a wrong result, nothing was timed
  double median_ms, min_ms, noise;  // barrier to barrier, the slowest rank of each run
  double
      stage_ms[MOST_STAGES];  // medians over runs of their own, of the slowest rank; 0: not timed
  uint64_t received;          // elements that the rank that received most got from others
  double share_ms, all_ms;    // one device sorts a share, one sorts everything; 0: not timed
  double copy_bytes_per_second;  // host_way: in plus out, all ranks; 0: not measured
} Row;

// How to measure.
typedef struct RowPlan {
  int repetitions;
  bool stages, baselines, progress;
  const char *output, *output_positions;  // files for the result, or NULL
} RowPlan;

// Collective: fills in the results. A wrong result ends the measurement of this row.
void row_measure(Row *row, const Job *job, const RowPlan *plan);

#endif
