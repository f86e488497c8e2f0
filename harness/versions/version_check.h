// Whether a version describes itself completely.
#ifndef HARNESS_VERSION_CHECK_H
#define HARNESS_VERSION_CHECK_H

#include "common/your_sort.h"
#include "harness/process/message.h"

// Checks the fields of sort_version that every program reads: texts that are there and printable, a
// list of stages, and knobs whose defaults are in their ranges. On failure returns false and a
// sentence; `where` is its subject if the version has no name: a path, or "the version".
bool version_check(const SortVersion *version, const char *where, Message *message);

#endif
