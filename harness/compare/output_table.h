// table: for reading on a terminal; a group per input, a line per version, a bar for its ratio.
#ifndef HARNESS_COMPARE_OUTPUT_TABLE_H
#define HARNESS_COMPARE_OUTPUT_TABLE_H

#include "harness/compare/output.h"

extern const OutputFormat table_format;

#endif
