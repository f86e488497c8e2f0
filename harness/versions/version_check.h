// What a version says of itself: whether it is complete, and its knobs set from text.
#ifndef HARNESS_VERSION_CHECK_H
#define HARNESS_VERSION_CHECK_H

#include "common/your_sort.h"
#include "harness/process/message.h"

// Checks the fields of sort_version that every program reads: texts that are there and printable, a
// list of stages, and knobs whose defaults are in their ranges. On failure returns false and a
// sentence; `where` is its subject if the version has no name: a path, or "the version".
bool version_check(const SortVersion *version, const char *where, Message *message);

// Sets a knob of `version`, the one of knobs_begin(), from text such as "blockSize=512". Returns
// false and a sentence with the valid names or values if the text is malformed, the version has no
// such knob, or the value is out of range.
bool knob_option(const SortVersion *version, const char *assignment, Message *message);

#endif
