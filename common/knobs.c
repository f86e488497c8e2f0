#include "common/knobs.h"

#include <string.h>

#include "common/check.h"

static const SortVersion *current;
static int values[MAX_KNOBS];

int knob_find(const SortVersion *version, const char *name, size_t length) {
  for (int i = 0; version->knobs[i].name != NULL; i++)
    if (strlen(version->knobs[i].name) == length &&
        strncmp(version->knobs[i].name, name, length) == 0)
      return i;
  return -1;
}

int knob(const char *name) {
  const int i = current == NULL ? -1 : knob_find(current, name, strlen(name));
  if (i < 0)
    check_fail("knobs: %s does not declare a knob '%s'",
               current != NULL ? current->name : "no version", name);
  return values[i];
}

void knobs_begin(const SortVersion *version) {
  current = version;
  for (int i = 0; version->knobs[i].name != NULL; i++) {
    if (i == MAX_KNOBS)
      check_fail("knobs: %s declares more than %d knobs", version->name, MAX_KNOBS);
    values[i] = version->knobs[i].default_value;
  }
}

void knob_set(int index, int value) {
  int count = 0;
  while (current != NULL && current->knobs[count].name != NULL) count++;
  if (index < 0 || index >= count)
    check_fail("knobs: %s has no knob number %d", current != NULL ? current->name : "no version",
               index);
  const SortKnob *const declared = &current->knobs[index];
  if (value < declared->min || value > declared->max)
    check_fail("knobs: %s of %s takes %d to %d, not %d", declared->name, current->name,
               declared->min, declared->max, value);
  values[index] = value;
}
