#include "harness/process/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// A device may have no end.
static bool read_all(int file, bool pipes, Bytes *bytes, Message *reason) {
  struct stat about;
  if (fstat(file, &about) != 0) return message_fail(reason, "cannot be read: %s", strerror(errno));
  if (S_ISDIR(about.st_mode)) return message_fail(reason, "is a folder");
  if (!S_ISREG(about.st_mode) && !(pipes && S_ISFIFO(about.st_mode)))
    return message_fail(reason, "is not a file");
  size_t capacity = S_ISREG(about.st_mode) ? (size_t)about.st_size : 0;
  capacity += 4096;  // for one more read(), which finds the end
  while (true) {
    unsigned char *const data = capacity > machine_memory() ? NULL : realloc(bytes->data, capacity);
    if (data == NULL) return message_out_of_memory(reason);
    bytes->data = data;
    while (bytes->size < capacity) {
      const ssize_t got = read(file, data + bytes->size, capacity - bytes->size);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return message_fail(reason, "cannot be read: %s", strerror(errno));
      if (got == 0) return true;
      bytes->size += (size_t)got;
    }
    capacity *= 2;
  }
}

bool read_file(const char *path, bool pipes, Bytes *bytes, Message *reason) {
  *bytes = (Bytes){0};
  // Non-blocking: a pipe without a writer would never open.
  const int file = open(path, O_RDONLY | O_CLOEXEC | (pipes ? 0 : O_NONBLOCK));
  if (file < 0) return message_fail(reason, "cannot be opened: %s", strerror(errno));
  const bool good = read_all(file, pipes, bytes, reason);
  close(file);
  if (!good) bytes_free(bytes);
  return good;
}

void bytes_free(Bytes *bytes) {
  free(bytes->data);
  *bytes = (Bytes){0};
}
