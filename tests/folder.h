// A new folder under /tmp in which tests work.
#ifndef TESTS_FOLDER_H
#define TESTS_FOLDER_H

#include <dirent.h>

#include "tests/unit.h"

static char folder[32];  // its path

static int enter_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/test.XXXXXX");
  return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int leave_folder(void **state) {
  (void)state;
  return chdir("/") != 0 ? -1 : system(text_of("rm -rf %s", folder));
}

static inline int files_here(void) {
  DIR *const here = opendir(".");
  assert_non_null(here);
  int count = -2;  // . and ..
  while (readdir(here) != NULL) count++;
  closedir(here);
  return count;
}

#endif
