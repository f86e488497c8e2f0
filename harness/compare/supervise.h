// Has all rows measured and printed, even if the process that measures them crashes or hangs.
#ifndef HARNESS_COMPARE_SUPERVISE_H
#define HARNESS_COMPARE_SUPERVISE_H

#include "harness/compare/plan.h"

// Measures the rows of a plan and prints them as they come in. Returns the program's exit code.
int supervise(const Request *request, Plan *plan);

#endif
