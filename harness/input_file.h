// Inputs from files: raw little-endian u32, or NumPy's .npy with one dimension of '<u4'.
#ifndef HARNESS_INPUT_FILE_H
#define HARNESS_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct InputFile {
  const uint32_t *keys;  // count of them, inside the mapping; any alignment of 4
  size_t count;          // at least 1
  void *mapping;         // the whole file, read-only; not read before it is used
  size_t bytes;
} InputFile;

// Maps a file and checks it: length, and for .npy magic, version, dtype, order and shape. On
// failure returns false and writes one sentence that names the file and what is wrong into message.
bool input_file_open(const char *path, InputFile *file, char *message, size_t message_size);
void input_file_close(InputFile *file);

// Writes n keys (on the host) as .npy where the path ends so, else raw; see harness/save_file.h.
// Failure as above; what was at the path is then unchanged.
bool input_file_save(const char *path, const uint32_t *keys, size_t n, char *message,
                     size_t message_size);

#endif
