// compare: versions side by side on arrays, each judged before it is timed.
//
// The way of a row: command_line.c reads the request, plan.c makes the rows, supervise.c has them
// measured by worker.c in a child process, and outputs.c prints them as they come in.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/command_line.h"
#include "harness/compare/list.h"
#include "harness/compare/plan.h"
#include "harness/compare/supervise.h"
#include "harness/process/exit_guard.h"
#include "harness/input/input.h"
#include "harness/process/machine_memory.h"
#include "harness/process/message.h"
#include "harness/versions/version_check.h"

// The first n keys of a kind, drawn in parts, so that the device holds only one of them.
static void draw(uint32_t *keys, size_t n, int kind, uint64_t seed) {
  const size_t largest = (size_t)1 << 20, part = n < largest ? n : largest;
  unsigned int *d_keys = NULL;
  if (n == 0) return;
  CUDA_CHECK(cudaMalloc((void **)&d_keys, part * sizeof *d_keys));
  for (size_t first = 0; first < n; first += part) {
    const size_t count = n - first < part ? n - first : part;
    input_keys_part(kind, seed, d_keys, first, count, n);
    CUDA_CHECK(cudaMemcpy(keys + first, d_keys, count * sizeof *keys, cudaMemcpyDeviceToHost));
  }
  CUDA_CHECK(cudaFree(d_keys));
}

// --save-input: writes the one input, as it would be sorted, to a file.
static void save_input(const Request *request) {
  const Source *const source = &request->sources.entries[0];
  const size_t n = source_size(source, request->size_count == 0 ? NULL : request->sizes);
  uint32_t *const keys =
      n > machine_memory() / sizeof *keys ? NULL : malloc((n + 1) * sizeof *keys);
  if (keys == NULL) quit(EXIT_DEVICE, "%zu keys do not fit into memory", n);
  if (source->kind < 0)
    for (size_t i = 0; i < n; i++) keys[i] = source->file.keys[i % source->file.count];
  else
    draw(keys, n, source->kind, request->seed);
  Message message;
  if (!input_file_save(request->save_input, keys, n, &message))
    quit(EXIT_USAGE, "--save-input: %s", message.text);
  free(keys);
}

// A VERSION with a slash is a shared object from elsewhere.
static void load_paths(const Request *request, VersionList *versions) {
  Message message;
  for (int i = 0; i < request->name_count; i++) {
    if (strchr(request->names[i], '/') == NULL) continue;
    request->names[i] = version_list_add(versions, request->names[i], &message);
    if (request->names[i] == NULL) quit(EXIT_USAGE, "%s", message.text);
  }
}

int main(int argument_count, char **arguments) {
  exit_guard_output();
  Request request = command_line_parse(argument_count, arguments);
  if (request.save_input != NULL) {
    save_input(&request);
    sources_close(&request.sources);
    return EXIT_RIGHT;
  }
  VersionList versions;
  Message message;
  if (!version_list_load(&versions, &message)) quit(EXIT_USAGE, "%s", message.text);
  load_paths(&request, &versions);
  exit_guard_code();
  for (size_t i = 0; i < versions.count; i++)
    if (!version_check(versions.entries[i].version, "a version", &message))
      quit(EXIT_USAGE, "%s", message.text);
  Plan plan = plan_make(&request, &versions);
  int code = EXIT_RIGHT;
  if (request.list)
    list_print(&versions, &request);
  else if (plan.count == 0)
    quit(EXIT_USAGE, "every version is left out at this n: %s %s, for example",
         plan.left_out[0].version->name, plan.left_out[0].reason);
  else
    code = supervise(&request, &plan);
  plan_free(&plan);
  version_list_free(&versions);
  sources_close(&request.sources);
  return code;
}
