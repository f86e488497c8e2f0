// The size that the header of an image file promises, for the formats that OpenCV reads. OpenCV
// takes the memory for it before it finds out that the pixels are not there.
#include <string.h>

#include "harness/hw4/codec.h"

typedef struct Reader {
  const Bytes *bytes;
  bool little;  // the order of a number's bytes
} Reader;

// A number of 1 to 4 bytes; 0 behind the end of the file.
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

// Tags ImageWidth and ImageLength of the first directory (TIFF 6.0, section 2).
static uint64_t tiff_pixels(const Reader *reader) {
  const uint64_t directory = number(reader, 4, 4), entries = number(reader, directory, 2);
  uint64_t size[2] = {0, 0};
  for (uint64_t i = 0; i < entries; i++) {
    const uint64_t entry = directory + 2 + 12 * i, tag = number(reader, entry, 2);
    if (tag != 256 && tag != 257) continue;
    size[tag - 256] = number(reader, entry + 8, number(reader, entry + 2, 2) == 3 ? 2 : 4);
  }
  return size[0] * size[1];
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

uint64_t image_promised_pixels(const Bytes *bytes) {
  const Reader big = {bytes, false}, little = {bytes, true};
  if (begins(bytes, 0, "\x89PNG", 4)) return number(&big, 16, 4) * number(&big, 20, 4);
  if (begins(bytes, 0, "\xff\xd8\xff", 3)) return jpeg_pixels(&big);
  if (begins(bytes, 0, "II*\0", 4)) return tiff_pixels(&little);
  if (begins(bytes, 0, "MM\0*", 4)) return tiff_pixels(&big);
  if (begins(bytes, 0, "BM", 2)) return bmp_pixels(&little);
  if (begins(bytes, 4, "jP  ", 4)) return jp2_pixels(&big);
  if (begins(bytes, 0, "\x59\xa6\x6a\x95", 4)) return number(&big, 4, 4) * number(&big, 8, 4);
  return 0;
}
