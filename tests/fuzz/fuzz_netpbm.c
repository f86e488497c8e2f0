// Fuzzes the Netpbm reader: any bytes are an image or refused with a reason; an image that is
// written is read back unchanged.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/hw4/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A copy of exactly this size, so that a read behind it is found.
  Bytes bytes = {.data = malloc(size == 0 ? 1 : size), .size = size};
  if (size > 0) memcpy(bytes.data, data, size);
  Image image = {0}, back = {0};
  Message reason = {.text = ""};
  if (netpbm_decode(&bytes, &image, &reason)) {
    Bytes written = {0};
    const size_t samples = (size_t)image.width * (size_t)image.height * 3;
    if (!netpbm_encode(&image, &written, &reason) || !netpbm_decode(&written, &back, &reason) ||
        back.width != image.width || back.height != image.height ||
        memcmp(back.rgb, image.rgb, samples) != 0)
      abort();
    free(written.data);
  } else if (reason.text[0] == '\0' || image.rgb != NULL) {
    abort();
  }
  free(image.rgb);
  free(back.rgb);
  free(bytes.data);
  return 0;
}
