// Netpbm images (man 5 ppm, pgm): binary P5 and P6 with samples of one byte.
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/hw4/image.h"

// "P6", width, height and maxval, with white space or comments between them, and one white space
// after them.
typedef struct Header {
  int channels;  // 1 or 3
  uint64_t width, height, maxval;
  size_t size;  // bytes up to the first sample
} Header;

// ---- reading -----------------------------------------------------------------------------------

static size_t skip_comment(const Bytes *bytes, size_t at) {
  while (at < bytes->size && bytes->data[at] != '\n' && bytes->data[at] != '\r') at++;
  return at;
}

static size_t skip_gap(const Bytes *bytes, size_t at) {
  while (at < bytes->size && (isspace(bytes->data[at]) || bytes->data[at] == '#'))
    at = bytes->data[at] == '#' ? skip_comment(bytes, at) : at + 1;
  return at;
}

// Reads a number after a gap. A larger one than UINT32_MAX becomes that, which no image can use.
static bool read_number(const Bytes *bytes, size_t *at, uint64_t *value) {
  const size_t start = skip_gap(bytes, *at);
  size_t end = start;
  *value = 0;
  for (; end < bytes->size && isdigit(bytes->data[end]); end++) {
    *value = *value * 10 + (uint64_t)(bytes->data[end] - '0');
    if (*value > UINT32_MAX) *value = UINT32_MAX;
  }
  const bool separated = start > *at;
  *at = end;
  return separated && end > start;
}

static bool read_header(const Bytes *bytes, Header *header, Message *reason) {
  if (bytes->size < 2 || bytes->data[0] != 'P' || (bytes->data[1] != '5' && bytes->data[1] != '6'))
    return message_fail(reason, "is not a binary Netpbm image (P5 or P6)");
  header->channels = bytes->data[1] == '6' ? 3 : 1;
  const struct {
    const char *name;
    uint64_t *value;
  } fields[] = {
      {"width", &header->width}, {"height", &header->height}, {"maxval", &header->maxval}};
  size_t at = 2;
  for (int i = 0; i < 3; i++) {
    if (read_number(bytes, &at, fields[i].value)) continue;
    if (at == bytes->size) return message_fail(reason, "ends within its Netpbm header");
    return message_fail(reason, "has no valid %s in its Netpbm header", fields[i].name);
  }
  if (at < bytes->size && bytes->data[at] == '#') at = skip_comment(bytes, at);
  if (at == bytes->size) return message_fail(reason, "ends within its Netpbm header");
  if (!isspace(bytes->data[at]))
    return message_fail(reason, "has no valid maxval in its Netpbm header");
  header->size = at + 1;
  return true;
}

static bool check_header(const Header *header, const Bytes *bytes, Message *reason) {
  if (header->width == 0 || header->height == 0) return message_fail(reason, "has no pixels");
  // Neither factor exceeds UINT32_MAX, so the product cannot overflow.
  if (header->width * header->height > INT_MAX)
    return message_fail(reason, "is too large: an image may have up to %d pixels", INT_MAX);
  if (header->maxval == 0) return message_fail(reason, "has a maxval of 0");
  if (header->maxval > 255)
    return message_fail(reason,
                        "has samples of two bytes (a maxval above 255); only "
                        "samples of one byte are read");
  const uint64_t expected = header->width * header->height * (uint64_t)header->channels;
  const uint64_t present = bytes->size - header->size;
  if (present < expected)
    return message_fail(reason, "is cut off: %llu of its %llu bytes of pixels are missing",
                        (unsigned long long)(expected - present), (unsigned long long)expected);
  return true;
}

// Scales samples of 0 .. maxval to 0 .. 255, and copies a single channel to three.
static bool convert_samples(const Header *header, const unsigned char *samples,
                            unsigned char *rgb) {
  const unsigned int maxval = (unsigned int)header->maxval;
  const size_t count = (size_t)(header->width * header->height) * (size_t)header->channels;
  const size_t copies = header->channels == 1 ? 3 : 1;
  for (size_t i = 0; i < count; i++) {
    if (samples[i] > maxval) return false;
    memset(rgb + i * copies, (int)((samples[i] * 255u + maxval / 2) / maxval), copies);
  }
  return true;
}

bool netpbm_decode(const Bytes *bytes, Image *image, Message *reason) {
  Header header = {0};
  if (!read_header(bytes, &header, reason) || !check_header(&header, bytes, reason)) return false;
  unsigned char *const rgb = malloc((size_t)(header.width * header.height) * 3);
  if (rgb == NULL) return message_out_of_memory(reason);
  // Bytes after the pixels are ignored: a Netpbm file may hold several images.
  if (!convert_samples(&header, bytes->data + header.size, rgb)) {
    free(rgb);
    return message_fail(reason, "has a sample above its maxval of %llu",
                        (unsigned long long)header.maxval);
  }
  *image = (Image){.width = (int)header.width, .height = (int)header.height, .rgb = rgb};
  return true;
}

// ---- writing -----------------------------------------------------------------------------------

bool netpbm_encode(const Image *image, Bytes *bytes, Message *reason) {
  char header[64];
  const size_t header_size =
      (size_t)snprintf(header, sizeof header, "P6\n%d %d\n255\n", image->width, image->height);
  const size_t samples = (size_t)image->width * (size_t)image->height * 3;
  bytes->data = malloc(header_size + samples);
  if (bytes->data == NULL) return message_out_of_memory(reason);
  bytes->size = header_size + samples;
  memcpy(bytes->data, header, header_size);
  memcpy(bytes->data + header_size, image->rgb, samples);
  return true;
}
