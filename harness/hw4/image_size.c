// The size that the header of an image file promises, for the formats that OpenCV reads. OpenCV
// takes the memory for it before it finds out that the pixels are not there.
#include <string.h>

#include "harness/hw4/codec.h"

typedef struct Reader {
  const Bytes *bytes;
  bool little;  // the order of a number's bytes
} Reader;

// A number of 1 to 8 bytes; 0 behind the end of the file.
static uint64_t number(const Reader *reader, uint64_t at, size_t length) {
  uint64_t value = 0;
  if (at > reader->bytes->size || length > reader->bytes->size - at) return 0;
  for (size_t i = 0; i < length; i++) {
    const size_t place = reader->little ? length - 1 - i : i;
    value = value << 8 | reader->bytes->data[at + place];
  }
  return value;
}

static bool begins(const Bytes *bytes, size_t at, const char *text, size_t length) {
  return at + length <= bytes->size && memcmp(bytes->data + at, text, length) == 0;
}

static uint64_t product(uint64_t width, uint64_t height) {
  return width != 0 && height > UINT64_MAX / width ? UINT64_MAX : width * height;
}

// The frame header SOFn (ITU-T T.81, B.2.2) comes before the coded data.
static uint64_t jpeg_pixels(const Reader *reader) {
  for (uint64_t at = 2; at + 8 < reader->bytes->size;) {
    const uint64_t marker = number(reader, at, 2);
    if (marker == 0xffff) {
      at++;
      continue;
    }
    if (marker < 0xffc0 || marker == 0xffda) return 0;
    if (marker <= 0xffcf && marker != 0xffc4 && marker != 0xffc8 && marker != 0xffcc)
      return number(reader, at + 5, 2) * number(reader, at + 7, 2);
    at += 2 + number(reader, at + 2, 2);
  }
  return 0;
}

// Tags ImageWidth and ImageLength of the first directory (TIFF 6.0, section 2). Its offsets and
// counts have 4 bytes, those of BigTIFF 8.
static uint64_t tiff_pixels(const Reader *reader, bool big) {
  const size_t offset = big ? 8 : 4, count = big ? 8 : 2, length = big ? 20 : 12;
  const uint64_t directory = number(reader, offset, offset);
  const uint64_t entries = number(reader, directory, count);
  uint64_t size[2] = {0, 0};
  for (uint64_t i = 0; i < entries; i++) {
    const uint64_t entry = directory + count + length * i;
    if (entry >= reader->bytes->size) break;
    const uint64_t tag = number(reader, entry, 2), type = number(reader, entry + 2, 2);
    if (tag != 256 && tag != 257) continue;
    size[tag - 256] = number(reader, entry + 4 + offset, type == 3 ? 2 : type == 16 ? 8 : 4);
  }
  return product(size[0], size[1]);
}

static uint64_t bmp_pixels(const Reader *reader) {
  if (number(reader, 14, 4) == 12) return number(reader, 18, 2) * number(reader, 20, 2);
  const int64_t height = (int32_t)number(reader, 22, 4);  // negative: from the top
  return number(reader, 18, 4) * (uint64_t)(height < 0 ? -height : height);
}

// The box "ihdr" (ISO/IEC 15444-1, I.5.3.1) is near the start.
static uint64_t jp2_pixels(const Reader *reader) {
  for (uint64_t at = 12; at < 512; at++)
    if (begins(reader->bytes, at, "ihdr", 4))
      return number(reader, at + 4, 4) * number(reader, at + 8, 4);
  return 0;
}

// The segment SIZ of a codestream without boxes (ISO/IEC 15444-1, A.5.1).
static uint64_t j2k_pixels(const Reader *reader) {
  const uint64_t width = number(reader, 8, 4), height = number(reader, 12, 4);
  const uint64_t left = number(reader, 16, 4), top = number(reader, 20, 4);
  return width < left || height < top ? 0 : (width - left) * (height - top);
}

