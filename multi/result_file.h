// Files in slices: each rank reads its shard and writes its part of the result, by MPI-IO.
#ifndef MULTI_RESULT_FILE_H
#define MULTI_RESULT_FILE_H

#include "harness/input/input_file.h"
#include "multi/world/world.h"

// An input file, open on all ranks.
typedef struct KeyFile {
  MPI_File file;
  KeyPlace place;
} KeyFile;

// Collective: opens a file of raw little-endian u32, or .npy with one dimension of '<u4'. If it
// cannot be read, all ranks end with EXIT_USAGE and a sentence.
KeyFile key_file_open(const World *world, const char *path);

// Collective: reads `count` keys from key `first` on into host memory, which is malloc'ed.
uint32_t *key_file_read(const World *world, const KeyFile *file, const char *path, uint64_t first,
                        size_t count);

void key_file_close(KeyFile *file);

// Collective: writes keys or positions of the result, `count` of them on this rank, from the device
// or the host to `path` (.npy, or else raw), which appears complete or not at all. Nothing if path
// is NULL. If it cannot be written, all ranks end with EXIT_USAGE and a sentence.
void result_save(const World *world, const unsigned int *values, size_t count, const char *path);

#endif
