// The formats of OpenCV: what is damaged is refused.
#include "tests/hw4/image_files.h"

#if HAVE_OPENCV
TEST(test_jpeg_is_close) {
  Image image = pattern(64, 48), back;
  memset(image.rgb, 200, (size_t)64 * 48 * 3);
  for (int i = 0; i < 64 * 48; i++) image.rgb[i * 3 + 2] = 20;
  assert_true(image_save("a.jpg", &image, &message));
  assert_true(image_load("a.jpg", &back, &message));
  assert_int_equal(back.width, 64);
  for (int i = 0; i < 64 * 48 * 3; i++) assert_in_range(back.rgb[i] + 8 - image.rgb[i], 0, 16);
  image_free(&image);
  image_free(&back);
  unlink("a.jpg");
}

// Files of every format, cut off anywhere, are refused, and no library prints anything on stderr.
TEST(test_cut_off) {
  static const char *const names[] = {"a.png", "a.jpg", "a.bmp", "a.tif", "a.webp", "a.ppm"};
  const int saved = dup(STDERR_FILENO);
  const int heard = open("heard", O_CREAT | O_RDWR | O_TRUNC, 0666);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!image_can_save(names[i], &message)) continue;
    Image image = pattern(83, 61);
    assert_true(image_save(names[i], &image, &message));
    struct stat status;
    assert_int_equal(stat(names[i], &status), 0);
    const off_t size = status.st_size;
    for (off_t cut = size - 1; cut > 0; cut -= cut < 64 || cut + 64 > size ? 1 : size / 30) {
      assert_int_equal(truncate(names[i], cut), 0);
      Image none = {0};
      dup2(heard, STDERR_FILENO);
      const bool accepted = image_load(names[i], &none, &message);
      dup2(saved, STDERR_FILENO);
      if (accepted)
        fail_msg("%s was accepted with %ld of %ld bytes", names[i], (long)cut, (long)size);
      assert_null(none.rgb);
    }
    image_free(&image);
    unlink(names[i]);
  }
  assert_int_equal(lseek(heard, 0, SEEK_END), 0);
  close(heard);
  close(saved);
  unlink("heard");
}

// Reads a file of which `cut` bytes are missing in the middle, or changed.
static void expect_damaged(const char *path, bool remove) {
  enum { CUT = 2000 };
  static unsigned char bytes[1 << 20];
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  const size_t size = fread(bytes, 1, sizeof bytes, file), middle = size / 2;
  fclose(file);
  assert_in_range(size, 2 * CUT, sizeof bytes - 1);
  if (remove)
    memmove(bytes + middle, bytes + middle + CUT, size - middle - CUT);
  else
    for (size_t i = 0; i < 50; i++) bytes[middle + i] ^= 0x5a;
  write_file("damaged", bytes, remove ? size - CUT : size);
  assert_refused("damaged", "damaged");
  unlink("damaged");
}

// Decoders go on after damage; but damage that a decoder noticed is refused, and the decoder prints
// nothing on stderr. PNG has checksums, and the coded data of JPEG and of TIFF's LZW are not any
// bytes. Changed bytes of WebP and BMP are other pixels, which no decoder can notice.
TEST(test_damaged) {
  static const struct {
    const char *name;
    bool changes_noticed;
  } cases[] = {
      {"a.png", true}, {"a.jpg", true}, {"a.webp", false}, {"a.tif", true}, {"a.bmp", false}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    if (!image_can_save(cases[i].name, &message)) continue;
    Image image = pattern(400, 300);
    for (size_t j = 0; j < (size_t)400 * 300 * 3; j++) image.rgb[j] ^= next_random() >> 28;
    assert_true(image_save(cases[i].name, &image, &message));
    image_free(&image);
    assert_true(image_load(cases[i].name, &image, &message));
    image_free(&image);
    expect_damaged(cases[i].name, true);
    if (cases[i].changes_noticed) expect_damaged(cases[i].name, false);
    unlink(cases[i].name);
  }
}

// A header of 30,000 x 30,000 pixels without any.
TEST(test_huge_header) {
  static const char png[] =
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\2\0\0\0\xe9\x45\x6f\xed"
      "\0\0\0\0IDAT\x35\xaf\x06\x1e";
  write_file("huge", png, sizeof png - 1);
  assert_refused("huge", "is not an image that OpenCV can read, or is damaged");
  unlink("huge");
}

int main(void) {
  if (enter_folder() != 0) return 1;
  const int failed = run_all_tests("image formats", NULL, NULL);
  return leave_folder() != 0 ? 1 : failed;
}
#else
int main(void) {
  puts("1..1\nok 1 - image formats # skip built without OpenCV");
  return 0;
}
#endif
