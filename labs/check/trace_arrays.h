// The device arrays of the traced sort, and the file that the trace goes to.
#ifndef LABS_CHECK_TRACE_ARRAYS_H
#define LABS_CHECK_TRACE_ARRAYS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TraceArray {
  char *memory;    // on the device; NULL once it is freed
  uint32_t *copy;  // its contents after the last step
  size_t values;   // of 32 bits
} TraceArray;

// Opens and closes the file; a failure ends the program with exit code 3.
void trace_open(const char *path);
void trace_close(void);

// Writes a line. Takes the object.
void trace_write_line(json_t *object);

// A new array, numbered from 0, or one that is freed: filled, and written as an event. `caller`:
// the return address in the version, or NULL.
void trace_add_array(const char *kind, void *memory, size_t bytes, const void *caller);
void trace_remove_array(const void *memory);
const TraceArray *trace_array(int id);

// {"array": its number, "offset": in values}, or NULL for a pointer into none.
json_t *trace_place_of(const void *pointer);

json_t *trace_values(const uint32_t *values, size_t count);

// A list of the arrays that have changed since the last call, with the runs of changed values.
json_t *trace_changes(void);

#endif
