#include "harness/compare/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/compare/image_scores.h"
#include "harness/measure/device_info.h"
#include "harness/input/input.h"
#include "harness/process/message.h"
#include "harness/process/printable.h"
#include "harness/versions/program_folder.h"

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
    const int kind = input_find(name);
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
