// For the tests of image files: a new folder, pictures, and what is expected of a refusal.
#ifndef TESTS_IMAGE_FILES_H
#define TESTS_IMAGE_FILES_H

#include "tests/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "harness/hw4/image.h"

static char folder[] = "/tmp/test_image.XXXXXX";
static Message message;

static inline Image pattern(int width, int height) {
  Image image = {width, height, malloc((size_t)width * (size_t)height * 3)};
  assert_non_null(image.rgb);
  for (int i = 0; i < width * height * 3; i++)
    image.rgb[i] = (unsigned char)(i % 3 * 80 + i / 3 % width * 2 + i / 3 / width);
  return image;
}

static inline void assert_same(const Image *a, const Image *b) {
  assert_int_equal(a->width, b->width);
  assert_int_equal(a->height, b->height);
  assert_memory_equal(a->rgb, b->rgb, (size_t)a->width * (size_t)a->height * 3);
}

static inline int files_here(void) {
  DIR *const here = opendir(".");
  assert_non_null(here);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(here)) != NULL;)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(here);
  return count;
}

// The message must hold `part`, and be a single line.
static void assert_message(const char *part) {
  if (strstr(message.text, part) == NULL) print_error("'%s' is not in: %s\n", part, message.text);
  assert_non_null(strstr(message.text, part));
  assert_null(strchr(message.text, '\n'));
}

static inline void assert_refused(const char *path, const char *part) {
  Image image = {1, 1, NULL};
  assert_false(image_load(path, &image, &message));
  assert_null(image.rgb);
  assert_int_equal(image.width, 0);
  assert_message(part);
  assert_message(path);
}

static inline int enter_folder(void) { return mkdtemp(folder) == NULL ? -1 : chdir(folder); }

static inline int leave_folder(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

#endif
