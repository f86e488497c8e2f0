// The image formats, between image.c and its codecs (image_netpbm.c, image_opencv.cpp).
//
// Codecs see whole files in memory, so that reading and writing are done in one place, and a codec
// can check a whole file before it accepts it. On failure a codec returns false and a reason: the
// end of a sentence whose subject is the file, such as "ends before its last row".
#ifndef HW4_CODEC_H
#define HW4_CODEC_H

#include <stddef.h>

#include "harness/hw4/image.h"
#include "harness/process/message.h"

#ifdef __cplusplus
extern "C" {
#endif

// A whole file.
typedef struct Bytes {
  unsigned char *data;  // malloc'ed
  size_t size;
} Bytes;

// Sets the reason and returns false.
static inline bool codec_out_of_memory(Message *reason) {
  message_write(reason, "does not fit into memory");
  reason->out_of_memory = true;
  return false;
}

// Binary Netpbm (man 5 ppm, pgm). Decodes P5 and P6 with samples of one byte; encodes P6.
bool netpbm_decode(const Bytes *bytes, Image *image, Message *reason);
bool netpbm_encode(const Image *image, Bytes *bytes, Message *reason);

// The formats of OpenCV; only where it is built in. A suffix includes its dot: ".png".
bool opencv_decode(const Bytes *bytes, Image *image, Message *reason);
bool opencv_encode(const Image *image, const char *suffix, Bytes *bytes, Message *reason);
bool opencv_can_encode(const char *suffix);

#ifdef __cplusplus
}
#endif
#endif
