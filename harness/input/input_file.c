#include "harness/input/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/process/machine_memory.h"
#include "harness/input/npy_header.h"
#include "harness/process/save_file.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// Below, `reason` becomes the end of a sentence whose subject is the file: "holds no keys".

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Finds the keys in the bytes of a .npy file.
static bool read_npy(InputFile *file, Message *reason) {
  const unsigned char *const bytes = file->mapping;
  const size_t prefix = file->bytes > 6 && bytes[6] == 1 ? 10 : 12;
  if (file->bytes < prefix) return message_fail(reason, "ends inside its .npy header");
  if (bytes[6] < 1 || bytes[6] > 3)
    return message_fail(reason, "is .npy of version %d; 1 to 3 are known", bytes[6]);
  size_t length = bytes[8] + 256u * bytes[9];
  if (prefix == 12) length += ((size_t)bytes[10] << 16) + ((size_t)bytes[11] << 24);
  char header[4096];
  if (length >= sizeof header)
    return message_fail(reason, "has a .npy header of %zu bytes", length);
  if (file->bytes - prefix < length) return message_fail(reason, "ends inside its .npy header");
  memcpy(header, bytes + prefix, length);
  header[length] = '\0';
  if (memchr(header, '\0', length) != NULL)
    return message_fail(reason, "has a damaged .npy header");
  size_t n = 0;
  if (!npy_header_read(header, &n, reason)) return false;
  const size_t there = file->bytes - prefix - length;
  if (there != 4 * n)
    return message_fail(reason, "is %s: its header promises %zu keys, %zu bytes follow",
                        there / 4 < n ? "cut off" : "too long", n, there);
  if (length % 4 != (4 - prefix % 4) % 4)
    return message_fail(reason, "has keys that are not aligned to 4 bytes");
  file->keys = (const uint32_t *)(const void *)(bytes + prefix + length);
  file->count = n;
  return true;
}

static bool find_keys(const char *path, InputFile *file, Message *reason) {
  if (file->bytes >= sizeof MAGIC && memcmp(file->mapping, MAGIC, sizeof MAGIC) == 0) {
    if (!read_npy(file, reason)) return false;
  } else if (ends_with(path, ".npy")) {
    return message_fail(reason, "is not a .npy file: its first bytes are others");
  } else {
    if (file->bytes % 4 != 0)
      return message_fail(reason, "is cut off: %zu bytes are no whole number of 32-bit keys",
                          file->bytes);
    file->keys = file->mapping;
    file->count = file->bytes / 4;
  }
  return file->count > 0 || message_fail(reason, "holds no keys");
}

// Memory for the file. Anonymous: a mapping of the file itself would end the program when another
// one makes the file shorter.
static bool reserve(size_t bytes, InputFile *file, Message *reason) {
  void *memory = MAP_FAILED;
  if (bytes <= machine_memory())
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    message_write(reason, "does not fit into memory");
    reason->out_of_memory = true;
    return false;
  }
  *file = (InputFile){.mapping = memory, .bytes = bytes};
  return true;
}

static bool read_all(int descriptor, InputFile *file, Message *reason) {
  struct stat about;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
    return message_fail(reason, "is not a file");
  if (about.st_size == 0) return message_fail(reason, "is empty");
  if (!reserve((size_t)about.st_size, file, reason)) return false;
  for (size_t done = 0; done < file->bytes;) {
    const ssize_t got = read(descriptor, (char *)file->mapping + done, file->bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return message_fail(reason, "cannot be read: %s", strerror(errno));
    if (got == 0) return message_fail(reason, "became shorter while it was read");
    done += (size_t)got;
  }
  return true;
}

bool input_file_open(const char *path, InputFile *file, Message *message) {
  *file = (InputFile){0};
  // Non-blocking: a pipe without a writer would never open.
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return message_fail(message, "%s cannot be opened: %s", path, strerror(errno));
  Message reason;
  const bool good = read_all(descriptor, file, &reason) && find_keys(path, file, &reason);
  close(descriptor);
  if (good) return true;
  input_file_close(file);
  message_write(message, "%s %s", path, reason.text);
  message->out_of_memory = reason.out_of_memory;
  return false;
}

void input_file_close(InputFile *file) {
  if (file->mapping != NULL) munmap(file->mapping, file->bytes);
  *file = (InputFile){0};
}

// Writes magic, version 1.0, the header's length, and the header, padded so that the data begin at
// a multiple of 64 bytes.
static void write_npy_header(SaveFile *file, size_t n) {
  char header[118];
  const int used = snprintf(header, sizeof header,
                            "{'descr': '<u4', 'fortran_order': False, 'shape': (%zu,), }", n);
  memset(header + used, ' ', sizeof header - (size_t)used);
  header[sizeof header - 1] = '\n';
  const unsigned char after_magic[4] = {1, 0, sizeof header, 0};
  save_file_write(file, MAGIC, sizeof MAGIC);
  save_file_write(file, after_magic, sizeof after_magic);
  save_file_write(file, header, sizeof header);
}

bool input_file_save(const char *path, const uint32_t *keys, size_t n, Message *message) {
  SaveFile file;
  if (!save_file_open(path, &file, message)) return false;
  if (ends_with(path, ".npy")) write_npy_header(&file, n);
  save_file_write(&file, keys, n * sizeof *keys);
  return save_file_commit(&file, message);
}
