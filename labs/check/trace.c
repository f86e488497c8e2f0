// trace OUT KEYS|PAIRS [KNOB=VALUE...] -- KEY...: sorts a few keys and writes what each step of the
// sort left in each device array, one JSON object per line, to the file OUT. Steps are kernels,
// memory sets and copies. labs/check/trace.py starts it, names the arrays and prints them. Exit
// code: 0 sorted, 1 wrong, 2 usage, 3 device.
//
//   {"event": "array", "id": 5, "kind": "scratch", "bytes": 24, "caller": 38914}
//   {"event": "kernel", "name": "histogram", "grid": [1, 1, 1], "block": [256, 1, 1],
//    "stage": "hist", "arguments": [{"index": 1, "array": 5, "offset": 0}],
//    "changed": [{"array": 4, "runs": [[1, [3, 3]]]}]}
//
// "caller" and "address" are return addresses and kernels as bytes from this program's start.
// Offsets and lengths are in 32-bit values, except "bytes". A run is the index of its first value,
// and the values.
#include "labs/check/trace.h"

#include <cuda_runtime_api.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/lab.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "harness/versions/version_check.h"

static bool sorting;  // your_sort() runs
static int depth;     // of watched functions that run
static char stage[64];
static json_t *arguments;  // of the next kernel

extern const char __executable_start;  // set by the linker

bool trace_watching(void) { return sorting && depth == 0; }

// ---- the arrays ---------------------------------------------------------------------------------

enum { MAX_ARRAYS = 4096, UNWRITTEN = 0xdb, MOST_VALUES = 4096 };

typedef struct TraceArray {
  char *memory;    // on the device; NULL once it is freed
  uint32_t *copy;  // its contents after the last step
  size_t values;   // of 32 bits
} TraceArray;

static TraceArray arrays[MAX_ARRAYS];
static int array_count;
static FILE *output;

cudaError_t __real_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t __real_cudaMemset(void *memory, int value, size_t bytes);

// Takes the object.
static void write_line(json_t *object) {
  if (json_dumpf(object, output, JSON_COMPACT) != 0 || fputc('\n', output) == EOF ||
      fflush(output) != 0)  // so that a crash of the sort loses nothing
    check_fail("trace: cannot write the trace");
  json_decref(object);
}

static void fetch(const TraceArray *array, uint32_t *to) {
  CUDA_CHECK(
      __real_cudaMemcpy(to, array->memory, array->values * sizeof *to, cudaMemcpyDeviceToHost));
}

// A new array, filled and written as an event. `caller`: the return address in the version, or
// NULL.
static void add_array(const char *kind, void *memory, size_t bytes, const void *caller) {
  if (array_count == MAX_ARRAYS) check_fail("trace: more than %d arrays", MAX_ARRAYS);
  const size_t values = bytes / sizeof(uint32_t);
  TraceArray *const array = &arrays[array_count];
  *array = (TraceArray){memory, MEMORY_CHECK(malloc((values + 1) * sizeof(uint32_t))), values};
  // As new memory of the cpu backend: values that were never written show.
  CUDA_CHECK(__real_cudaMemset(memory, UNWRITTEN, values * sizeof(uint32_t)));
  memset(array->copy, UNWRITTEN, values * sizeof(uint32_t));
  const json_int_t offset = caller == NULL ? 0 : (const char *)caller - &__executable_start;
  write_line(json_pack("{s:s, s:i, s:s, s:I, s:I}", "event", "array", "id", array_count, "kind",
                       kind, "bytes", (json_int_t)bytes, "caller", offset));
  array_count++;
}

static void remove_array(const void *memory) {
  for (int i = 0; i < array_count; i++)
    if (memory != NULL && arrays[i].memory == memory) {
      arrays[i].memory = NULL;
      free(arrays[i].copy);
      write_line(json_pack("{s:s, s:i}", "event", "free", "id", i));
    }
}

// {"array": its number, "offset": in values}, or NULL for a pointer into none.
static json_t *place_of(const void *pointer) {
  for (int i = 0; i < array_count; i++) {
    const TraceArray *const array = &arrays[i];
    if (array->memory == NULL || (const char *)pointer < array->memory) continue;
    const size_t offset = (size_t)((const char *)pointer - array->memory) / sizeof(uint32_t);
    if (offset < array->values)
      return json_pack("{s:i, s:I}", "array", i, "offset", (json_int_t)offset);
  }
  return NULL;
}

