// Rows on standard output and in files: a table, csv or json.
#ifndef MULTI_REPORT_H
#define MULTI_REPORT_H

#include "harness/measure/conditions.h"
#include "multi/request.h"
#include "multi/row.h"

typedef struct Report {
  const World *world;
  const Request *request;
  const char *transport;
  Conditions conditions;  // of rank 0
  const Row *rows;
  int count;
} Report;

// Whether the files of --export can be written; returns false and a sentence if not. Only rank 0
// calls it, before anything is sorted.
bool report_check(const Request *request, Message *message);

// Writes all rows; only rank 0 calls it. Returns false and a sentence if a file of --export cannot
// be written.
bool report_write(const Report *report, Message *message);

#endif
