// The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "harness/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// Below, `reason` becomes the end of a sentence whose subject is the file: "holds no keys".

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

// The text after 'KEY': in the header, a Python dictionary; NULL if it has no such key.
static const char *value_of(const char *header, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *const found = strstr(header, quoted);
  return found == NULL ? NULL : found + strlen(quoted) + strspn(found + strlen(quoted), " ");
}

// Checks a header such as {'descr': '<u4', 'fortran_order': False, 'shape': (3,), } and reads n.
static bool read_header(const char *header, unsigned long long *n, Message *reason) {
  const char *const type = value_of(header, "descr"), *const shape = value_of(header, "shape");
  const char *const order = value_of(header, "fortran_order");
  if (type == NULL || shape == NULL || order == NULL)
    return message_fail(reason, "has a .npy header without descr, fortran_order or shape");
  if (strncmp(type, "'<u4'", 5) != 0)
    return message_fail(reason, "holds elements of type %.*s; it must be '<u4', little-endian u32",
                        (int)strcspn(type, ",}"), type);
  if (strncmp(order, "False", 5) != 0)
    return message_fail(reason, "is in Fortran order; it must be in C order");
  int end = 0;
  if (sscanf(shape, "(%llu,)%n", n, &end) != 1 || end == 0)
    return message_fail(reason, "has shape %.*s; it must have one dimension",
                        (int)(strcspn(shape, ")") + (strchr(shape, ')') != NULL)), shape);
  return true;
}

// Finds the keys in a mapped .npy file.
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
  unsigned long long n = 0;
  if (!read_header(header, &n, reason)) return false;
  const size_t there = file->bytes - prefix - length;
  if (n > SIZE_MAX / 4 || there != 4 * n)
    return message_fail(reason, "is %s: its header promises %llu keys, %zu bytes follow",
                        there / 4 < n ? "cut off" : "too long", n, there);
  if (length % 4 != (4 - prefix % 4) % 4)
    return message_fail(reason, "has keys that are not aligned to 4 bytes");
  file->keys = (const uint32_t *)(const void *)(bytes + prefix + length);
  file->count = n;
  return true;
}

static bool read_mapped(const char *path, InputFile *file, Message *reason) {
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

static bool map(int descriptor, InputFile *file, Message *reason) {
  struct stat about;
  if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
    return message_fail(reason, "is not a file");
  if (about.st_size == 0) return message_fail(reason, "is empty");
  const size_t bytes = (size_t)about.st_size;
  void *const mapping = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapping == MAP_FAILED) return message_fail(reason, "cannot be read: %s", strerror(errno));
  *file = (InputFile){.mapping = mapping, .bytes = bytes};
  return true;
}

bool input_file_open(const char *path, InputFile *file, Message *message) {
  *file = (InputFile){0};
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return message_fail(message, "%s cannot be opened: %s", path, strerror(errno));
  Message reason;
  const bool good = map(descriptor, file, &reason) && read_mapped(path, file, &reason);
  close(descriptor);
  if (good) return true;
  input_file_close(file);
  return message_fail(message, "%s %s", path, reason.text);
}

void input_file_close(InputFile *file) {
  if (file->mapping != NULL) munmap(file->mapping, file->bytes);
  *file = (InputFile){0};
}

// Writes magic, version 1.0, the header's length, and the header, padded so that the data begin at
// a multiple of 64 bytes.
static bool write_npy_header(FILE *out, size_t n) {
  char header[118];
  const int used = snprintf(header, sizeof header,
                            "{'descr': '<u4', 'fortran_order': False, 'shape': (%zu,), }", n);
  memset(header + used, ' ', sizeof header - (size_t)used);
  header[sizeof header - 1] = '\n';
  const unsigned char after_magic[4] = {1, 0, sizeof header, 0};
  return fwrite(MAGIC, sizeof MAGIC, 1, out) == 1 &&
         fwrite(after_magic, sizeof after_magic, 1, out) == 1 &&
         fwrite(header, sizeof header, 1, out) == 1;
}

bool input_file_save(const char *path, const uint32_t *keys, size_t n, Message *message) {
  FILE *const out = fopen(path, "wb");
  if (out == NULL) return message_fail(message, "%s cannot be written: %s", path, strerror(errno));
  bool good = !ends_with(path, ".npy") || write_npy_header(out, n);
  good = good && fwrite(keys, sizeof *keys, n, out) == n;
  const int error = errno;
  good = fclose(out) == 0 && good;
  if (good) return true;
  unlink(path);
  return message_fail(message, "%s cannot be written: %s", path, strerror(error));
}
