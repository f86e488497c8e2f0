#include "multi/result_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/check.h"

enum { PIECE = 1 << 24 };  // elements that are read or written at a time

// ---- reading ------------------------------------------------------------------------------------

// Finds the keys. Failure: false, and the end of a sentence whose subject is the file.
static bool find_keys(KeyFile *file, const char *path, Message *reason) {
  MPI_Offset size = 0;
  if (MPI_File_get_size(file->file, &size) != MPI_SUCCESS)
    return message_fail(reason, "cannot be read");
  unsigned char head[KEY_HEADER];
  const int have = size < KEY_HEADER ? (int)size : KEY_HEADER;
  if (MPI_File_read_at(file->file, 0, head, have, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return message_fail(reason, "cannot be read");
  return key_place_find(path, head, (size_t)have, (size_t)size, &file->place, reason);
}

static void require_file(const World *world, bool good, const char *path, const char *reason) {
  world_require(world, good, EXIT_USAGE, "%s %s", path, reason);
}

KeyFile key_file_open(const World *world, const char *path) {
  KeyFile file = {0};
  Message reason = {0};
  struct stat about;
  bool good = stat(path, &about) == 0 && S_ISREG(about.st_mode);
  require_file(world, good, path, "cannot be opened as a file");
  good =
      MPI_File_open(world->comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file.file) == MPI_SUCCESS;
  require_file(world, good, path, "cannot be opened");
  good = find_keys(&file, path, &reason);
  require_file(world, good, path, reason.text);
  return file;
}

uint32_t *key_file_read(const World *world, const KeyFile *file, const char *path, uint64_t first,
                        size_t count) {
  uint32_t *const keys = MEMORY_CHECK(malloc((count + 1) * sizeof *keys));
  bool good = true;
  for (size_t done = 0; done < count && good;) {
    const size_t piece = count - done < PIECE ? count - done : PIECE;
    MPI_Status status;
    int got = 0;
    const MPI_Offset place = (MPI_Offset)file->place.begin + 4 * (MPI_Offset)(first + done);
    good = MPI_File_read_at(file->file, place, keys + done, (int)piece, MPI_UINT32_T, &status) ==
               MPI_SUCCESS &&
           MPI_Get_count(&status, MPI_UINT32_T, &got) == MPI_SUCCESS && got == (int)piece;
    done += piece;
  }
  require_file(world, good, path, "cannot be read");
  return keys;
}

void key_file_close(KeyFile *file) { MPI_File_close(&file->file); }

// ---- writing ------------------------------------------------------------------------------------

static bool write_part(MPI_File file, const unsigned int *values, size_t count, uint64_t begin) {
  const size_t most = count < PIECE ? count : PIECE;
  uint32_t *const buffer = MEMORY_CHECK(malloc((most + 1) * sizeof *buffer));
  bool good = true;
  for (size_t done = 0; done < count && good; done += most) {
    const size_t piece = count - done < most ? count - done : most;
    CUDA_CHECK(cudaMemcpy(buffer, values + done, piece * sizeof *buffer, cudaMemcpyDefault));
    good = MPI_File_write_at(file, (MPI_Offset)begin + 4 * (MPI_Offset)done, buffer, (int)piece,
                             MPI_UINT32_T, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }
  free(buffer);
  return good;
}

void result_save(const World *world, const unsigned int *values, size_t count, const char *path) {
  if (path == NULL) return;
  const uint64_t own = count;
  uint64_t n = own, before = 0;
  world_sums(world, &n, 1);
  world_sums_before(world, &own, &before, 1);
  unsigned char header[NPY_HEADER];
  char *temporary = NULL;
  const int header_bytes = (int)key_header(path, n, header);
  if (asprintf(&temporary, "%s.part", path) < 0) temporary = NULL;
  (void)MEMORY_CHECK(temporary);
  const char *const reason = "cannot be written";
  MPI_File file = MPI_FILE_NULL;
  if (world->rank == 0) remove(temporary);
  world_barrier(world);
  bool good = MPI_File_open(world->comm, temporary, MPI_MODE_WRONLY | MPI_MODE_CREATE,
                            MPI_INFO_NULL, &file) == MPI_SUCCESS;
  require_file(world, good, path, reason);
  if (world->rank == 0 && header_bytes > 0)
    good = MPI_File_write_at(file, 0, header, header_bytes, MPI_BYTE, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
  good = write_part(file, values, count, (uint64_t)header_bytes + 4 * before) && good;
  good = MPI_File_close(&file) == MPI_SUCCESS && good;
  if (!good && world->rank == 0) remove(temporary);
  require_file(world, good, path, reason);
  if (world->rank == 0) good = rename(temporary, path) == 0;
  require_file(world, good, path, reason);
  free(temporary);
}
