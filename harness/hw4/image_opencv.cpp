// Image formats other than Netpbm, through OpenCV (core and imgcodecs).
#include <fcntl.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "harness/hw4/image.h"

namespace {

// Keeps stderr to itself during its lifetime. OpenCV and its libraries print messages
// about a broken file, but the caller reports the failure in one sentence. At the level DEBUG
// OpenCV also passes on libtiff's messages, which it drops otherwise.
class CapturedStderr {
 public:
  CapturedStderr()
      : saved_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)),
        text_(memfd_create("stderr", MFD_CLOEXEC)),
        level_(cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_DEBUG)) {
    if (saved_ >= 0 && text_ >= 0) dup2(text_, STDERR_FILENO);
  }
  ~CapturedStderr() {
    cv::utils::logging::setLogLevel(level_);
    std::fflush(stderr);
    if (saved_ >= 0) {
      dup2(saved_, STDERR_FILENO);
      close(saved_);
    }
    if (text_ >= 0) close(text_);
  }
  CapturedStderr(const CapturedStderr &) = delete;
  CapturedStderr &operator=(const CapturedStderr &) = delete;

  std::string text() const {
    std::fflush(stderr);
    static char start[1 << 16];
    const ssize_t length = text_ < 0 ? 0 : pread(text_, start, sizeof start, 0);
    return std::string(start, length < 0 ? 0 : static_cast<size_t>(length));
  }

 private:
  int saved_, text_;
  cv::utils::logging::LogLevel level_;
};

// Warnings of decoders that go on with wrong pixels. Others are
// harmless: an odd colour profile, a field that is not known. WebP and BMP have no checksum, and
// their decoders warn of nothing: changed bytes are other pixels, so only files that are cut off
// are refused.
bool reports_damage(const std::string &line) {
  static const char *const warnings[] = {
      "Corrupt JPEG data", "Premature end of JPEG", "Invalid SOS parameters",
      "Inconsistent progression", "CRC error", "libpng error", "[ERROR",
      // libtiff: its decoders and what reads the pixels for them
      "Using code not yet in table",
      "Decode: ", "Decode1D: ", "Decode2D: ", "LZWDecodeCompat: ", "TIFFFillStrip", "TIFFFillTile",
      "TIFFReadRawStrip", "TIFFReadRawTile", "JPEGLib: "};
  static const char *const harmless[] = {"PreDecode: ", "not terminated with EOI code"};
  for (const char *sentence : harmless)
    if (line.find(sentence) != std::string::npos) return false;
  for (const char *warning : warnings)
    if (line.find(warning) != std::string::npos) return true;
  return false;
}

// The first line that reports damage, or "".
std::string damage_in(const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (reports_damage(line)) return line.back() == '.' ? line.substr(0, line.size() - 1) : line;
    at = end + 1;
  }
  return "";
}

// ---- cut-off files -----------------------------------------------------------------------------

// OpenCV accepts a JPEG whose end is missing and leaves the missing rows grey or undefined, so the
// end is checked here. The decoders of the other formats check it themselves.

bool is_jpeg(const Bytes *bytes) {
  return bytes->size >= 3 && std::memcmp(bytes->data, "\xff\xd8\xff", 3) == 0;
}

// Walks the markers (ITU-T T.81, annex B) up to end-of-image. A search for its two bytes FF D9
// would find the end of an embedded thumbnail.
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

// OpenCV's order is blue first.
void exchange_red_and_blue(const cv::Mat &from, cv::Mat to) {
  static const int channels[] = {0, 2, 1, 1, 2, 0};
  cv::mixChannels(&from, 1, &to, 1, channels, 3);
}

bool to_image(const cv::Mat &bgr, Image *image) {
  auto *const rgb = static_cast<unsigned char *>(std::malloc(bgr.total() * bgr.elemSize()));
  if (rgb == nullptr) return false;
  exchange_red_and_blue(bgr, cv::Mat(bgr.size(), CV_8UC3, rgb));
  *image = {bgr.cols, bgr.rows, rgb};
  return true;
}

cv::Mat from_image(const Image *image) {
  cv::Mat bgr(image->height, image->width, CV_8UC3);
  exchange_red_and_blue(cv::Mat(bgr.size(), CV_8UC3, image->rgb), bgr);
  return bgr;
}

}  // namespace

// ---- the codec ---------------------------------------------------------------------------------

bool opencv_decode(const Bytes *bytes, Image *image, Message *reason) {
  if (bytes->size > INT_MAX) return message_fail(reason, "is too large");
  if (is_jpeg(bytes) && !jpeg_is_complete(bytes))
    return message_fail(reason, "is cut off: the end of the JPEG image is missing");
  cv::Mat bgr;
  std::string said;
  try {
    const CapturedStderr captured;
    const cv::Mat file(1, static_cast<int>(bytes->size), CV_8UC1, bytes->data);
    bgr = cv::imdecode(file, cv::IMREAD_COLOR);
    said = captured.text();
  } catch (const std::exception &) {
    bgr.release();
  }
  if (bgr.empty() || bgr.type() != CV_8UC3)
    return message_fail(reason, "is not an image that OpenCV can read, or is damaged");
  const std::string damage = damage_in(said);
  if (!damage.empty()) return message_fail(reason, "is damaged: %s", damage.c_str());
  return to_image(bgr, image) || message_out_of_memory(reason);
}

bool opencv_encode(const Image *image, const char *suffix, Bytes *bytes, Message *reason) {
  std::vector<unsigned char> file;
  bool good = false;
  try {
    const CapturedStderr captured;
    good = cv::imencode(suffix, from_image(image), file);
  } catch (const std::exception &) {
    good = false;
  }
  if (!good || file.empty())
    return message_fail(reason, "cannot be stored in this format by OpenCV");
  bytes->data = static_cast<unsigned char *>(std::malloc(file.size()));
  if (bytes->data == nullptr) return message_out_of_memory(reason);
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
      const CapturedStderr captured;
      return cv::haveImageWriter(suffix);
    } catch (const std::exception &) {
      return false;
    }
  }
  return false;
}
