// compare --list: what can be compared, and on what.
#ifndef HARNESS_COMPARE_LIST_H
#define HARNESS_COMPARE_LIST_H

#include "harness/compare/request.h"
#include "harness/versions/version_list.h"

// Prints all versions and inputs, or the named versions with their knobs.
void list_print(const VersionList *versions, const Request *request);

#endif
