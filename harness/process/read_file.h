// Reads whole files, and says how much memory there is for them.
#ifndef HARNESS_READ_FILE_H
#define HARNESS_READ_FILE_H

#include <unistd.h>

#include "harness/process/message.h"

#ifdef __cplusplus
extern "C" {
#endif

// A whole file.
typedef struct Bytes {
  unsigned char *data;  // malloc'ed
  size_t size;
} Bytes;

// Reads a file; with `pipes` also a pipe, until its end (for `HW4 <(program) ...`). On failure
// leaves *bytes empty, returns false and a reason: the end of a sentence whose subject is the file.
bool read_file(const char *path, bool pipes, Bytes *bytes, Message *reason);

void bytes_free(Bytes *bytes);

// Bytes of the machine's memory. Where Linux overcommits, malloc() grants any size, and a program
// that uses it is killed, or takes the memory of all others.
static inline size_t machine_memory(void) {
  return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

#ifdef __cplusplus
}
#endif
#endif
