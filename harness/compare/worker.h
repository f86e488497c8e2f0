// The measuring side: makes each workload once, sorts it with every version, reports every row.
#ifndef HARNESS_COMPARE_WORKER_H
#define HARNESS_COMPARE_WORKER_H

#include "harness/compare/plan.h"

// From the measuring side to the printing side. No pointers: it may cross a socket.
typedef struct Report {
  enum { REPORT_CONDITIONS, REPORT_STARTED, REPORT_DONE } kind;
  Conditions conditions;  // of REPORT_CONDITIONS
  RowStatus status;       // from here on of REPORT_DONE
  char message[700];
  Measurement measured;
  Printed printed;
} Report;

typedef void Deliver(const Report *report, void *context);

// Measures rows[first..] on the device and delivers a report for each. Makes CUDA calls.
void worker_run(const Request *request, const Plan *plan, size_t first, Deliver *deliver,
                void *context);

#endif
