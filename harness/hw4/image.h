// Images: 8-bit RGB in memory. Netpbm files are always supported, the formats of OpenCV where it is
// built in.
#ifndef HW4_IMAGE_H
#define HW4_IMAGE_H

#include "harness/process/read_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Image {
  int width, height;   // pixels, both at least 1
  unsigned char *rgb;  // height x width x 3 bytes, row by row from the top, red first; malloc'ed
} Image;

// Reads an image; a grey one becomes three equal channels. On failure returns false and a sentence
// that names the file, and leaves *image empty.
bool image_load(const char *path, Image *image, Message *message);

// Checks without writing whether an image can be saved at the path: its suffix, its folder, and the
// file that is there now. For use before long work. Failure as above.
bool image_can_save(const char *path, Message *message);

// Writes an image in the format of the path's suffix (.ppm; with OpenCV also .png, .jpg and
// others). The file appears complete or not at all (harness/process/save_file.h). Failure as above.
bool image_save(const char *path, const Image *image, Message *message);

// Frees the pixels and empties *image.
void image_free(Image *image);

// ---- between image.c and the formats: image_netpbm.c, image_opencv.cpp --------------------------
//
// Codecs see whole files in memory, so that reading and writing are done in one place, and a codec
// can check a whole file before it accepts it. On failure a codec returns false and a reason: the
// end of a sentence whose subject is the file, such as "ends before its last row".

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
