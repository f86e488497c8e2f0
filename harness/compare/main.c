// compare: versions side by side on arrays, each judged before it is timed.
//
// The way of a row: request.c reads the command line, plan.c makes the rows, supervise.c has them
// measured by worker.c in a child process, and output.c prints them as they come in.
#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/device.h"
#include "harness/compare/plan.h"
#include "harness/compare/supervise.h"
#include "harness/process/exit_guard.h"
#include "harness/input/input.h"
#include "harness/process/read_file.h"
#include "harness/process/message.h"
#include "harness/versions/version_check.h"

// ---- --list -------------------------------------------------------------------------------------

static void print_limits(const SortVersion *version) {
  printf("%s; %s", version->source, version->stable ? "stable" : "not stable");
  if (version->pairs_only) printf("; pairs only");
  if (version->max_n >= 1ull << 40)
    printf("; any n that fits");
  else if (version->max_n == UINT32_MAX)
    printf("; n below 2^32");
  else
    printf("; n up to %" PRIu64, version->max_n);
  if (version->slow_n != 0)
    printf("; above %" PRIu64 " slow: left out unless named", version->slow_n);
  puts(version->on_host ? "; runs on the host's processor" : "");
}

static void print_scratch(const SortVersion *version) {
  const double per_key = version->scratch_per_key, per_pair = version->scratch_per_pair;
  if (per_key < 0.0)
    puts("Scratch memory: unknown");
  else
    printf("Scratch memory: %g bytes per key, %g per pair\n", per_key, per_pair);
}

static void print_knobs(const SortVersion *version) {
  const SortKnob *knob = version->knobs;
  printf("%s\n", knob->name == NULL ? "No knobs." : "Knobs, for --set and --sweep:");
  for (; knob->name != NULL; knob++)
    printf("  %-16s %d (%d to %d): %s\n", knob->name, knob->default_value, knob->min, knob->max,
           knob->meaning);
}

static void print_version(const SortVersion *version) {
  printf("%s: %s\n", version->name, version->title);
  print_limits(version);
  printf("Stages:");
  for (const char *const *stage = version->stages; *stage != NULL; stage++) printf(" %s", *stage);
  putchar('\n');
  print_scratch(version);
  print_knobs(version);
}

// --list: all versions and inputs, or the named versions with their knobs.
static void list_print(const VersionList *versions, const Request *request) {
  for (int i = 0; i < request->name_count; i++) {
    if (i > 0) putchar('\n');
    print_version(version_list_find(versions, request->names[i])->version);
  }
  if (request->name_count > 0) return;

  printf("Versions (%s backend); --list VERSION lists the knobs of one:\n", device_backend());
  for (size_t i = 0; i < versions->count; i++) {
    const SortVersion *const version = versions->entries[i].version;
    printf("  %-18s %s\n  %-18s ", version->name, version->title, "");
    print_limits(version);
  }
  static const char *const notes[] = {
      [KEY_I32] = "; a key is the number - 2^31",
      [KEY_F32] = "; a key is the number / 2^32",
      [KEY_U64] = "; 64 replaces 32",
      [KEY_I64] = "; 64 replaces 32, a key is the number - 2^63",
      [KEY_F64] = "; 64 replaces 32, a key is the number / 2^64",
      [KEY_U32] = "",
  };
  printf("\nInputs, for --dist (i: index; w: uniform 32-bit values%s):\n", notes[request->type]);
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++)
    printf("  %-18s %s\n", kind->name, kind->meaning);
  for (int i = 0; wide_kinds[i].name != NULL; i++)
    if (input_fits(FIRST_WIDE + i, request->type))
      printf("  %-18s %s\n", wide_kinds[i].name, wide_kinds[i].meaning);
  if (request->type != KEY_U32) return;
  printf("  %-18s red-eye scores of the sample image, float bits (scripts/real_inputs.js)\n",
         "scores");
  printf("  %-18s Morton codes of the world's coasts and borders (scripts/real_inputs.js)\n",
         "morton");
}

// ---- --save-input -------------------------------------------------------------------------------

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

// Writes the one input, as it would be sorted, to a file.
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

// ---- the program --------------------------------------------------------------------------------

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
  Request request = request_parse(argument_count, arguments);
  if (request.save_input != NULL) {
    save_input(&request);
    sources_close(&request.sources);
    return EXIT_RIGHT;
  }
  VersionList versions;
  Message message;
  char folder[32] = "";
  if (request.type != KEY_U32)
    snprintf(folder, sizeof folder, "typed/%s_%d/", type_name(request.type),
             request.values64 ? 8 : 4);
  if (!version_list_load(&versions, folder, &message)) quit(EXIT_USAGE, "%s", message.text);
  load_paths(&request, &versions);
  for (size_t i = 0; i < versions.count; i++) {
    const SortVersion *const version = versions.entries[i].version;
    if (!version_check(version, "a version", &message)) quit(EXIT_USAGE, "%s", message.text);
    if (version->key != request.type || version->values64 != request.values64)
      quit(EXIT_USAGE, "%s does not sort %s keys", version->name, type_name(request.type));
  }
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
