// json: the record that the report reads; report/results/README.md describes its schema.
#ifndef HARNESS_COMPARE_OUTPUT_JSON_H
#define HARNESS_COMPARE_OUTPUT_JSON_H

#include "harness/compare/output.h"

extern const OutputFormat json_format;

#endif
