#include "harness/compare/list.h"

#include <inttypes.h>
#include <stdio.h>

#include "harness/measure/device_info.h"
#include "harness/input/input.h"

static void print_limits(const SortVersion *version) {
  printf("%s; %s", version->source, version->stable ? "stable" : "not stable");
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

void list_print(const VersionList *versions, const Request *request) {
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
  printf("\nInputs, for --dist (i: index; w: uniform 32-bit values):\n");
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++)
    printf("  %-18s %s\n", kind->name, kind->meaning);
  printf("  %-18s red-eye scores of the sample image, float bits (scripts/real_inputs.js)\n",
         "scores");
  printf("  %-18s Morton codes of the world's coasts and borders (scripts/real_inputs.js)\n",
         "morton");
}
