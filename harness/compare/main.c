// compare: versions side by side on arrays, each judged before it is timed.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/compare.h"

void compare_quit(int code, const char *format, ...) {
  fflush(stdout);
  va_list arguments;
  va_start(arguments, format);
  fputs("compare: ", stderr);
  // clang-tidy 14 forgets va_start() when it reads several files.
  vfprintf(stderr, format, arguments);  // NOLINT(clang-analyzer-valist.Uninitialized)
  fputc('\n', stderr);
  va_end(arguments);
  exit(code);
}

// --save-input: the one input, as it would be sorted, goes to a file.
static void save_input(const Request *request) {
  const Source *const source = &request->sources[0];
  const size_t n = request->size_count > 0 ? (size_t)request->sizes[0]
                   : source->kind < 0      ? source->file.count
                                           : default_size();
  if (source->kind < 0 && !source->repeats && n > source->file.count)
    compare_quit(EXIT_USAGE, "%s holds only %zu keys, not %zu", source->name, source->file.count,
                 n);
  uint32_t *const keys = malloc((n == 0 ? 1 : n) * sizeof *keys);
  if (keys == NULL) compare_quit(EXIT_DEVICE, "%zu keys do not fit into memory", n);
  if (source->kind < 0) {
    for (size_t i = 0; i < n; i++) keys[i] = source->file.keys[i % source->file.count];
  } else {
    Workload workload = workload_create(n, false);
    workload_draw(&workload, source->kind, request->seed);
    CUDA_CHECK(cudaMemcpy(keys, workload.snapshot, n * sizeof *keys, cudaMemcpyDeviceToHost));
    workload_destroy(&workload);
  }
  Message message;
  if (!input_file_save(request->save_input, keys, n, &message))
    compare_quit(EXIT_USAGE, "--save-input: %s", message.text);
  free(keys);
}

// A VERSION with a slash is a shared object from elsewhere.
static void load_paths(const Request *request, VersionList *versions) {
  Message message;
  for (int i = 0; i < request->name_count; i++) {
    if (strchr(request->names[i], '/') == NULL) continue;
    request->names[i] = version_list_add(versions, request->names[i], &message);
    if (request->names[i] == NULL) compare_quit(EXIT_USAGE, "%s", message.text);
  }
}

int main(int argument_count, char **arguments) {
  Request request = options_parse(argument_count, arguments);
  if (request.save_input != NULL) {
    save_input(&request);
    return EXIT_RIGHT;
  }
  VersionList versions;
  Message message;
  if (!version_list_load(&versions, &message)) compare_quit(EXIT_USAGE, "%s", message.text);
  load_paths(&request, &versions);
  Plan plan = plan_make(&request, &versions);
  int code = EXIT_RIGHT;
  if (request.list)
    list_print(&versions, &request);
  else if (plan.count == 0)
    compare_quit(EXIT_USAGE, "every version is left out at this n: %s %s, for example",
                 plan.left_out[0].version->name, plan.left_out[0].reason);
  else
    code = supervise(&request, &plan);
  plan_free(&plan);
  version_list_free(&versions);
  for (int i = 0; i < request.source_count; i++) input_file_close(&request.sources[i].file);
  return code;
}
