// Baselines of the same run: the times of one device alone. The difference is the cost of the
// exchange.
#ifndef MULTI_BASELINE_H
#define MULTI_BASELINE_H

#include "multi/row.h"

// Collective: fills in share_ms (each rank sorts as many elements as its share; the slowest rank)
// and all_ms (rank 0 sorts everything; 0 if that does not fit or there is one rank only), medians
// of `repetitions` runs after one to warm up. Of host_way: copy_bytes_per_second.
void baseline_measure(Row *row, const Job *job, int repetitions);

#endif
