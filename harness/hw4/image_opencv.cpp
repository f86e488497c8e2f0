// Image formats other than Netpbm, through OpenCV (core and imgcodecs).
#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "harness/hw4/codec.h"

namespace {

// Discards stderr during its lifetime. OpenCV and its libraries print messages of their own about a
// broken file, but the caller reports the failure in one sentence.
class QuietStderr {
 public:
  QuietStderr() : saved_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (saved_ >= 0 && nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    if (nowhere >= 0) close(nowhere);
  }
  ~QuietStderr() {
    if (saved_ < 0) return;
    std::fflush(stderr);
    dup2(saved_, STDERR_FILENO);
    close(saved_);
  }
  QuietStderr(const QuietStderr &) = delete;
  QuietStderr &operator=(const QuietStderr &) = delete;

 private:
  int saved_;
};

// ---- cut-off files -----------------------------------------------------------------------------

// OpenCV accepts a JPEG whose end is missing and leaves the missing rows grey or undefined, so the
// end is checked here. The decoders of the other formats check it themselves.

bool is_jpeg(const Bytes *bytes) {
  return bytes->size >= 3 && std::memcmp(bytes->data, "\xff\xd8\xff", 3) == 0;
}

// Walks the markers (ITU-T T.81, annex B) up to end-of-image. A search for its two bytes FF D9
// would find those of an embedded thumbnail.
bool jpeg_is_complete(const Bytes *bytes) {
  const unsigned char *const data = bytes->data;
  for (size_t at = 2; at + 1 < bytes->size;) {
    const int marker = data[at + 1];
    if (data[at] != 0xff || marker == 0x00 || (marker >= 0xd0 && marker <= 0xd7)) {
      at += data[at] == 0xff ? 2 : 1;  // coded data, with its stuffed zeros and restart markers
    } else if (marker == 0xff) {
      at++;  // a fill byte
    } else if (marker == 0xd9) {
      return true;
    } else {
      if (at + 3 >= bytes->size) return false;
      at += 2 + (static_cast<size_t>(data[at + 2]) << 8 | data[at + 3]);
    }
  }
  return false;
}

// ---- conversion --------------------------------------------------------------------------------

// Converts from and to OpenCV's order, blue first.
bool to_image(const cv::Mat &bgr, Image *image) {
  const size_t width = static_cast<size_t>(bgr.cols), height = static_cast<size_t>(bgr.rows);
  auto *const rgb = static_cast<unsigned char *>(std::malloc(width * height * 3));
  if (rgb == nullptr) return false;
  for (size_t y = 0; y < height; y++) {
    const unsigned char *const from = bgr.ptr(static_cast<int>(y));
    unsigned char *const to = rgb + y * width * 3;
    for (size_t i = 0; i < width * 3; i++) to[i] = from[i + 2 - i % 3 * 2];
  }
  *image = {bgr.cols, bgr.rows, rgb};
  return true;
}

cv::Mat from_image(const Image *image) {
  cv::Mat bgr(image->height, image->width, CV_8UC3);
  const size_t width = static_cast<size_t>(image->width);
  for (int y = 0; y < image->height; y++) {
    const unsigned char *const from = image->rgb + static_cast<size_t>(y) * width * 3;
    unsigned char *const to = bgr.ptr(y);
    for (size_t i = 0; i < width * 3; i++) to[i] = from[i + 2 - i % 3 * 2];
  }
  return bgr;
}

}  // namespace

// ---- the codec ---------------------------------------------------------------------------------

bool opencv_decode(const Bytes *bytes, Image *image, Message *reason) {
  if (bytes->size > INT_MAX) return message_fail(reason, "is too large");
  if (is_jpeg(bytes) && !jpeg_is_complete(bytes))
    return message_fail(reason, "is cut off: the end of the JPEG image is missing");
  cv::Mat bgr;
  try {
    const QuietStderr quiet;
    const cv::Mat file(1, static_cast<int>(bytes->size), CV_8UC1, bytes->data);
    bgr = cv::imdecode(file, cv::IMREAD_COLOR);
  } catch (const std::exception &) {
    bgr.release();
  }
  if (bgr.empty() || bgr.type() != CV_8UC3)
    return message_fail(reason, "is not an image that OpenCV can read, or is damaged");
  return to_image(bgr, image) || codec_out_of_memory(reason);
}

bool opencv_encode(const Image *image, const char *suffix, Bytes *bytes, Message *reason) {
  std::vector<unsigned char> file;
  bool good = false;
  try {
    const QuietStderr quiet;
    good = cv::imencode(suffix, from_image(image), file);
  } catch (const std::exception &) {
    good = false;
  }
  if (!good || file.empty())
    return message_fail(reason, "cannot be stored in this format by OpenCV");
  bytes->data = static_cast<unsigned char *>(std::malloc(file.size()));
  if (bytes->data == nullptr) return codec_out_of_memory(reason);
  bytes->size = file.size();
  std::memcpy(bytes->data, file.data(), file.size());
  return true;
}

bool opencv_can_encode(const char *suffix) {
  // Formats with three channels of 8 bits; OpenCV also writes grey and floating-point ones.
  static const char *const formats[] = {".png", ".jpg",  ".jpeg", ".jpe", ".bmp", ".dib",
                                        ".tif", ".tiff", ".webp", ".jp2", ".ras", ".sr"};
  for (const char *format : formats) {
    if (strcasecmp(suffix, format) != 0) continue;
    try {
      const QuietStderr quiet;
      return cv::haveImageWriter(suffix);
    } catch (const std::exception &) {
      return false;
    }
  }
  return false;
}
