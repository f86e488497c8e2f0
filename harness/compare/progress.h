// One line on stderr, only on a terminal: which row is being measured, and the time left.
#ifndef HARNESS_COMPARE_PROGRESS_H
#define HARNESS_COMPARE_PROGRESS_H

#include "harness/compare/plan.h"

// Shows or refreshes the line, at most once a second for the same row.
void progress_show(const Plan *plan, size_t row);

// Removes the line, before anything else is written on the terminal.
void progress_clear(void);

#endif
