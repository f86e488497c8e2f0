// Reading and writing image files; the formats themselves are image_netpbm.c and image_opencv.cpp.
#include "harness/hw4/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/process/save_file.h"

void image_free(Image *image) {
  free(image->rgb);
  *image = (Image){0};
}

// ---- reading -----------------------------------------------------------------------------------

static bool decode(const Bytes *bytes, Image *image, Message *reason) {
  if (bytes->size == 0) return message_fail(reason, "is empty");
  // Our own codec even where OpenCV has one, so that both builds read the same pixels.
  const bool own =
      bytes->size >= 2 && bytes->data[0] == 'P' && (bytes->data[1] == '5' || bytes->data[1] == '6');
  if (own) return netpbm_decode(bytes, image, reason);
#if HAVE_OPENCV
  return opencv_decode(bytes, image, reason);
#else
  return message_fail(
      reason,
      "is not a binary Netpbm image (P5 or P6), and this program was built without OpenCV, "
      "which reads other formats");
#endif
}

bool image_load(const char *path, Image *image, Message *message) {
  *image = (Image){0};
  Bytes bytes;
  Message reason;
  const bool good = read_file(path, true, &bytes, &reason) && decode(&bytes, image, &reason);
  bytes_free(&bytes);
  if (good) return true;
  message_write(message, "'%s' %s", path, reason.text);
  message->out_of_memory = reason.out_of_memory;
  return false;
}

// ---- writing -----------------------------------------------------------------------------------

// The end of the file's name from its last dot, or "".
static const char *suffix_of(const char *path) {
  const char *const slash = strrchr(path, '/');
  const char *const dot = strrchr(slash != NULL ? slash : path, '.');
  return dot != NULL ? dot : "";
}

static bool is_netpbm(const char *suffix) {
  return strcasecmp(suffix, ".ppm") == 0 || strcasecmp(suffix, ".pnm") == 0;
}

static bool check_suffix(const char *path, Message *message) {
  const char *const suffix = suffix_of(path);
  if (is_netpbm(suffix)) return true;
#if HAVE_OPENCV
  if (opencv_can_encode(suffix)) return true;
  return message_fail(
      message,
      "cannot write '%s': its name must end in .png, .jpg, .ppm or the suffix of another "
      "colour format that OpenCV writes",
      path);
#else
  return message_fail(
      message,
      "cannot write '%s': its name must end in .ppm, because this program was built without "
      "OpenCV, which writes other formats",
      path);
#endif
}

// Checks that a file with this name may be created, or replaced.
static bool check_place(const char *path, Message *reason) {
  struct stat status;
  if (stat(path, &status) == 0) {
    if (S_ISDIR(status.st_mode)) return message_fail(reason, "it is a folder");
    if (!S_ISREG(status.st_mode)) return message_fail(reason, "it is not a file");
    if (access(path, W_OK) != 0) return message_fail(reason, "%s", strerror(errno));
  }
  const char *const slash = strrchr(path, '/');
  char *const folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (folder == NULL) return message_fail(reason, "%s", strerror(errno));
  const bool writable = access(folder, W_OK | X_OK) == 0;
  const int error = errno;
  free(folder);
  return writable || message_fail(reason, "its folder: %s", strerror(error));
}

bool image_can_save(const char *path, Message *message) {
  if (!check_suffix(path, message)) return false;
  Message reason;
  return check_place(path, &reason) ||
         message_fail(message, "cannot write '%s': %s", path, reason.text);
}

static bool encode(const char *path, const Image *image, Bytes *bytes, Message *reason) {
#if HAVE_OPENCV
  const char *const suffix = suffix_of(path);
  if (!is_netpbm(suffix)) return opencv_encode(image, suffix, bytes, reason);
#else
  (void)path;  // image_can_save has checked it
#endif
  return netpbm_encode(image, bytes, reason);
}

bool image_save(const char *path, const Image *image, Message *message) {
  if (!image_can_save(path, message)) return false;
  Bytes bytes = {0};
  Message reason;
  if (!encode(path, image, &bytes, &reason)) {
    message_write(message, "cannot write '%s': the picture %s", path, reason.text);
    message->out_of_memory = reason.out_of_memory;
    return false;
  }
  SaveFile file;
  bool good = save_file_open(path, &file, message);
  if (good) {
    save_file_write(&file, bytes.data, bytes.size);
    good = save_file_commit(&file, message);
  }
  bytes_free(&bytes);
  return good;
}
