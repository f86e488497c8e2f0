#include "harness/input/npy_header.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

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

bool npy_header_read(const char *text, size_t *n, Message *reason) {
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
