// --set and --sweep: the knobs of each row.
#ifndef HARNESS_COMPARE_SETTINGS_H
#define HARNESS_COMPARE_SETTINGS_H

#include "harness/compare/rows.h"

// How many rows a version has on one input: one for each combination of its sweeps' values.
int settings_combinations(const Request *request, const SortVersion *version);

// Fills in row->knobs and row->shown: defaults, then --set, then the values of that combination,
// from 0 on. Ends the program with EXIT_USAGE on a value that the knob does not take.
void settings_apply(Row *row, const Request *request, int combination);

// Rejects a --set or --sweep that matches no compared version, and a knob that is swept twice: ends
// the program with EXIT_USAGE.
void settings_require_use(const Request *request, const LoadedVersion *const *chosen, size_t count);

#endif
