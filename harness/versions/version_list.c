#include "harness/versions/version_list.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/versions/version_check.h"

static int by_name(const void *a, const void *b) {
  return strcmp(((const LoadedVersion *)a)->version->name,
                ((const LoadedVersion *)b)->version->name);
}

static bool load(const char *path, LoadedVersion *loaded, Message *message) {
  // RTLD_LOCAL: every version has symbols called your_sort and sort_version.
  void *const object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  loaded->version = object == NULL ? NULL : (const SortVersion *)dlsym(object, "sort_version");
  // POSIX guarantees that void * can hold a function's address.
  *(void **)&loaded->sort = object == NULL ? NULL : dlsym(object, "your_sort");
  if (loaded->version != NULL && loaded->sort != NULL)
    return loaded->version->name != NULL || version_check(loaded->version, path, message);
  return message_fail(message, "%s cannot be loaded: %s", path, dlerror());
}

// Two folders of one name would be measured in place of each other: a folder that was copied by
// hand still has the old name in it.
static bool check_name(const char *path, const char *name, Message *message) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  const char *const expected = basename(dirname(folder));
  if (name != NULL && strcmp(name, expected) == 0) return true;
  return message_fail(
      message, "%s calls itself '%s': sort_version.name in %s/student_func.cu must be \"%s\"", path,
      name != NULL ? name : "", expected, expected);
}

bool version_list_load(VersionList *list, const char *folder, Message *message) {
  char program[PATH_MAX];
  char pattern[PATH_MAX + 64];
  snprintf(pattern, sizeof pattern, "%s/%s*/version.so", program_folder(program), folder);
  glob_t found;
  *list = (VersionList){NULL, 0};
  if (glob(pattern, 0, NULL, &found) != 0 || found.gl_pathc == 0)
    return message_fail(message, "no versions at %s", pattern);
  list->entries = MEMORY_CHECK(calloc(found.gl_pathc, sizeof *list->entries));
  bool good = true;
  for (size_t i = 0; good && i < found.gl_pathc; i++) {
    LoadedVersion *const entry = &list->entries[i];
    good = load(found.gl_pathv[i], entry, message) &&
           check_name(found.gl_pathv[i], entry->version->name, message);
    list->count += good;
  }
  globfree(&found);
  if (good) qsort(list->entries, list->count, sizeof *list->entries, by_name);
  return good;
}

void version_list_free(VersionList *list) {
  free(list->entries);
  *list = (VersionList){NULL, 0};
}

const char *version_list_add(VersionList *list, const char *path, Message *message) {
  LoadedVersion loaded;
  if (!load(path, &loaded, message)) return NULL;
  const LoadedVersion *const other = version_list_find(list, loaded.version->name);
  if (other != NULL) {
    // dlopen returns the same object for the same file: then it is in the list already.
    if (other->version == loaded.version) return loaded.version->name;
    message_fail(message, "%s is a second version called %s", path, loaded.version->name);
    return NULL;
  }
  list->entries = MEMORY_CHECK(realloc(list->entries, (list->count + 1) * sizeof *list->entries));
  list->entries[list->count++] = loaded;
  return loaded.version->name;
}

const LoadedVersion *version_list_find(const VersionList *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->entries[i].version->name, name) == 0) return &list->entries[i];
  return NULL;
}
