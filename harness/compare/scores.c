// compare --image: an image's scores as keys. They are computed in a child process, because the
// scores are computed by many threads, and a process with threads cannot be forked safely later.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/compare/compare.h"
#include "harness/hw4/image.h"
#include "harness/hw4/red_eye.h"

// In the child: writes the keys to the file.
static void write_scores(const char *image_path, const char *template_path, int file) {
  Message message;
  Image image, eye_template;
  if (!image_load(image_path, &image, &message) ||
      !image_load(template_path, &eye_template, &message))
    compare_quit(EXIT_USAGE, "--image: %s", message.text);
  if (image.width < eye_template.width || image.height < eye_template.height)
    compare_quit(EXIT_USAGE, "--image: the image is smaller than the template");
  const size_t bytes = (size_t)image.width * (size_t)image.height * sizeof(uint32_t);
  uint32_t *const keys = ftruncate(file, (off_t)bytes) == 0
                             ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
  if (keys == MAP_FAILED || !red_eye_scores(&image, &eye_template, keys))
    compare_quit(EXIT_DEVICE, "--image: the scores do not fit into memory");
  _exit(EXIT_RIGHT);
}

InputFile scores_of_image(const char *image_and_template) {
  char *const image_path = strdup(image_and_template);
  char *const comma = image_path == NULL ? NULL : strchr(image_path, ',');
  if (comma == NULL || comma == image_path || comma[1] == '\0')
    compare_quit(EXIT_USAGE, "--image takes IMAGE,TEMPLATE, not '%s'", image_and_template);
  *comma = '\0';
  const int file = memfd_create("scores", MFD_CLOEXEC);
  if (file < 0) compare_quit(EXIT_DEVICE, "--image: no memory: %s", strerror(errno));
  fflush(NULL);
  const pid_t child = fork();
  if (child < 0) compare_quit(EXIT_DEVICE, "--image: no process: %s", strerror(errno));
  if (child == 0) write_scores(image_path, comma + 1, file);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status)) compare_quit(EXIT_DEVICE, "--image: the scores could not be computed");
  if (WEXITSTATUS(status) != EXIT_RIGHT) exit(WEXITSTATUS(status));  // it has said why
  struct stat about;
  InputFile scores = {0};
  if (fstat(file, &about) == 0) scores.bytes = (size_t)about.st_size;
  scores.mapping = mmap(NULL, scores.bytes, PROT_READ, MAP_SHARED, file, 0);
  if (scores.mapping == MAP_FAILED) compare_quit(EXIT_DEVICE, "--image: %s", strerror(errno));
  scores.keys = scores.mapping;
  scores.count = scores.bytes / sizeof *scores.keys;
  close(file);
  free(image_path);
  return scores;
}
