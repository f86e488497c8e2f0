#include "harness/versions/knob_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/knobs.h"

// Lists the valid names after the mistyped one, so that the help need not be opened.
static bool no_such_knob(const SortVersion *version, const char *name, size_t length,
                         Message *message) {
  char names[512] = "";
  size_t used = 0;
  for (int i = 0; version->knobs[i].name != NULL && used < sizeof names; i++)
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "; it has " : ", ",
                             version->knobs[i].name);
  return message_fail(message, "%s has no knob '%.*s'%s", version->name, (int)length, name, names);
}

bool knob_option(const SortVersion *version, const char *assignment, Message *message) {
  const char *const equals = strchr(assignment, '=');
  if (equals == NULL || equals == assignment || equals[1] == '\0')
    return message_fail(message, "'%s' is not of the form KNOB=VALUE", assignment);
  const size_t length = (size_t)(equals - assignment);
  const int index = knob_find(version, assignment, length);
  if (index < 0) return no_such_knob(version, assignment, length, message);
  const SortKnob *const declared = &version->knobs[index];
  char *end = NULL;
  errno = 0;
  const long value = strtol(equals + 1, &end, 10);
  if (errno != 0 || *end != '\0' || value < declared->min || value > declared->max)
    return message_fail(message, "knob %s takes a whole number from %d to %d, not '%s'",
                        declared->name, declared->min, declared->max, equals + 1);
  knob_set(index, (int)value);
  return true;
}
