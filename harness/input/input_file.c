#include "harness/input/input_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/process/machine_memory.h"
#include "harness/process/save_file.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// Below, `reason` becomes the end of a sentence whose subject is the file: "holds no keys".

// ---- the header of .npy -------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Where a value begins and ends in the header.
typedef struct Span {
  const char *start;
  size_t length;
} Span;

static const char *skip_space(const char *c) {
  while (isspace((unsigned char)*c)) c++;
  return c;
}

static bool is(Span span, const char *text) {
  return span.length == strlen(text) && memcmp(span.start, text, span.length) == 0;
}

// A string in single or double quotes. Returns what follows it, or NULL.
static const char *read_string(const char *c, Span *content) {
  if (*c != '\'' && *c != '"') return NULL;
  const char *const end = strchr(c + 1, *c);
  if (end == NULL) return NULL;
  *content = (Span){c + 1, (size_t)(end - c) - 1};
  return end + 1;
}

// Any value: a string, a word, or something in brackets. Returns what follows it, or NULL.
static const char *read_value(const char *c, Span *value) {
  Span content;
  const char *end = read_string(c, &content);
  if (end == NULL && (*c == '(' || *c == '[')) {
    end = strchr(c, *c == '(' ? ')' : ']');
    end = end == NULL ? NULL : end + 1;
  } else if (end == NULL) {
    end = c + strcspn(c, ",} \t\n");
  }
  if (end == NULL || end == c) return NULL;
  *value = (Span){c, (size_t)(end - c)};
  return end;
}

typedef struct Header {
  Span descr, order, shape;  // start is NULL where it is missing
} Header;

static bool read_dictionary(const char *c, Header *header) {
  c = skip_space(c);
  if (*c != '{') return false;
  c = skip_space(c + 1);
  while (*c != '}') {
    Span key, value;
    c = read_string(c, &key);
    if (c == NULL) return false;
    c = skip_space(c);
    if (*c != ':') return false;
    c = read_value(skip_space(c + 1), &value);
    if (c == NULL) return false;
    if (is(key, "descr")) header->descr = value;
    if (is(key, "fortran_order")) header->order = value;
    if (is(key, "shape")) header->shape = value;
    c = skip_space(c);
    if (*c == ',')
      c = skip_space(c + 1);
    else if (*c != '}')
      return false;
  }
  return *skip_space(c + 1) == '\0';
}

// "(4,)", with spaces anywhere and Python 2's L behind the number.
static bool read_shape(Span shape, size_t *n, Message *reason) {
  const int length = shape.length < 60 ? (int)shape.length : 60;
  const char *c = skip_space(shape.start + 1);
  if (*shape.start == '(' && *c == '-')
    return message_fail(reason, "has shape %.*s; a length cannot be negative", length, shape.start);
  bool good = *shape.start == '(' && isdigit((unsigned char)*c), fits = true;
  for (*n = 0; isdigit((unsigned char)*c); c++) {
    const size_t digit = (size_t)(*c - '0');
    fits = fits && *n <= (SIZE_MAX / 4 - digit) / 10;
    if (fits) *n = 10 * *n + digit;
  }
  if (*c == 'L') c++;
  c = skip_space(c);
  good = good && *c == ',' && *skip_space(c + 1) == ')';
  if (!good)
    return message_fail(reason, "has shape %.*s; it must have one dimension", length, shape.start);
  return fits ||
         message_fail(reason, "has shape %.*s; no file can be so large", length, shape.start);
}

// Reads a header's dictionary.
static bool read_header(const char *text, size_t *n, Message *reason) {
  Header header = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
  if (!read_dictionary(text, &header)) return message_fail(reason, "has a damaged .npy header");
  if (header.descr.start == NULL || header.order.start == NULL || header.shape.start == NULL)
    return message_fail(reason, "has a .npy header without descr, fortran_order or shape");
  if (!is(header.descr, "'<u4'") && !is(header.descr, "\"<u4\""))
    return message_fail(reason, "holds elements of type %.*s; it must be '<u4', little-endian u32",
                        header.descr.length < 60 ? (int)header.descr.length : 60,
                        header.descr.start);
  if (is(header.order, "True"))
    return message_fail(reason, "is in Fortran order; it must be in C order");
  if (!is(header.order, "False"))
    return message_fail(reason, "has a damaged .npy header: fortran_order is %.*s",
                        header.order.length < 60 ? (int)header.order.length : 60,
                        header.order.start);
  return read_shape(header.shape, n, reason);
}

