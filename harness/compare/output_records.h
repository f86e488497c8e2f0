// csv and md: a line per row, for spreadsheets and for documents.
#ifndef HARNESS_COMPARE_OUTPUT_RECORDS_H
#define HARNESS_COMPARE_OUTPUT_RECORDS_H

#include "harness/compare/output.h"

extern const OutputFormat csv_format, md_format;

#endif
