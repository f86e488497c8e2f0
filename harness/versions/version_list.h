// The versions that compare can run: those built as shared objects beside the running program, and
// others by path.
#ifndef HARNESS_VERSION_LIST_H
#define HARNESS_VERSION_LIST_H

#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "common/your_sort.h"
#include "harness/process/message.h"

// The type of your_sort().
typedef void SortFunction(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
                          unsigned int *const d_outputVals, unsigned int *const d_outputPos,
                          const size_t numElems);

typedef struct LoadedVersion {
  const SortVersion *version;
  SortFunction *sort;
} LoadedVersion;

typedef struct VersionList {
  LoadedVersion *entries;  // in the order of their names; then the entries of version_list_add
  size_t count;
} VersionList;

// Loads FOLDER*/version.so next to the executable; version_list_free frees the list. folder: "" for
// the versions, "typed/u64_4/" for the sorts of another type. Returns false and a sentence if there
// is none, one cannot be loaded, or the name of one is not its folder's.
bool version_list_load(VersionList *list, const char *folder, Message *message);

// Frees the list. The versions stay loaded.
void version_list_free(VersionList *list);

// Adds the version in the shared object at any path. Returns its name, or NULL and a sentence.
// Pointers into the list are invalid afterwards.
const char *version_list_add(VersionList *list, const char *path, Message *message);

// The entry with this name, or NULL.
const LoadedVersion *version_list_find(const VersionList *list, const char *name);

// The folder of the running program: versions, red_eye_scores and the real inputs are found
// relative to it. Writes its path to `buffer` and returns a pointer to it; "." if the system does
// not name it.
static inline const char *program_folder(char buffer[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", buffer, PATH_MAX - 1);
  buffer[length < 0 ? 0 : length] = '\0';
  return dirname(buffer);
}

#endif
