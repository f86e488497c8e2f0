// A comparison, as every output gets it: the request, its rows, and where they were measured.
#ifndef HARNESS_COMPARE_COMPARISON_H
#define HARNESS_COMPARE_COMPARISON_H

#include "harness/compare/plan.h"

typedef struct Comparison {
  const Request *request;
  Plan *plan;
  Conditions conditions;  // known once a worker has started
  bool interrupted;       // by Ctrl-C: the rows that have been measured are complete
} Comparison;

#endif