static json_t *values_json(const uint32_t *values, size_t count) {
  json_t *const list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_integer(values[i]));
  return list;
}

// The runs of changed values of an array; updates its copy.
static json_t *changed_runs(TraceArray *array) {
  uint32_t *const now = MEMORY_CHECK(malloc((array->values + 1) * sizeof *now));
  fetch(array, now);
  json_t *const runs = json_array();
  size_t written = 0;
  for (size_t i = 0; i < array->values && written < MOST_VALUES;) {
    size_t end = i;
    while (end < array->values && now[end] != array->copy[end]) end++;
    if (end > i)
      json_array_append_new(runs,
                            json_pack("[I, o]", (json_int_t)i, values_json(now + i, end - i)));
    written += end - i;
    i = end + 1;
  }
  free(array->copy);
  array->copy = now;
  return runs;
}

// A list of the arrays that have changed since the last call, with the runs of changed values.
static json_t *changes_json(void) {
  json_t *const changed = json_array();
  for (int i = 0; i < array_count; i++) {
    if (arrays[i].memory == NULL) continue;
    json_t *const runs = changed_runs(&arrays[i]);
    if (json_array_size(runs) > 0)
      json_array_append_new(changed, json_pack("{s:i, s:O}", "array", i, "runs", runs));
    json_decref(runs);
  }
  return changed;
}

// ---- steps --------------------------------------------------------------------------------------

// The functions that the linker puts in the place of those that the version calls.
#define WRAPPED(type, name, ...)   \
  type __real_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__); \
  type __wrap_##name(__VA_ARGS__)

// Writes a step with the values that it changed. Takes the object.
static void write_step(json_t *step) {
  json_object_set_new(step, "stage", json_string(stage));
  json_object_set_new(step, "changed", changes_json());
  write_line(step);
}

void trace_argument(int index, const void *pointer) {
  json_t *const place = place_of(pointer);
  if (arguments == NULL) arguments = json_array();
  if (place == NULL) return;
  json_object_set_new(place, "index", json_integer(index));
  json_array_append_new(arguments, place);
}

void trace_launched(const char *name, const void *address, const unsigned int *grid,
                    const unsigned int *block, size_t shared_bytes) {
  CUDA_CHECK(cudaDeviceSynchronize());
  const json_int_t offset = address == NULL ? 0 : (const char *)address - &__executable_start;
  if (arguments == NULL) arguments = json_array();
  json_t *const step =
      json_pack("{s:s, s:s?, s:I, s:[i,i,i], s:[i,i,i], s:I, s:o}", "event", "kernel", "name", name,
                "address", offset, "grid", grid[0], grid[1], grid[2], "block", block[0], block[1],
                block[2], "shared", (json_int_t)shared_bytes, "arguments", arguments);
  arguments = NULL;
  write_step(step);
}

static void memory_step(const char *kind, const void *to, const void *from, int value,
                        size_t bytes) {
  CUDA_CHECK(cudaDeviceSynchronize());
  json_t *const target = place_of(to), *const source = from == NULL ? NULL : place_of(from);
  write_step(json_pack("{s:s, s:o?, s:o?, s:i, s:I}", "event", kind, "to", target, "from", source,
                       "value", value, "bytes", (json_int_t)bytes));
}

