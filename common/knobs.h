// Knobs: the run-time tuning parameters that a version declares in sort_version.knobs.
#ifndef COMMON_KNOBS_H
#define COMMON_KNOBS_H

#include "common/your_sort.h"

enum { MAX_KNOBS = 12 };

#ifdef __cplusplus
extern "C" {
#endif

// Called by versions: the current value of the knob `name`. A name that the version does not
// declare is a bug in it: reported on stderr, exit code 3.
int knob(const char *name);

// Called by the harness: makes `version` the one whose knobs are read and set, all at their
// defaults.
void knobs_begin(const SortVersion *version);

// Index in version->knobs of the knob whose name is the first `length` characters of `name`, or -1.
int knob_find(const SortVersion *version, const char *name, size_t length);

// Called by the harness: sets knob number `index` of the version of knobs_begin(). An index or a
// value outside its range is a bug in the caller: reported on stderr, exit code 3. For text from a
// user see harness/versions/version_check.h.
void knob_set(int index, int value);

#ifdef __cplusplus
}
#endif
#endif
