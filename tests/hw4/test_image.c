// Image files: written images are read back unchanged, broken files are refused in one sentence.
#include "tests/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "harness/hw4/image.h"

static Message message;

static Image pattern(int width, int height) {
  Image image = {width, height, malloc((size_t)width * (size_t)height * 3)};
  assert_non_null(image.rgb);
  for (int i = 0; i < width * height * 3; i++)
    image.rgb[i] = (unsigned char)(i % 3 * 80 + i / 3 % width * 2 + i / 3 / width);
  return image;
}

static void assert_same(const Image *a, const Image *b) {
  assert_int_equal(a->width, b->width);
  assert_int_equal(a->height, b->height);
  assert_memory_equal(a->rgb, b->rgb, (size_t)a->width * (size_t)a->height * 3);
}

// The message must hold `part`, and be a single line.
static void assert_message(const char *part) {
  expect_part(message.text, part);
  assert_null(strchr(message.text, '\n'));
}

static void assert_refused(const char *path, const char *part) {
  Image image = {1, 1, NULL};
  assert_false(image_load(path, &image, &message));
  assert_null(image.rgb);
  assert_int_equal(image.width, 0);
  assert_message(part);
  assert_message(path);
}

// ---- files --------------------------------------------------------------------------------------

static void round_trip(const char *path, int width, int height) {
  Image image = pattern(width, height), back = {0};
  if (!image_save(path, &image, &message) || !image_load(path, &back, &message))
    fail_msg("%s", message.text);
  assert_same(&image, &back);
  image_free(&image);
  image_free(&back);
  assert_null(image.rgb);
  assert_int_equal(unlink(path), 0);
}

TEST_WITH(test_round_trip, enter_folder, leave_folder) {
  static const char *const names[] = {
    "a.ppm",
    "a.PPM",
    "./a.b.pnm",
#if HAVE_OPENCV
    "a.png",
    "a.PNG",
    "a.bmp",
    "a.tif",
    "a.tiff",
#endif
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    round_trip(names[i], 1, 1);
    round_trip(names[i], 37, 1);
    round_trip(names[i], 1, 41);
    round_trip(names[i], 53, 31);
  }
  round_trip(text_of("%s/b.ppm", folder), 5, 4);
  assert_int_equal(files_here(), 0);
}

TEST_WITH(test_unreadable, enter_folder, leave_folder) {
  write_file("empty.png", "", 0);
  write_file("text.png", "no image at all\n", 16);
  assert_refused("missing.png", "No such file");
  assert_refused(".", "folder");
  assert_refused("/dev/zero", "not a file");
  assert_refused("empty.png", "is empty");
  assert_refused("text.png", HAVE_OPENCV ? "not an image" : "without OpenCV");
  assert_refused("text.png/x.png", "Not a directory");
}

static void assert_unwritable(const char *path, const char *part) {
  Image image = pattern(3, 2);
  const int before = files_here();
  assert_false(image_can_save(path, &message));
  assert_message(part);
  assert_false(image_save(path, &image, &message));
  assert_message(part);
  assert_int_equal(files_here(), before);
  image_free(&image);
}

TEST_WITH(test_unwritable, enter_folder, leave_folder) {
  assert_int_equal(mkdir("folder.ppm", 0777), 0);
  assert_int_equal(mkfifo("pipe.ppm", 0666), 0);
  assert_unwritable("", "must end in");
  assert_unwritable("picture", "must end in");
  assert_unwritable("ppm", "must end in");
  assert_unwritable("a.ppm/picture", "must end in");
  assert_unwritable("picture.gif", "must end in");
  assert_unwritable("picture.pgm", "must end in");  // would lose the colours
  assert_unwritable("picture.", "must end in");
  assert_unwritable("missing/picture.ppm", "No such file");
  assert_unwritable("folder.ppm", "it is a folder");
  assert_unwritable("pipe.ppm", "it is not a file");
  if (!HAVE_OPENCV) assert_unwritable("picture.png", "without OpenCV");
}

// As another user than root, who may write everywhere.
TEST_WITH(test_read_only_folder, enter_folder, leave_folder) {
  assert_int_equal(chmod(".", 0555), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(0);
    _exit(image_can_save("picture.ppm", &message) ? 7 : 0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(chmod(".", 0755), 0);
  assert_int_equal(WEXITSTATUS(status), 0);
}

// In a child that may write 1,000 bytes per file, which fails like a full disk.
static int save_with_little_room(const char *path) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, 1000});
    Image image = pattern(100, 100);
    _exit(image_save(path, &image, &message) ? 0 : 7);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

