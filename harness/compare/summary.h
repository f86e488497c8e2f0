// Sentences about a comparison: which version is fastest, and which times to distrust.
#ifndef HARNESS_COMPARE_SUMMARY_H
#define HARNESS_COMPARE_SUMMARY_H

#include "harness/compare/comparison.h"

// "radix_v7 is fastest, 3.97 (+- 0.10) times thrust_ref" into text[size]: the fastest row of a
// group and how many times as fast as the baseline it is, or, if it is the baseline or there is
// none, as the next row. The uncertainty combines the noise of both medians (95% confidence). A
// second clause names what is as fast within that noise. Returns false, with an empty text, if
// fewer than two rows of the group have times.
bool summary_of_group(const Plan *plan, int group, char *text, size_t size);

// Prints on stderr one sentence about noisy rows and one about suspicious ones, if there are any.
// If standard output is csv or md, also the facts that these formats have no place for: versions
// that were left out, and for csv an interruption.
void summary_warn(const Comparison *comparison);

#endif
