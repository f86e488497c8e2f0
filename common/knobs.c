#include "common/knobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

static const SortVersion *current;
static int values[MAX_KNOBS];

static int find(const char *name, size_t length) {
  for (int i = 0; current != NULL && current->knobs[i].name != NULL; i++)
    if (strlen(current->knobs[i].name) == length &&
        strncmp(current->knobs[i].name, name, length) == 0)
      return i;
  return -1;
}

int knob(const char *name) {
  const int i = find(name, strlen(name));
  if (i < 0) {
    fprintf(stderr, "knobs: %s does not declare a knob '%s'\n",
            current != NULL ? current->name : "no version", name);
    exit(EXIT_DEVICE);
  }
  return values[i];
}

void knobs_begin(const SortVersion *version) {
  current = version;
  for (int i = 0; version->knobs[i].name != NULL; i++) {
    if (i == MAX_KNOBS) {
      fprintf(stderr, "knobs: %s declares more than %d knobs\n", version->name, MAX_KNOBS);
      exit(EXIT_DEVICE);
    }
    values[i] = version->knobs[i].default_value;
  }
}

// Appends "; it has a, b, c" so that a typing error can be mended without opening the help.
static void list_names(char *message, size_t size) {
  size_t used = strlen(message);
  for (int i = 0; current->knobs[i].name != NULL && used < size; i++)
    used += (size_t)snprintf(message + used, size - used, "%s%s", i == 0 ? "; it has " : ", ",
                             current->knobs[i].name);
}

bool knob_set(const char *assignment, char *message, size_t message_size) {
  const char *const equals = strchr(assignment, '=');
  if (equals == NULL || equals == assignment || equals[1] == '\0') {
    snprintf(message, message_size, "'%s' is not of the form KNOB=VALUE", assignment);
    return false;
  }
  const int i = find(assignment, (size_t)(equals - assignment));
  if (i < 0) {
    snprintf(message, message_size, "%s has no knob '%.*s'", current->name,
             (int)(equals - assignment), assignment);
    list_names(message, message_size);
    return false;
  }
  const SortKnob *const declared = &current->knobs[i];
  char *end = NULL;
  errno = 0;
  const long value = strtol(equals + 1, &end, 10);
  if (errno != 0 || *end != '\0' || value < declared->min || value > declared->max) {
    snprintf(message, message_size, "knob %s takes a whole number from %d to %d, not '%s'",
             declared->name, declared->min, declared->max, equals + 1);
    return false;
  }
  values[i] = (int)value;
  return true;
}