TEST_WITH(test_full_disk_leaves_the_old_file, enter_folder, leave_folder) {
  assert_int_equal(save_with_little_room("new.ppm"), 7);
  assert_int_equal(files_here(), 0);
  write_file("old.ppm", "P6 1 1 255\n\1\2\3", 14);
  assert_int_equal(save_with_little_room("old.ppm"), 7);
  assert_int_equal(files_here(), 1);
  Image image;
  assert_true(image_load("old.ppm", &image, &message));
  image_free(&image);
}

// A pipe, as of `HW4 <(program) ...`, that is written late and in parts.
TEST_WITH(test_pipes, enter_folder, leave_folder) {
  assert_int_equal(mkfifo("pipe", 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    usleep(300000);
    const int end = open("pipe", O_WRONLY);
    static const char *const parts[] = {"P6 1 ", "1 255\n", "\1\2\3"};
    for (int i = 0; i < 3; i++) {
      if (write(end, parts[i], strlen(parts[i])) < 0) _exit(1);
      usleep(100000);
    }
    _exit(0);
  }
  Image image;
  if (!image_load("pipe", &image, &message)) fail_msg("%s", message.text);
  assert_int_equal(image.rgb[2], 3);
  image_free(&image);
  assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST_WITH(test_long_path, enter_folder, leave_folder) {
  static char path[5001];
  memset(path, 'x', 5000);
  Image image;
  assert_false(image_load(path, &image, &message));
  assert_message("x' cannot be opened: File name too long");
  assert_int_equal(message_code(&message), EXIT_USAGE);
}

// A file of 4 TB without blocks.
TEST_WITH(test_no_memory, enter_folder, leave_folder) {
  write_file("big.ppm", "P6 1 1 255\n\1\2\3", 14);
  assert_int_equal(truncate("big.ppm", (off_t)1 << 42), 0);
  Image image;
  assert_false(image_load("big.ppm", &image, &message));
  assert_message("does not fit into memory");
  assert_int_equal(message_code(&message), EXIT_DEVICE);
}

// ---- the formats of OpenCV: what is damaged is refused ------------------------------------------

#if HAVE_OPENCV
TEST_WITH(test_jpeg_is_close, enter_folder, leave_folder) {
  Image image = pattern(64, 48), back;
  memset(image.rgb, 200, (size_t)64 * 48 * 3);
  for (int i = 0; i < 64 * 48; i++) image.rgb[i * 3 + 2] = 20;
  assert_true(image_save("a.jpg", &image, &message));
  assert_true(image_load("a.jpg", &back, &message));
  assert_int_equal(back.width, 64);
  for (int i = 0; i < 64 * 48 * 3; i++) assert_in_range(back.rgb[i] + 8 - image.rgb[i], 0, 16);
  image_free(&image);
  image_free(&back);
}

// Files of every format, cut off anywhere, are refused, and no library prints anything on stderr.
TEST_WITH(test_cut_off, enter_folder, leave_folder) {
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
  }
  assert_int_equal(lseek(heard, 0, SEEK_END), 0);
  close(heard);
  close(saved);
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
}

// Decoders go on after damage; but damage that a decoder noticed is refused, and the decoder prints
// nothing on stderr. PNG has checksums, and the coded data of JPEG and of TIFF's LZW are not any
// bytes. Changed bytes of WebP and BMP are other pixels, which no decoder can notice.
TEST_WITH(test_damaged, enter_folder, leave_folder) {
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
  }
}

// A header of 30,000 x 30,000 pixels without any.
TEST_WITH(test_huge_header, enter_folder, leave_folder) {
  static const char png[] =
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x75\x30\0\0\x75\x30\x08\2\0\0\0\xe9\x45\x6f\xed"
      "\0\0\0\0IDAT\x35\xaf\x06\x1e";
  write_file("huge", png, sizeof png - 1);
  assert_refused("huge", "is not an image that OpenCV can read, or is damaged");
}
#endif

RUN_TESTS("image files", NULL, NULL)
