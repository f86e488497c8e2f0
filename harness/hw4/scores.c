// red_eye_scores IMAGE TEMPLATE OUTPUT: writes the keys that HW4 sorts for an image, one for each
// pixel, as .npy where OUTPUT ends so, else as raw little-endian u32. `compare --image` runs it.
#include "common/check.h"
#include "harness/hw4/image.h"
#include "harness/hw4/red_eye.h"
#include "harness/input/input_file.h"
#include "harness/process/message.h"

#include <stdlib.h>

int main(int argument_count, char **arguments) {
  if (argument_count != 4) quit(EXIT_USAGE, "usage: red_eye_scores IMAGE TEMPLATE OUTPUT");
  Message message;
  Image image, eye_template;
  if (!image_load(arguments[1], &image, &message) ||
      !image_load(arguments[2], &eye_template, &message))
    quit(message_code(&message), "%s", message.text);
  if (image.width < eye_template.width || image.height < eye_template.height)
    quit(EXIT_USAGE, "the image is smaller than the template");
  const size_t n = (size_t)image.width * (size_t)image.height;
  uint32_t *const keys = MEMORY_CHECK(malloc(n * sizeof *keys));
  red_eye_scores(&image, &eye_template, keys);
  if (!input_file_save(arguments[3], keys, n, &message)) quit(EXIT_USAGE, "%s", message.text);
  free(keys);
  image_free(&eye_template);
  image_free(&image);
  return EXIT_RIGHT;
}