WRAPPED(void *, scratch_alloc, size_t bytes) {
  depth++;
  void *const memory = __real_scratch_alloc(bytes);
  depth--;
  if (trace_watching()) add_array("scratch", memory, bytes, __builtin_return_address(0));
  return memory;
}
WRAPPED(void, scratch_free, void *block) {
  if (trace_watching()) remove_array(block);
  depth++;
  __real_scratch_free(block);
  depth--;
}
WRAPPED(cudaError_t, cudaMalloc, void **memory, size_t bytes) {
  const cudaError_t error = __real_cudaMalloc(memory, bytes);
  if (trace_watching() && error == cudaSuccess && bytes > 0)
    add_array("cudaMalloc", *memory, bytes, __builtin_return_address(0));
  return error;
}
WRAPPED(cudaError_t, cudaFree, void *memory) {
  if (trace_watching()) remove_array(memory);
  return __real_cudaFree(memory);
}
WRAPPED(cudaError_t, cudaMemset, void *memory, int value, size_t bytes) {
  const cudaError_t error = __real_cudaMemset(memory, value, bytes);
  if (trace_watching() && error == cudaSuccess) memory_step("memset", memory, NULL, value, bytes);
  return error;
}
WRAPPED(cudaError_t, cudaMemsetAsync, void *memory, int value, size_t bytes, cudaStream_t stream) {
  const cudaError_t error = __real_cudaMemsetAsync(memory, value, bytes, stream);
  if (trace_watching() && error == cudaSuccess) memory_step("memset", memory, NULL, value, bytes);
  return error;
}
WRAPPED(cudaError_t, cudaMemcpy, void *to, const void *from, size_t bytes,
        enum cudaMemcpyKind kind) {
  const cudaError_t error = __real_cudaMemcpy(to, from, bytes, kind);
  if (trace_watching() && error == cudaSuccess) memory_step("copy", to, from, 0, bytes);
  return error;
}
WRAPPED(cudaError_t, cudaMemcpyAsync, void *to, const void *from, size_t bytes,
        enum cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error = __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
  if (trace_watching() && error == cudaSuccess) memory_step("copy", to, from, 0, bytes);
  return error;
}
WRAPPED(void, stage_start, const char *name) {
  __real_stage_start(name);
  snprintf(stage, sizeof stage, "%s", name);
}
WRAPPED(void, stage_stop, void) {
  __real_stage_stop();
  stage[0] = '\0';
}
WRAPPED(void, lab_show_host, const char *name, const unsigned int *array, size_t count) {
  __real_lab_show_host(name, array, count);
  write_line(json_pack("{s:s, s:s, s:s, s:o}", "event", "host", "name", name, "stage", stage,
                       "values", values_json(array, count)));
}

// ---- the run ------------------------------------------------------------------------------------

static bool sorted_right(const uint32_t *keys, const TraceArray *in, const TraceArray *out) {
  const size_t n = in->values;
  for (size_t i = 0; i < n; i++) {
    size_t before = 0, equal = 0;  // n is small
    for (size_t j = 0; j < n; j++) {
      before += keys[j] < out->copy[i];
      equal += keys[j] == out->copy[i];
    }
    if (equal == 0 || i < before || i >= before + equal) return false;
  }
  return true;
}

int main(int count, char **texts) {
  if (count < 4 || (strcmp(texts[2], "KEYS") != 0 && strcmp(texts[2], "PAIRS") != 0)) {
    fprintf(stderr, "usage: trace OUT KEYS|PAIRS [KNOB=VALUE...] -- KEY...\n");
    return 2;
  }
  output = fopen(texts[1], "w");
  if (output == NULL) check_fail("trace: cannot write %s", texts[1]);
  const bool pairs = texts[2][0] == 'P';
  knobs_begin(&sort_version);
  int next = 3;
  for (; next < count && strcmp(texts[next], "--") != 0; next++) {
    Message message;
    if (!knob_option(&sort_version, texts[next], &message)) {
      fprintf(stderr, "trace: %s\n", message.text);
      return 2;
    }
  }
  const size_t n = next + 1 < count ? (size_t)(count - next - 1) : 0;
  uint32_t *const host[2] = {MEMORY_CHECK(calloc(n + 1, sizeof(uint32_t))),
                             MEMORY_CHECK(calloc(n + 1, sizeof(uint32_t)))};
  for (size_t i = 0; i < n; i++) {
    host[0][i] = (uint32_t)strtoul(texts[(size_t)next + 1 + i], NULL, 10);
    host[1][i] = (uint32_t)i;
  }
  static const char *const names[] = {"inputVals", "inputPos", "outputVals", "outputPos"};
  unsigned int *device[4] = {NULL};
  for (int i = 0; i < 4; i++) {
    if (i % 2 == 1 && !pairs) continue;
    CUDA_CHECK(__real_cudaMalloc((void **)&device[i], (n + 1) * sizeof(uint32_t)));
    add_array(names[i], device[i], n * sizeof(uint32_t), NULL);
    if (i < 2)
      CUDA_CHECK(
          __real_cudaMemcpy(device[i], host[i], n * sizeof(uint32_t), cudaMemcpyHostToDevice));
  }
  write_step(json_pack("{s:s, s:s}", "event", "start", "title", sort_version.title));
  stages_begin(&sort_version, false);
  sorting = true;
  your_sort(device[0], device[1], device[2], device[3], n);
  CUDA_CHECK(cudaDeviceSynchronize());
  sorting = false;
  write_step(json_pack("{s:s}", "event", "end"));
  const bool right = sorted_right(host[0], &arrays[0], &arrays[pairs ? 2 : 1]);
  fclose(output);
  return right ? 0 : 1;
}
