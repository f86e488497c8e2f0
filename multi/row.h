// One row: an input of one size, sorted, judged and timed.
#ifndef MULTI_ROW_H
#define MULTI_ROW_H

#include "multi/way.h"

// Of the same run: the times of one device alone, whose difference is the cost of the exchange, of
// two libraries, and bare copies, the bound of a sort of arrays in host memory. Medians after one
// run to warm up.
typedef struct Baselines {
  double share_ms;  // each rank sorts as many elements as its share; the slowest rank
  double all_ms;    // rank 0 sorts everything; 0: that does not fit, or there is one rank only
  double thrust_nccl_ms;  // sample_sort.h; 0: it could not sort this input, or there is no NCCL
  double copy_bytes_per_second;  // host_way: in plus out at once, of all ranks
} Baselines;

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
  double stage_ms[MOST_STAGES];     // medians over separate runs, of the slowest rank; 0: not timed
  uint64_t received;                // elements that the rank that received most got from others
  Baselines baselines;              // 0: not timed
} Row;

// Collective: fills in the results. A wrong result ends the measurement of this row.
void row_measure(Row *row, const Job *job);

#endif