bool key_place_find(const char *path, const unsigned char *head, size_t have, size_t bytes,
                    KeyPlace *place, Message *reason) {
  if (have < sizeof MAGIC || memcmp(head, MAGIC, sizeof MAGIC) != 0) {
    if (ends_with(path, ".npy"))
      return message_fail(reason, "is not a .npy file: its first bytes are others");
    if (bytes % 4 != 0)
      return message_fail(reason, "is cut off: %zu bytes are no whole number of 32-bit keys",
                          bytes);
    *place = (KeyPlace){0, bytes / 4};
    return bytes > 0 || message_fail(reason, "holds no keys");
  }
  const size_t prefix = have > 6 && head[6] == 1 ? 10 : 12;
  if (have < prefix) return message_fail(reason, "ends inside its .npy header");
  if (head[6] < 1 || head[6] > 3)
    return message_fail(reason, "is .npy of version %d; 1 to 3 are known", head[6]);
  size_t length = head[8] + 256u * head[9];
  if (prefix == 12) length += ((size_t)head[10] << 16) + ((size_t)head[11] << 24);
  char header[KEY_HEADER];
  if (length >= sizeof header - 12)
    return message_fail(reason, "has a .npy header of %zu bytes", length);
  if (have - prefix < length) return message_fail(reason, "ends inside its .npy header");
  memcpy(header, head + prefix, length);
  header[length] = '\0';
  if (memchr(header, '\0', length) != NULL)
    return message_fail(reason, "has a damaged .npy header");
  size_t n = 0;
  if (!read_header(header, &n, reason)) return false;
  const size_t there = bytes - prefix - length;
  if (there != 4 * n)
    return message_fail(reason, "is %s: its header promises %zu keys, %zu bytes follow",
                        there / 4 < n ? "cut off" : "too long", n, there);
  *place = (KeyPlace){prefix + length, n};
  return n > 0 || message_fail(reason, "holds no keys");
}

size_t key_header(const char *path, uint64_t n, unsigned char header[NPY_HEADER]) {
  if (!ends_with(path, ".npy")) return 0;
  static const unsigned char version_and_length[] = {1, 0, NPY_HEADER - 10, 0};
  memset(header, ' ', NPY_HEADER);
  memcpy(header, MAGIC, sizeof MAGIC);
  memcpy(header + sizeof MAGIC, version_and_length, sizeof version_and_length);
  char text[NPY_HEADER];
  const int length =
      snprintf(text, sizeof text, "{'descr': '<u4', 'fortran_order': False, 'shape': (%llu,), }",
               (unsigned long long)n);
  memcpy(header + 10, text, (size_t)length);
  header[NPY_HEADER - 1] = '\n';
  return NPY_HEADER;
}

// ---- whole files --------------------------------------------------------------------------------

static bool find_keys(const char *path, InputFile *file, Message *reason) {
  KeyPlace place;
  const size_t have = file->bytes < KEY_HEADER ? file->bytes : KEY_HEADER;
  if (!key_place_find(path, file->mapping, have, file->bytes, &place, reason)) return false;
  if (place.begin % 4 != 0) return message_fail(reason, "has keys that are not aligned to 4 bytes");
  file->keys = (const uint32_t *)(const void *)((const char *)file->mapping + place.begin);
  file->count = place.count;
  return true;
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

bool input_file_save(const char *path, const uint32_t *keys, size_t n, Message *message) {
  SaveFile file;
  if (!save_file_open(path, &file, message)) return false;
  unsigned char header[NPY_HEADER];
  save_file_write(&file, header, key_header(path, n, header));
  save_file_write(&file, keys, n * sizeof *keys);
  return save_file_commit(&file, message);
}
