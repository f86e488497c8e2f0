// Images: 8-bit RGB in memory; Netpbm files always, everything that OpenCV reads where it is built
// in.
#ifndef HW4_IMAGE_H
#define HW4_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Image {
  int width, height;   // pixels, both at least 1
  unsigned char *rgb;  // height x width x 3 bytes, row by row from the top, red first; malloc'ed
} Image;

// Reads an image; grey ones are spread to three equal channels. On failure returns false, leaves
// *image empty and writes one sentence that names the file and what is wrong into message.
bool image_load(const char *path, Image *image, char *message, size_t message_size);

// Could an image be saved there, as far as can be told without writing: by the path's suffix, its
// folder, and what has that name now? For use ahead of long work; failure as above.
bool image_can_save(const char *path, char *message, size_t message_size);

// Writes an image in the format that the path's suffix names (.ppm; with OpenCV also .png, .jpg and
// the like). The file appears complete or not at all: it is written under another name in the same
// folder and then renamed.
bool image_save(const char *path, const Image *image, char *message, size_t message_size);

void image_free(Image *image);  // and empties it

// ---- between image.c and its codecs ------------------------------------------------------------
// Codecs see whole files in memory, so that one place reads, one place writes, and each codec can
// look at all there is before it promises anything. On failure they return false and write what is
// wrong into reason, as the end of a sentence whose subject is the file: "ends before its last
// row".

typedef struct Bytes {
  unsigned char *data;  // malloc'ed
  size_t size;
} Bytes;

// netpbm_decode reads binary P5 and P6 with samples of one byte, netpbm_encode writes P6.
bool netpbm_decode(const Bytes *bytes, Image *image, char *reason, size_t reason_size);
bool netpbm_encode(const Image *image, Bytes *bytes, char *reason, size_t reason_size);

// These exist only where OpenCV is built in. Suffixes have their dot: ".png".
bool opencv_decode(const Bytes *bytes, Image *image, char *reason, size_t reason_size);
bool opencv_encode(const Image *image, const char *suffix, Bytes *bytes, char *reason,
                   size_t reason_size);
bool opencv_can_encode(const char *suffix);

#ifdef __cplusplus
}
#endif
#endif
