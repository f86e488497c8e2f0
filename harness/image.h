// Images: 8-bit RGB in memory; Netpbm files always, everything that OpenCV reads where it is built in.
#ifndef HARNESS_IMAGE_H
#define HARNESS_IMAGE_H

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

// Can a file of this name be written (by its suffix, without touching the disk)? As above.
bool image_can_save(const char *path, char *message, size_t message_size);

// Writes an image in the format that the path's suffix names (.ppm; with OpenCV also .png, .jpg and
// the like). The file appears complete or not at all: it is written under another name in the same
// folder and then renamed.
bool image_save(const char *path, const Image *image, char *message, size_t message_size);

void image_free(Image *image);  // and empties it

#ifdef __cplusplus
}
#endif
#endif
