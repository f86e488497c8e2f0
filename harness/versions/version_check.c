#include "harness/versions/version_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/knobs.h"
#include "harness/process/message.h"

static bool is_printable(const char *text) {
  char copy[1000];
  if (text == NULL || text[0] == '\0' || strlen(text) >= sizeof copy) return false;
  printable_utf8(text, copy, sizeof copy);
  return strcmp(text, copy) == 0;
}

static bool check_stages(const SortVersion *version, Message *message) {
  if (version->stages == NULL)
    return message_fail(message,
                        "%s: sort_version.stages is NULL; without stages it is a list of "
                        "only NULL",
                        version->name);
  for (const char *const *stage = version->stages; *stage != NULL; stage++)
    if (!is_printable(*stage))
      return message_fail(message, "%s: stage %d has no printable name", version->name,
                          (int)(stage - version->stages) + 1);
  return true;
}

static bool check_knobs(const SortVersion *version, Message *message) {
  if (version->knobs == NULL)
    return message_fail(message,
                        "%s: sort_version.knobs is NULL; without knobs it is a list of "
                        "only an entry without a name",
                        version->name);
  for (int i = 0; version->knobs[i].name != NULL; i++) {
    const SortKnob *const knob = &version->knobs[i];
    if (i == MAX_KNOBS)
      return message_fail(message, "%s has more than %d knobs", version->name, MAX_KNOBS);
    if (!is_printable(knob->name) || !is_printable(knob->meaning))
      return message_fail(message, "%s: knob %d has no printable name and meaning", version->name,
                          i + 1);
    if (knob->default_value < knob->min || knob->default_value > knob->max)
      return message_fail(message, "%s: the default of knob %s is %d, outside %d to %d",
                          version->name, knob->name, knob->default_value, knob->min, knob->max);
  }
  return true;
}

bool version_check(const SortVersion *version, const char *where, Message *message) {
  if (!is_printable(version->name))
    return message_fail(message, "%s has no printable name in sort_version", where);
  if (!is_printable(version->title) || !is_printable(version->source))
    return message_fail(message, "%s has no printable title and source in sort_version",
                        version->name);
  return check_stages(version, message) && check_knobs(version, message);
}

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
