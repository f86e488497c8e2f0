// The .npy format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include "harness/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/save_file.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

typedef struct Problem {
  const char *path;
  char *message;
  size_t size;
} Problem;

// "FILE " and what is wrong with it; always false.
__attribute__((format(printf, 2, 3))) static bool wrong(const Problem *problem, const char *format,
                                                        ...) {
  const int used = snprintf(problem->message, problem->size, "%s ", problem->path);
  if (used < 0 || (size_t)used >= problem->size) return false;
  va_list arguments;
  va_start(arguments, format);
  // clang-tidy 14 forgets va_start() when it reads several files.
  // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized)
  vsnprintf(problem->message + used, problem->size - (size_t)used, format, arguments);
  va_end(arguments);
  return false;
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

// The text after 'KEY': in the header, which is a Python dictionary; NULL without such a key.
static const char *value_of(const char *header, const char *key) {
  char quoted[32];
  snprintf(quoted, sizeof quoted, "'%s':", key);
  const char *const found = strstr(header, quoted);
  return found == NULL ? NULL : found + strlen(quoted) + strspn(found + strlen(quoted), " ");
}

// Checks a header such as {'descr': '<u4', 'fortran_order': False, 'shape': (3,), } and reads n.
static bool read_header(const Problem *problem, const char *header, unsigned long long *n) {
  const char *const type = value_of(header, "descr"), *const shape = value_of(header, "shape");
  const char *const order = value_of(header, "fortran_order");
  if (type == NULL || shape == NULL || order == NULL)
    return wrong(problem, "has a .npy header without descr, fortran_order or shape");
  if (strncmp(type, "'<u4'", 5) != 0)
    return wrong(problem, "holds elements of type %.*s; it must be '<u4', little-endian u32",
                 (int)strcspn(type, ",}"), type);
  if (strncmp(order, "False", 5) != 0)
    return wrong(problem, "is in Fortran order; it must be in C order");
  int end = 0;
  if (sscanf(shape, "(%llu,)%n", n, &end) != 1 || end == 0)
    return wrong(problem, "has shape %.*s; it must have one dimension",
                 (int)(strcspn(shape, ")") + (strchr(shape, ')') != NULL)), shape);
  return true;
}

// Finds the keys in a mapped .npy file.
static bool read_npy(const Problem *problem, InputFile *file) {
  const unsigned char *const bytes = file->mapping;
  const size_t prefix = file->bytes > 6 && bytes[6] == 1 ? 10 : 12;
  if (file->bytes < prefix) return wrong(problem, "ends inside its .npy header");
  if (bytes[6] < 1 || bytes[6] > 3)
    return wrong(problem, "is .npy of version %d; 1 to 3 are known", bytes[6]);
  size_t length = bytes[8] + 256u * bytes[9];
  if (prefix == 12) length += ((size_t)bytes[10] << 16) + ((size_t)bytes[11] << 24);
  char header[4096];
  if (length >= sizeof header) return wrong(problem, "has a .npy header of %zu bytes", length);
  if (file->bytes - prefix < length) return wrong(problem, "ends inside its .npy header");
  memcpy(header, bytes + prefix, length);
  header[length] = '\0';
  unsigned long long n = 0;
  if (!read_header(problem, header, &n)) return false;
  const size_t there = file->bytes - prefix - length;
  if (n > SIZE_MAX / 4 || there != 4 * n)
    return wrong(problem, "is %s: its header promises %llu keys, %zu bytes follow",
                 there / 4 < n ? "cut off" : "too long", n, there);
  if (length % 4 != (4 - prefix % 4) % 4)
    return wrong(problem, "has keys that are not aligned to 4 bytes");
  file->keys = (const uint32_t *)(const void *)(bytes + prefix + length);
  file->count = n;
  return true;
}

static bool read_mapped(const Problem *problem, InputFile *file) {
  if (file->bytes >= sizeof MAGIC && memcmp(file->mapping, MAGIC, sizeof MAGIC) == 0) {
    if (!read_npy(problem, file)) return false;
  } else if (ends_with(problem->path, ".npy")) {
    return wrong(problem, "is not a .npy file: its first bytes are others");
  } else {
    if (file->bytes % 4 != 0)
      return wrong(problem, "is cut off: %zu bytes are no whole number of 32-bit keys",
                   file->bytes);
    file->keys = file->mapping;
    file->count = file->bytes / 4;
  }
  return file->count > 0 || wrong(problem, "holds no keys");
}

bool input_file_open(const char *path, InputFile *file, char *message, size_t message_size) {
  const Problem problem = {path, message, message_size};
  *file = (InputFile){0};
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return wrong(&problem, "cannot be opened: %s", strerror(errno));
  struct stat about;
  bool good = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  if (!good) {
    wrong(&problem, "is not a file");
  } else if (about.st_size == 0) {
    good = wrong(&problem, "is empty");
  } else {
    file->bytes = (size_t)about.st_size;
    file->mapping = mmap(NULL, file->bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
    good = file->mapping != MAP_FAILED;
    if (!good) {
      *file = (InputFile){0};
      wrong(&problem, "cannot be read: %s", strerror(errno));
    }
  }
  close(descriptor);
  if (good) good = read_mapped(&problem, file);
  if (!good) input_file_close(file);
  return good;
}

void input_file_close(InputFile *file) {
  if (file->mapping != NULL) munmap(file->mapping, file->bytes);
  *file = (InputFile){0};
}

// Magic, version 1.0, the header's length, and the header, padded so that the data begin at a
// multiple of 64.
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

bool input_file_save(const char *path, const uint32_t *keys, size_t n, char *message,
                     size_t message_size) {
  SaveFile file;
  Message problem;
  bool good = save_file_open(path, &file, &problem);
  if (good) {
    // A failed write leaves its mark on the stream; the commit reports it.
    if (!ends_with(path, ".npy") || write_npy_header(file.stream, n))
      (void)fwrite(keys, sizeof *keys, n, file.stream);
    good = save_file_commit(&file, &problem);
  }
  if (!good) snprintf(message, message_size, "%s", problem.text);
  return good;
}
