#include "harness/compare/image_scores.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/process/message.h"
#include "harness/versions/program_folder.h"

static void run_program(char *image, char *eye_template, char *output) {
  char folder[PATH_MAX], program[PATH_MAX + 32];
  snprintf(program, sizeof program, "%s/red_eye_scores", program_folder(folder));
  // Its sentences begin with its name, so that the user reads which option they are about.
  char name[] = "compare: --image";
  char *const arguments[] = {name, image, eye_template, output, NULL};
  fflush(NULL);
  pid_t child = 0;
  const int error = posix_spawn(&child, program, NULL, NULL, arguments, environ);
  if (error != 0)
    quit(EXIT_USAGE, "--image needs the program %s ('make compare' builds it): %s", program,
         strerror(error));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status)) quit(EXIT_DEVICE, "--image: %s crashed", program);
  if (WEXITSTATUS(status) != EXIT_RIGHT) exit(WEXITSTATUS(status));  // it has printed why
}

InputFile image_scores(const char *image_and_template) {
  char *const image = MEMORY_CHECK(strdup(image_and_template));
  char *const comma = strchr(image, ',');
  if (comma == NULL || comma == image || comma[1] == '\0')
    quit(EXIT_USAGE, "--image takes IMAGE,TEMPLATE, not '%s'", image_and_template);
  *comma = '\0';
  // A file in memory that the child inherits: nothing to remove, whatever happens.
  const int memory = memfd_create("scores", 0);
  if (memory < 0) quit(EXIT_DEVICE, "--image: no memory: %s", strerror(errno));
  char output[32];
  Message message;
  snprintf(output, sizeof output, "/proc/self/fd/%d", memory);
  run_program(image, comma + 1, output);
  InputFile scores;
  if (!input_file_open(output, &scores, &message)) quit(EXIT_DEVICE, "--image: %s", message.text);
  close(memory);
  free(image);
  return scores;
}
