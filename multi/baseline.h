// Baselines of the same run: the times of one device alone, whose difference is the cost of the
// exchange, and bare copies, the bound of a sort of arrays in host memory.
#ifndef MULTI_BASELINE_H
#define MULTI_BASELINE_H

#include "multi/way.h"

// Medians after one run to warm up.
typedef struct Baselines {
  double share_ms;  // each rank sorts as many elements as its share; the slowest rank
  double all_ms;    // rank 0 sorts everything; 0: that does not fit, or there is one rank only
  double copy_bytes_per_second;  // host_way: in plus out at once, of all ranks
} Baselines;

// Collective. What belongs to the other way is 0.
Baselines baselines_measure(const Job *job);

// The median of the times, which get sorted.
double median_of(double *times, int count);

#endif
