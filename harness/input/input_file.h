// Inputs from files: raw little-endian u32, or NumPy's .npy with one dimension of '<u4'.
#ifndef HARNESS_INPUT_FILE_H
#define HARNESS_INPUT_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/process/read_file.h"

typedef struct InputFile {
  const uint32_t *keys;  // `count` keys in `bytes`; aligned to 4 bytes
  size_t count;          // at least 1
  Bytes bytes;           // the whole file
} InputFile;

// Reads a file and checks it: length, and for .npy magic, version, dtype, order and shape.
// input_file_close frees it. On failure returns false and a sentence that names the file.
bool input_file_open(const char *path, InputFile *file, Message *message);
void input_file_close(InputFile *file);

// Writes n keys (on the host), as .npy if the path ends in it, else raw; see
// harness/process/save_file.h. On failure returns false and a sentence that names the file; what
// was at the path is then unchanged.
bool input_file_save(const char *path, const uint32_t *keys, size_t n, Message *message);

// ---- for readers and writers of parts of files --------------------------------------------------

enum { KEY_HEADER = 4096, NPY_HEADER = 128 };  // bytes: of the longest header that is read; written

// Where the keys are in a file.
typedef struct KeyPlace {
  size_t begin;  // byte of the first key
  size_t count;  // at least 1
} KeyPlace;

// Finds the keys of a file of `bytes` bytes from the first of them: all, or KEY_HEADER. On failure
// returns false and the end of a sentence whose subject is the file.
bool key_place_find(const char *path, const unsigned char *head, size_t have, size_t bytes,
                    KeyPlace *place, Message *reason);

// Writes the header of n keys. Returns its length, a multiple of 64; 0 for a raw file.
size_t key_header(const char *path, uint64_t n, unsigned char header[NPY_HEADER]);

#endif
