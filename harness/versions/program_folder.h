// The folder of the running program: compare finds the versions, red_eye_scores and the real inputs
// relative to it.
#ifndef HARNESS_PROGRAM_FOLDER_H
#define HARNESS_PROGRAM_FOLDER_H

#include <libgen.h>
#include <limits.h>
#include <unistd.h>

// Writes its path to `buffer` and returns a pointer to it; "." if the system does not name it.
static inline const char *program_folder(char buffer[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", buffer, PATH_MAX - 1);
  buffer[length < 0 ? 0 : length] = '\0';
  return dirname(buffer);
}

#endif
