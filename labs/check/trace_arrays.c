#include "labs/check/trace_arrays.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

enum { MAX_ARRAYS = 4096, UNWRITTEN = 0xdb, MOST_VALUES = 4096 };

static TraceArray arrays[MAX_ARRAYS];
static int array_count;
static FILE *output;

extern const char __executable_start;  // set by the linker

cudaError_t __real_cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t __real_cudaMemset(void *memory, int value, size_t bytes);

void trace_open(const char *path) {
  output = fopen(path, "w");
  if (output == NULL) check_fail("trace: cannot write %s", path);
}

void trace_close(void) { fclose(output); }

void trace_write_line(json_t *object) {
  if (json_dumpf(object, output, JSON_COMPACT) != 0 || fputc('\n', output) == EOF ||
      fflush(output) != 0)  // so that a crash of the sort loses nothing
    check_fail("trace: cannot write the trace");
  json_decref(object);
}

static void fetch(const TraceArray *array, uint32_t *to) {
  CUDA_CHECK(
      __real_cudaMemcpy(to, array->memory, array->values * sizeof *to, cudaMemcpyDeviceToHost));
}

void trace_add_array(const char *kind, void *memory, size_t bytes, const void *caller) {
  if (array_count == MAX_ARRAYS) check_fail("trace: more than %d arrays", MAX_ARRAYS);
  const size_t values = bytes / sizeof(uint32_t);
  TraceArray *const array = &arrays[array_count];
  *array = (TraceArray){memory, MEMORY_CHECK(malloc((values + 1) * sizeof(uint32_t))), values};
  // As new memory of the cpu backend: values that were never written show.
  CUDA_CHECK(__real_cudaMemset(memory, UNWRITTEN, values * sizeof(uint32_t)));
  memset(array->copy, UNWRITTEN, values * sizeof(uint32_t));
  const json_int_t offset = caller == NULL ? 0 : (const char *)caller - &__executable_start;
  trace_write_line(json_pack("{s:s, s:i, s:s, s:I, s:I}", "event", "array", "id", array_count,
                             "kind", kind, "bytes", (json_int_t)bytes, "caller", offset));
  array_count++;
}

void trace_remove_array(const void *memory) {
  for (int i = 0; i < array_count; i++)
    if (memory != NULL && arrays[i].memory == memory) {
      arrays[i].memory = NULL;
      free(arrays[i].copy);
      trace_write_line(json_pack("{s:s, s:i}", "event", "free", "id", i));
    }
}

json_t *trace_place_of(const void *pointer) {
  for (int i = 0; i < array_count; i++) {
    const TraceArray *const array = &arrays[i];
    if (array->memory == NULL || (const char *)pointer < array->memory) continue;
    const size_t offset = (size_t)((const char *)pointer - array->memory) / sizeof(uint32_t);
    if (offset < array->values)
      return json_pack("{s:i, s:I}", "array", i, "offset", (json_int_t)offset);
  }
  return NULL;
}

json_t *trace_values(const uint32_t *values, size_t count) {
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
                            json_pack("[I, o]", (json_int_t)i, trace_values(now + i, end - i)));
    written += end - i;
    i = end + 1;
  }
  free(array->copy);
  array->copy = now;
  return runs;
}

json_t *trace_changes(void) {
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

const TraceArray *trace_array(int id) { return &arrays[id]; }
