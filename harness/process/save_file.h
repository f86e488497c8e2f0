// Writes a file that appears complete or not at all.
//
//   SaveFile file;
//   if (!save_file_open(path, &file, &message)) ...
//   fprintf(file.stream, ...);
//   if (!save_file_commit(&file, &message)) ...
//
// A regular file is written without a name in the folder of its path and gets the name at the end,
// so that a reader never finds half of it, and a program that is killed leaves nothing behind.
#ifndef HARNESS_SAVE_FILE_H
#define HARNESS_SAVE_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/process/message.h"

typedef struct SaveFile {
  FILE *stream;     // to write to; NULL after commit and drop
  char *path;       // as given, for messages; malloc'ed
  char *target;     // the file behind symbolic links; malloc'ed; NULL: written in place
  char *temporary;  // the name until the commit, where the file system needs one; malloc'ed or NULL
  int error;        // errno of the first failed flush; 0: none
} SaveFile;

// Opens a file for writing. What is at `path` stays as it is until the commit; a symbolic link
// stays, and the file that it names is replaced. A device, a pipe and everything in /dev and /proc
// are written directly. Returns false and one sentence if the path cannot be written.
bool save_file_open(const char *path, SaveFile *file, Message *message);

// Writes bytes to the stream. A failure is kept, with its reason, for the commit to report: of a
// failed fwrite or fprintf the reason is lost.
void save_file_write(SaveFile *file, const void *bytes, size_t size);

// Writes out the stream's buffer. A failure is kept for the commit to report.
void save_file_flush(SaveFile *file);

// Puts the written file in its place. On failure returns false and one sentence; what was at the
// path is then unchanged. Either way the SaveFile is closed.
bool save_file_commit(SaveFile *file, Message *message);

// Closes the file without putting it in its place. Nothing happens to one that is closed already.
void save_file_drop(SaveFile *file);

#endif