// The canvas of VP8X, or the frame of VP8L or VP8 (RFC 9649).
static uint64_t webp_pixels(const Reader *reader) {
  if (begins(reader->bytes, 12, "VP8X", 4))
    return (number(reader, 24, 3) + 1) * (number(reader, 27, 3) + 1);
  if (begins(reader->bytes, 12, "VP8L", 4)) {
    const uint64_t bits = number(reader, 21, 4);
    return ((bits & 0x3fff) + 1) * ((bits >> 14 & 0x3fff) + 1);
  }
  return (number(reader, 26, 2) & 0x3fff) * (number(reader, 28, 2) & 0x3fff);
}

// ---- headers of text ----------------------------------------------------------------------------

// The decimal number from `at` on; moves `at` behind it. 0 if there is none.
static uint64_t decimal(const Bytes *bytes, size_t *at) {
  uint64_t value = 0;
  for (; *at < bytes->size && bytes->data[*at] >= '0' && bytes->data[*at] <= '9'; ++*at)
    if (value < UINT32_MAX) value = value * 10 + (uint64_t)(bytes->data[*at] - '0');
  return value;
}

static bool is_space(unsigned char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

// White space, and comments from # to the end of the line.
static void skip_space(const Bytes *bytes, size_t *at) {
  while (*at < bytes->size && (is_space(bytes->data[*at]) || bytes->data[*at] == '#')) {
    if (bytes->data[*at] == '#')
      while (*at + 1 < bytes->size && bytes->data[*at + 1] != '\n') ++*at;
    ++*at;
  }
}

// Netpbm and PFM: width and height follow the two letters of the format.
static uint64_t netpbm_pixels(const Bytes *bytes) {
  size_t at = 2;
  skip_space(bytes, &at);
  const uint64_t width = decimal(bytes, &at);
  skip_space(bytes, &at);
  return product(width, decimal(bytes, &at));
}

// The number after the first occurrence of `word` in the first KB.
static uint64_t number_behind(const Bytes *bytes, const char *word) {
  const size_t length = strlen(word);
  for (size_t at = 0; at < 1024 && at < bytes->size; at++) {
    if (!begins(bytes, at, word, length)) continue;
    at += length;
    return decimal(bytes, &at);
  }
  return 0;
}

static uint64_t text_pixels(const Bytes *bytes) {
  if (begins(bytes, 0, "P7", 2))
    return product(number_behind(bytes, "\nWIDTH "), number_behind(bytes, "\nHEIGHT "));
  if (begins(bytes, 0, "#?", 2))  // Radiance
    return product(number_behind(bytes, "\n-Y "), number_behind(bytes, " +X "));
  const bool netpbm = bytes->size > 2 && bytes->data[0] == 'P' && bytes->data[1] != '\0' &&
                      strchr("123456Ff", bytes->data[1]) != NULL;
  return netpbm ? netpbm_pixels(bytes) : 0;
}

uint64_t image_promised_pixels(const Bytes *bytes) {
  const Reader big = {bytes, false}, little = {bytes, true};
  if (begins(bytes, 0, "\x89PNG", 4)) return number(&big, 16, 4) * number(&big, 20, 4);
  if (begins(bytes, 0, "\xff\xd8\xff", 3)) return jpeg_pixels(&big);
  if (begins(bytes, 0, "II*\0", 4)) return tiff_pixels(&little, false);
  if (begins(bytes, 0, "MM\0*", 4)) return tiff_pixels(&big, false);
  if (begins(bytes, 0, "II+\0", 4)) return tiff_pixels(&little, true);
  if (begins(bytes, 0, "MM\0+", 4)) return tiff_pixels(&big, true);
  if (begins(bytes, 0, "BM", 2)) return bmp_pixels(&little);
  if (begins(bytes, 4, "jP  ", 4)) return jp2_pixels(&big);
  if (begins(bytes, 0, "\xff\x4f\xff\x51", 4)) return j2k_pixels(&big);
  if (begins(bytes, 0, "RIFF", 4) && begins(bytes, 8, "WEBP", 4)) return webp_pixels(&little);
  if (begins(bytes, 0, "\x59\xa6\x6a\x95", 4)) return number(&big, 4, 4) * number(&big, 8, 4);
  return text_pixels(bytes);
}
