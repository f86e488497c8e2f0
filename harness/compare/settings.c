#include "harness/compare/settings.h"

#include <stdio.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "harness/versions/knob_option.h"
#include "harness/process/message.h"

// Does a "VERSION.KNOB=VALUE" or "KNOB=VALUE" match this version? *assignment is "KNOB=VALUE".
static bool setting_matches(const char *setting, const SortVersion *version,
                            const char **assignment) {
  const size_t length = strlen(version->name), before_equals = strcspn(setting, "=");
  const char *const dot = memchr(setting, '.', before_equals);
  *assignment = dot == NULL ? setting : dot + 1;
  if (dot != NULL)
    return (size_t)(dot - setting) == length && strncmp(setting, version->name, length) == 0;
  return knob_find(version, setting, before_equals) >= 0;
}

static bool sweep_matches(const Sweep *sweep, const SortVersion *version) {
  if (sweep->version != NULL) return strcmp(sweep->version, version->name) == 0;
  return knob_find(version, sweep->knob, strlen(sweep->knob)) >= 0;
}

static void count_values(const Request *request, const SortVersion *version,
                         int counts[MAX_SWEEPS]) {
  for (int i = 0; i < MAX_SWEEPS; i++) {
    const bool swept = i < request->sweep_count && sweep_matches(&request->sweeps[i], version);
    counts[i] = swept ? request->sweeps[i].count : 1;
  }
}

int settings_combinations(const Request *request, const SortVersion *version) {
  int counts[MAX_SWEEPS];
  count_values(request, version, counts);
  return counts[0] * counts[1];
}

static void apply(Row *row, const char *assignment, const char *option) {
  Message message;
  if (!knob_option(row->loaded->version, assignment, &message))
    quit(EXIT_USAGE, "--%s: %s", option, message.text);
  row->shown[knob_find(row->loaded->version, assignment, strcspn(assignment, "="))] = true;
}

void settings_apply(Row *row, const Request *request, int combination) {
  const SortVersion *const version = row->loaded->version;
  int counts[MAX_SWEEPS];
  count_values(request, version, counts);
  const int indices[MAX_SWEEPS] = {combination / counts[1], combination % counts[1]};
  knobs_begin(version);
  for (int i = 0; i < request->setting_count; i++) {
    const char *assignment = NULL;
    if (setting_matches(request->settings[i], version, &assignment)) apply(row, assignment, "set");
  }
  for (int i = 0; i < MAX_SWEEPS && i < request->sweep_count; i++) {
    const Sweep *const sweep = &request->sweeps[i];
    if (!sweep_matches(sweep, version)) continue;
    char assignment[100];
    snprintf(assignment, sizeof assignment, "%s=%d", sweep->knob, sweep->values[indices[i]]);
    apply(row, assignment, "sweep");
  }
  for (int i = 0; version->knobs[i].name != NULL; i++) row->knobs[i] = knob(version->knobs[i].name);
}

static void require_setting_use(const char *setting, const LoadedVersion *const *chosen,
                                size_t count) {
  const char *assignment = NULL;
  for (size_t v = 0; v < count; v++)
    if (setting_matches(setting, chosen[v]->version, &assignment)) return;
  quit(EXIT_USAGE, "--set: '%s' matches none of the compared versions", setting);
}

static void require_sweep_use(const Sweep *sweep, const LoadedVersion *const *chosen,
                              size_t count) {
  for (size_t v = 0; v < count; v++)
    if (sweep_matches(sweep, chosen[v]->version)) return;
  quit(EXIT_USAGE, "--sweep: '%s' is a knob of none of the compared versions", sweep->knob);
}

void settings_require_use(const Request *request, const LoadedVersion *const *chosen,
                          size_t count) {
  const Sweep *const sweeps = request->sweeps;
  for (int i = 0; i < request->setting_count; i++)
    require_setting_use(request->settings[i], chosen, count);
  for (int i = 0; i < request->sweep_count; i++) require_sweep_use(&sweeps[i], chosen, count);
  if (request->sweep_count < 2 || strcmp(sweeps[0].knob, sweeps[1].knob) != 0) return;
  for (size_t v = 0; v < count; v++)
    if (sweep_matches(&sweeps[0], chosen[v]->version) &&
        sweep_matches(&sweeps[1], chosen[v]->version))
      quit(EXIT_USAGE, "--sweep: '%s' is swept twice", sweeps[0].knob);
}
