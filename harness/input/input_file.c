#include "harness/input/input_file.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/process/save_file.h"

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// Below, `reason` becomes the end of a sentence whose subject is the file: "holds no keys".

// ---- the header of .npy -------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

// Finds 'key': value in the header, a Python dictionary whose keys may come in any order.
// `pattern`: the extended regular expression of a value.
static bool find_value(const char *header, const char *key, const char *pattern, char value[64]) {
  char entry[128];
  snprintf(entry, sizeof entry, "['\"]%s['\"] *: *(%s)", key, pattern);
  regex_t compiled;
  if (regcomp(&compiled, entry, REG_EXTENDED) != 0) return false;
  regmatch_t found[2];
  const bool there = regexec(&compiled, header, 2, found, 0) == 0;
  regfree(&compiled);
  if (there)
    snprintf(value, 64, "%.*s", (int)(found[1].rm_eo - found[1].rm_so), header + found[1].rm_so);
  return there;
}

// "(4,)", with spaces anywhere and Python 2's L behind the number.
static bool read_shape(const char *shape, size_t *n, Message *reason) {
  char *end = NULL;
  errno = 0;
  *n = strtoull(shape + 1, &end, 10);
  const bool fits = errno == 0 && *n <= SIZE_MAX / 4;
  if (strchr(shape, '-') != NULL)
    return message_fail(reason, "has shape %s; a length cannot be negative", shape);
  end += *end == 'L';
  end += strspn(end, " ");
  if (end == shape + 1 || *end != ',' || end[1 + strspn(end + 1, " ")] != ')')
    return message_fail(reason, "has shape %s; it must have one dimension", shape);
  return fits || message_fail(reason, "has shape %s; no file can be so large", shape);
}

// Reads a header's dictionary.
static bool read_header(const char *text, size_t *n, Message *reason) {
  char descr[64], order[64], shape[64];
  if (!find_value(text, "descr", "'[^']*'|\"[^\"]*\"|\\[[^]]*\\]", descr) ||
      !find_value(text, "fortran_order", "[A-Za-z]+", order) ||
      !find_value(text, "shape", "\\([^)]*\\)", shape))
    return message_fail(reason, "has a .npy header without descr, fortran_order or shape");
  if (strlen(descr) != 5 || strncmp(descr + 1, "<u4", 3) != 0)
    return message_fail(reason, "holds elements of type %s; it must be '<u4', little-endian u32",
                        descr);
  if (strcmp(order, "False") != 0)
    return message_fail(reason, "is in Fortran order; it must be in C order");
  return read_shape(shape, n, reason);
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
  const Bytes *const bytes = &file->bytes;
  const size_t have = bytes->size < KEY_HEADER ? bytes->size : KEY_HEADER;
  if (bytes->size == 0) return message_fail(reason, "is empty");
  if (!key_place_find(path, bytes->data, have, bytes->size, &place, reason)) return false;
  if (place.begin % 4 != 0) return message_fail(reason, "has keys that are not aligned to 4 bytes");
  file->keys = (const uint32_t *)(const void *)(bytes->data + place.begin);
  file->count = place.count;
  return true;
}

bool input_file_open(const char *path, InputFile *file, Message *message) {
  *file = (InputFile){0};
  Message reason;
  if (read_file(path, false, &file->bytes, &reason) && find_keys(path, file, &reason)) return true;
  input_file_close(file);
  message_write(message, "%s %s", path, reason.text);
  message->out_of_memory = reason.out_of_memory;
  return false;
}

void input_file_close(InputFile *file) {
  bytes_free(&file->bytes);
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
