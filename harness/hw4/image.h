// Images: 8-bit RGB in memory. Netpbm files are always supported, the formats of OpenCV where it is
// built in.
#ifndef HW4_IMAGE_H
#define HW4_IMAGE_H

#include "harness/process/message.h"

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

#ifdef __cplusplus
}
#endif
#endif
