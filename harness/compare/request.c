#include "harness/compare/request.h"

#include <limits.h>
#include <string.h>

#include "common/check.h"
#include "harness/process/parse.h"
#include "harness/process/message.h"

void request_add_sizes(Request *request, const char *text) {
  const char *const problem = parse_sizes(text, request->sizes, &request->size_count, MAX_SIZES);
  if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
}

void request_set_offsets(Request *request, const char *text) {
  uint64_t values[ARRAYS];
  int count = 0;
  const char *const problem = parse_sizes(text, values, &count, ARRAYS);
  if (problem != NULL || (count != 1 && count != ARRAYS))
    quit(EXIT_USAGE, "--offset takes one number or four like 3,3,0,0, not '%s'", text);
  for (int i = 0; i < ARRAYS; i++) {
    const uint64_t offset = values[count == 1 ? 0 : i];
    if (offset > MOST_OFFSET) quit(EXIT_USAGE, "--offset goes to %d, not '%s'", MOST_OFFSET, text);
    request->offsets[i] = (unsigned char)offset;
  }
}

void request_add_sweep(Request *request, char *text) {
  if (request->sweep_count == MAX_SWEEPS)
    quit(EXIT_USAGE, "--sweep goes over one or two knobs, '%s' is the third", text);
  char *const equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    quit(EXIT_USAGE, "--sweep: '%s' is not of the form VERSION.KNOB=VALUES", text);
  uint64_t values[MAX_SWEEP_VALUES];
  Sweep *const sweep = &request->sweeps[request->sweep_count++];
  const char *const problem = parse_sizes(equals + 1, values, &sweep->count, MAX_SWEEP_VALUES);
  if (problem != NULL) quit(EXIT_USAGE, "--sweep: %s", problem);
  for (int i = 0; i < sweep->count; i++) {
    if (values[i] > INT_MAX) quit(EXIT_USAGE, "--sweep: a value of '%s' is too large", text);
    sweep->values[i] = (int)values[i];
  }
  *equals = '\0';
  char *const dot = strchr(text, '.');
  sweep->knob = dot == NULL ? text : dot + 1;
  sweep->version = dot == NULL ? NULL : text;
  if (dot != NULL) *dot = '\0';
}

// The index of a text in names[count], or -1. The text ends at its end or at `length`.
static int index_of(const char *text, size_t length, const char *const *names, int count) {
  for (int i = 0; i < count; i++)
    if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) return i;
  return -1;
}

RowOrder request_order(const char *name) {
  static const char *const names[] = {"time", "name", "given"};  // from ORDER_TIME on
  const int index = index_of(name, strlen(name), names, 3);
  if (index < 0) quit(EXIT_USAGE, "--sort takes time, name or given, not '%s'", name);
  return (RowOrder)(ORDER_TIME + index);
}
