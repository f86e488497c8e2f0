// Files that appear complete or not at all: plain ones, links, devices, and every way to fail.
#include "tests/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "harness/input/input_file.h"
#include "harness/process/save_file.h"

static const char path[] = "file";
static Message message;

// The linker sends every open() here. While it is set, the file system has no nameless files.
static bool without_tmpfile;
int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...) {
  if (!without_tmpfile || (flags & O_TMPFILE) != O_TMPFILE) return __real_open(name, flags, 0666);
  errno = EOPNOTSUPP;
  return -1;
}

static void save(const char *where, const char *text) {
  SaveFile file;
  if (!save_file_open(where, &file, &message)) fail_msg("%s", message.text);
  fputs(text, file.stream);
  if (!save_file_commit(&file, &message)) fail_msg("%s", message.text);
  assert_null(file.stream);
}

static void expect_text(const char *where, const char *text) {
  char there[64] = "";
  FILE *const file = fopen(where, "r");
  assert_non_null(file);
  there[fread(there, 1, sizeof there - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(there, text);
}

static void expect_alone(const char *names) {
  const char *const command = text_of("test \"$(ls -A | tr '\\n' ' ')\" = '%s '", names);
  if (system(command) != 0) fail_msg("%s", command);
}

static void check_new_and_old(void) {
  umask(022);
  save(path, "one");
  expect_text(path, "one");
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0644);
  assert_int_equal(chmod(path, 0640), 0);
  save(path, "two");
  expect_text(path, "two");
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0640);  // as the file that it replaces
  expect_alone("file");
}

TEST_WITH(test_new_and_old, enter_folder, leave_folder) { check_new_and_old(); }

TEST_WITH(test_with_a_temporary_name, enter_folder, leave_folder) {
  without_tmpfile = true;
  check_new_and_old();
  SaveFile file;
  assert_true(save_file_open(path, &file, &message));
  assert_non_null(file.temporary);
  save_file_drop(&file);
  without_tmpfile = false;
  expect_text(path, "two");
  expect_alone("file");
}

// Until the commit the old file is there, complete.
TEST_WITH(test_not_before_the_commit, enter_folder, leave_folder) {
  save(path, "old");
  SaveFile file;
  assert_true(save_file_open(path, &file, &message));
  fputs("new", file.stream);
  fflush(file.stream);
  expect_text(path, "old");
  save_file_drop(&file);
  save_file_drop(&file);
  expect_text(path, "old");
  expect_alone("file");
}

TEST_WITH(test_killed, enter_folder, leave_folder) {
  save(path, "old");
  const pid_t child = fork();
  if (child == 0) {
    SaveFile file;
    if (save_file_open(path, &file, &message) && fputs("new", file.stream) >= 0) {
      fflush(file.stream);
      if (file.temporary == NULL) raise(SIGKILL);
    }
    _exit(77);  // a file system without O_TMPFILE
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) skip();
  expect_text(path, "old");
  expect_alone("file");
}

TEST_WITH(test_links, enter_folder, leave_folder) {
  assert_int_equal(symlink("file", "link"), 0);
  save("link", "made");  // the link led nowhere
  expect_text(path, "made");
  save("link", "replaced");
  expect_text(path, "replaced");
  struct stat about;
  assert_int_equal(lstat("link", &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  expect_alone("file link");
}

static void expect_refusal(const char *where, const char *why) {
  SaveFile file;
  assert_false(save_file_open(where, &file, &message));
  assert_memory_equal(message.text, where, strlen(where));
  expect_part(message.text, why);
}

TEST_WITH(test_refusals, enter_folder, leave_folder) {
  expect_refusal("/no/such/folder/x", "cannot be written: No such file or directory");
  expect_refusal(folder, "cannot be written: Is a directory");
  assert_int_equal(symlink("ring", "ring"), 0);
  expect_refusal("ring", "Too many levels of symbolic links");
  if (geteuid() == 0) return;  // to whom nothing is read-only
  save(path, "old");
  assert_int_equal(chmod(path, 0400), 0);
  expect_refusal(path, "Permission denied");
}

// Devices are written in place: neither replaced nor removed, and a full one has its own sentence.
TEST(test_devices) {
  save("/dev/null", "text");
  SaveFile file;
  assert_true(save_file_open("/dev/full", &file, &message));
  for (int i = 0; i < 100000; i++) fputs("more than a buffer holds\n", file.stream);
  assert_false(save_file_commit(&file, &message));
  assert_string_equal(message.text, "/dev/full cannot be written: No space left on device");
  static const uint32_t keys[] = {1, 2};
  assert_false(input_file_save("/dev/full", keys, 2, &message));
  assert_string_equal(message.text, "/dev/full cannot be written: No space left on device");
  static uint32_t many[100000];  // more than a buffer holds
  assert_false(input_file_save("/dev/full", many, 100000, &message));
  assert_string_equal(message.text, "/dev/full cannot be written: No space left on device");
  struct stat about;
  assert_int_equal(stat("/dev/full", &about), 0);
  assert_true(S_ISCHR(about.st_mode));
  assert_int_equal(stat("/dev/null", &about), 0);
  assert_true(S_ISCHR(about.st_mode));
}

RUN_TESTS("save_file", NULL, NULL)
