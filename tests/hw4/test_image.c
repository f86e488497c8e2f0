// Image files: written images are read back unchanged, broken files are refused in one sentence.
#include "tests/hw4/image_files.h"

#include <signal.h>
#include <sys/resource.h>

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

TEST(test_round_trip) {
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
  char absolute[128];
  snprintf(absolute, sizeof absolute, "%s/b.ppm", folder);
  round_trip(absolute, 5, 4);
  assert_int_equal(files_here(), 0);
}

TEST(test_unreadable) {
  write_file("empty.png", "", 0);
  write_file("text.png", "no image at all\n", 16);
  assert_refused("missing.png", "No such file");
  assert_refused(".", "folder");
  assert_refused("/dev/zero", "not a file");
  assert_refused("empty.png", "is empty");
  assert_refused("text.png", HAVE_OPENCV ? "not an image" : "without OpenCV");
  assert_refused("text.png/x.png", "Not a directory");
  unlink("empty.png");
  unlink("text.png");
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

TEST(test_unwritable) {
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
  rmdir("folder.ppm");
  unlink("pipe.ppm");
}

// As another user than root, who may write everywhere.
TEST(test_read_only_folder) {
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

TEST(test_full_disk_leaves_the_old_file) {
  assert_int_equal(save_with_little_room("new.ppm"), 7);
  assert_int_equal(files_here(), 0);
  write_file("old.ppm", "P6 1 1 255\n\1\2\3", 14);
  assert_int_equal(save_with_little_room("old.ppm"), 7);
  assert_int_equal(files_here(), 1);
  Image image;
  assert_true(image_load("old.ppm", &image, &message));
  image_free(&image);
  unlink("old.ppm");
}

// A pipe, as of `HW4 <(program) ...`, that is written late and in parts.
TEST(test_pipes) {
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
  unlink("pipe");
}

TEST(test_long_path) {
  static char path[5001];
  memset(path, 'x', 5000);
  Image image;
  assert_false(image_load(path, &image, &message));
  assert_message("x': File name too long");
  assert_int_equal(message_code(&message), EXIT_USAGE);
}

// A file of 4 TB without blocks.
TEST(test_no_memory) {
  write_file("big.ppm", "P6 1 1 255\n\1\2\3", 14);
  assert_int_equal(truncate("big.ppm", (off_t)1 << 42), 0);
  Image image;
  assert_false(image_load("big.ppm", &image, &message));
  assert_message("does not fit into memory");
  assert_int_equal(message_code(&message), EXIT_DEVICE);
  unlink("big.ppm");
}

int main(void) {
  if (enter_folder() != 0) return 1;
  const int failed = run_all_tests("image files", NULL, NULL);
  return leave_folder() != 0 ? 1 : failed;
}
