// Where compare's keys come from: --dist and --input.
#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "harness/compare/compare.h"
#include "harness/input.h"

Source *source_add(Request *request, const char *name) {
  if (request->source_count == MAX_SOURCES)
    compare_quit(EXIT_USAGE, "there are more than %d inputs at '%s'", MAX_SOURCES, name);
  Source *const source = &request->sources[request->source_count++];
  *source = (Source){.name = name, .kind = -1};
  return source;
}

void sources_add_file(Request *request, const char *path) {
  Message message;
  if (!input_file_open(path, &source_add(request, path)->file, &message))
    compare_quit(EXIT_USAGE, "--input: %s", message.text);
}

// scores and morton: real inputs that scripts/real_inputs.js leaves in build/inputs.
static void add_real(Request *request, const char *name) {
  char executable[PATH_MAX], path[PATH_MAX + 64];
  Message message;
  const ssize_t length = readlink("/proc/self/exe", executable, sizeof executable - 1);
  executable[length < 0 ? 0 : length] = '\0';
  snprintf(path, sizeof path, "%s/../inputs/%s.npy", dirname(executable), name);
  if (access(path, R_OK) != 0)
    compare_quit(EXIT_USAGE, "the input %s is not there yet: run scripts/real_inputs.js", name);
  Source *const source = source_add(request, name);
  source->repeats = true;
  if (!input_file_open(path, &source->file, &message)) compare_quit(EXIT_USAGE, "%s", message.text);
}

void sources_add_names(Request *request, char *list) {
  char *rest = NULL;
  const int before = request->source_count;
  for (char *name = strtok_r(list, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
    const int kind = input_find(name);
    if (kind >= 0)
      source_add(request, name)->kind = kind;
    else if (strcmp(name, "scores") == 0 || strcmp(name, "morton") == 0)
      add_real(request, name);
    else
      compare_quit(EXIT_USAGE, "no input is called '%s'; --list names them", name);
  }
  if (request->source_count == before) compare_quit(EXIT_USAGE, "--dist names no input");
}
