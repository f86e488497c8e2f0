// The rows of a request: which version sorts what, with which knobs, in which order.
#ifndef HARNESS_COMPARE_PLAN_H
#define HARNESS_COMPARE_PLAN_H

#include "harness/compare/rows.h"
#include "harness/versions/version_list.h"

// A version that was left out of a group, and why ("slow above 100000").
typedef struct LeftOut {
  const SortVersion *version;
  size_t n;
  int group;
  char reason[80];
} LeftOut;

typedef struct Plan {
  Row *rows;  // group by group
  size_t count;
  LeftOut *left_out;
  size_t left_out_count;
} Plan;

// Makes the rows of a request. On a mistake ends the program with EXIT_USAGE.
Plan plan_make(const Request *request, const VersionList *versions);
void plan_free(Plan *plan);

// The rows before `done` are. If the last of them ends a sweep, marks the sweep's fastest.
void plan_mark_best(const Plan *plan, size_t done);

// The program's, once all rows are done.
int plan_exit_code(const Plan *plan);

#endif
