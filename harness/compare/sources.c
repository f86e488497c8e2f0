#include "harness/compare/sources.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/check.h"
#include "common/device.h"
#include "harness/input/input.h"
#include "harness/process/message.h"
#include "harness/versions/version_list.h"

static Source *add(SourceList *list, Source source) {
  if (list->count == MAX_SOURCES)
    quit(EXIT_USAGE, "there are more than %d inputs at '%s'", MAX_SOURCES, source.name);
  Source *const added = &list->entries[list->count++];
  *added = source;
  return added;
}

void sources_add_file(SourceList *list, const char *path) {
  Message message;
  // As outputs show it: JSON takes only UTF-8, and a terminal no control characters.
  const size_t size = 4 * strlen(path) + 1;
  char *const name = MEMORY_CHECK(malloc(size));
  printable_utf8(path, name, size);
  Source *const source = add(list, (Source){.name = name, .path_name = name, .kind = -1});
  if (!input_file_open(path, &source->file, &message))
    quit(message_code(&message), "--input: %s", message.text);
}

// ---- --image ------------------------------------------------------------------------------------

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

// Runs the program red_eye_scores, which lies beside this one, and maps what it writes. It is a
// process because the scores are computed by many threads, and compare forks later, which is safe
// only without threads.
static InputFile image_scores(const char *image_and_template) {
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

void sources_add_image(SourceList *list, const char *image_and_template) {
  Source *const source = add(list, (Source){.name = "scores", .kind = -1});
  source->file = image_scores(image_and_template);
}

// scores and morton: real inputs that scripts/real_inputs.js leaves in build/inputs.
static void add_real(SourceList *list, const char *name) {
  char folder[PATH_MAX], path[PATH_MAX + 64];
  Message message;
  snprintf(path, sizeof path, "%s/../inputs/%s.npy", program_folder(folder), name);
  if (access(path, R_OK) != 0)
    quit(EXIT_USAGE, "the input %s is not there yet: run scripts/real_inputs.js", name);
  Source *const source = add(list, (Source){.name = name, .kind = -1, .repeats = true});
  if (!input_file_open(path, &source->file, &message))
    quit(message_code(&message), "%s", message.text);
}

void sources_add_names(SourceList *list, char *names) {
  char *rest = NULL;
  const int before = list->count;
  for (char *name = strtok_r(names, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    const int any = input_find(name), kind = any >= 0 ? any : wide_find(name);
    if (kind >= 0)
      add(list, (Source){.name = name, .kind = kind});
    else if (strcmp(name, "scores") == 0 || strcmp(name, "morton") == 0)
      add_real(list, name);
    else
      quit(EXIT_USAGE, "no input is called '%s'; --list names them", name);
  }
  if (list->count == before) quit(EXIT_USAGE, "--dist names no input");
}

void sources_close(SourceList *list) {
  for (int i = 0; i < list->count; i++) {
    input_file_close(&list->entries[i].file);
    free(list->entries[i].path_name);
  }
  list->count = 0;
}

// A GPU sorts a million elements in less time than a CPU runs its kernels on 16,384.
static size_t default_size(void) {
  return strcmp(device_backend(), "cpu") == 0 ? 1 << 14 : 1000000;
}

size_t source_size(const Source *source, const uint64_t *wanted) {
  const bool is_file = source->kind < 0;
  const size_t n = wanted != NULL ? *wanted : is_file ? source->file.count : default_size();
  if (is_file && !source->repeats && n > source->file.count)
    quit(EXIT_USAGE, "%s holds only %zu keys, not %zu", source->name, source->file.count, n);
  return n;
}
