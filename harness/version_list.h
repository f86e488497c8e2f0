// All versions that were built, as shared objects beside the running program, and others by path.
#ifndef HARNESS_VERSION_LIST_H
#define HARNESS_VERSION_LIST_H

#include "common/your_sort.h"

typedef void SortFunction(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
                          unsigned int *const d_outputVals, unsigned int *const d_outputPos,
                          const size_t numElems);

typedef struct LoadedVersion {
  const SortVersion *version;
  SortFunction *sort;
} LoadedVersion;

typedef struct VersionList {
  LoadedVersion *entries;  // by name
  size_t count;
} VersionList;

// Loads */version.so next to the executable. Returns false and one sentence in message if there is
// none, or one cannot be loaded.
bool version_list_load(VersionList *list, char *message, size_t message_size);

void version_list_free(VersionList *list);

// Adds the version in a shared object anywhere. Returns its name, or NULL and one sentence in
// message. Pointers into the list are invalid afterwards.
const char *version_list_add(VersionList *list, const char *path, char *message,
                             size_t message_size);

// The entry of that name, or NULL.
const LoadedVersion *version_list_find(const VersionList *list, const char *name);

#endif
