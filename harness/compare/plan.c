#include "harness/compare/plan.h"

#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "harness/process/message.h"
#include "harness/versions/version_check.h"

static void *grown(void *memory, size_t count, size_t size) {
  // At powers of two the capacity doubles.
  if ((count & (count - 1)) != 0) return memory;
  return MEMORY_CHECK(realloc(memory, (count == 0 ? 1 : 2 * count) * size));
}

// ---- which versions ----------------------------------------------------------------------------

// Ends the program when there is no such version; the sentence begins with `where`. The cpu backend
// lacks those that need a GPU.
static const LoadedVersion *find(const VersionList *versions, const char *name, const char *where) {
  const LoadedVersion *const found = version_list_find(versions, name);
  const KeyType type = versions->entries[0].version->key;
  if (found == NULL && type == KEY_U32)
    quit(EXIT_USAGE, "%sno version on the %s backend is called '%s'; --list names them", where,
         device_backend(), name);
  if (found == NULL)
    quit(EXIT_USAGE,
         "%s'%s' does not sort %s keys on the %s backend; --list --type %s names what does", where,
         name, type_name(type), device_backend(), type_name(type));
  return found;
}

// The named versions in the order of the command line, else those that a sweep names, else all.
static size_t choose(const Request *request, const VersionList *versions,
                     const LoadedVersion **chosen) {
  size_t count = 0;
  for (int i = 0; i < request->name_count; i++)
    chosen[count++] = find(versions, request->names[i], "");
  for (int i = 0; request->name_count == 0 && i < request->sweep_count; i++) {
    const char *const name = request->sweeps[i].version;
    if (name != NULL && !request->sweeps[i].implied &&
        (count == 0 || strcmp(chosen[0]->version->name, name) != 0))
      chosen[count++] = find(versions, name, "--sweep: ");
  }
  for (size_t i = 0; count == 0 && i < versions->count; i++) chosen[i] = &versions->entries[i];
  return count == 0 ? versions->count : count;
}

// The baseline comes first in each group, whether it was named or not.
static size_t put_baseline_first(const LoadedVersion **chosen, size_t count,
                                 const LoadedVersion *baseline) {
  if (baseline == NULL) return count;
  size_t at = 0;
  while (at < count && chosen[at] != baseline) at++;
  if (at == count) count++;
  for (; at > 0; at--) chosen[at] = chosen[at - 1];
  chosen[0] = baseline;
  return count;
}

// The default baseline may be missing; one that was asked for may not.
static const LoadedVersion *find_baseline(const Request *request, const VersionList *versions) {
  if (request->baseline == NULL) return NULL;
  if (request->baseline_given) return find(versions, request->baseline, "--baseline: ");
  return version_list_find(versions, request->baseline);
}

static void require_once(const Request *request) {
  for (int i = 0; i < request->name_count; i++)
    for (int j = 0; j < i; j++)
      if (strcmp(request->names[i], request->names[j]) == 0)
        quit(EXIT_USAGE, "version %s is named twice", request->names[i]);
}

// ---- --set and --sweep --------------------------------------------------------------------------

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

// How many rows a version has on one input: one for each combination of its sweeps' values.
static int settings_combinations(const Request *request, const SortVersion *version) {
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

// Fills in row->knobs and row->shown: defaults, then --set, then the values of that combination,
// from 0 on.
static void settings_apply(Row *row, const Request *request, int combination) {
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
    if (sweep->implied || sweep_matches(sweep, chosen[v]->version)) return;
  quit(EXIT_USAGE, "--sweep: '%s' is a knob of none of the compared versions", sweep->knob);
}

// Rejects a --set or --sweep that matches no compared version, and a knob that is swept twice.
static void settings_require_use(const Request *request, const LoadedVersion *const *chosen,
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

// ---- rows --------------------------------------------------------------------------------------

static bool is_named(const Request *request, const SortVersion *version) {
  for (int i = 0; i < request->name_count; i++)
    if (strcmp(request->names[i], version->name) == 0) return true;
  for (int i = 0; i < request->sweep_count; i++)
    if (request->sweeps[i].version != NULL &&
        strcmp(request->sweeps[i].version, version->name) == 0)
      return true;
  return false;
}

// Positions have 32 bits.
static uint64_t largest_n(const SortVersion *version, bool pairs) {
  return pairs && version->max_n > UINT32_MAX ? UINT32_MAX : version->max_n;
}

static bool leave_out(Plan *plan, const Row *about, bool named) {
  const SortVersion *const version = about->loaded->version;
  const uint64_t largest = largest_n(version, about->pairs);
  const bool too_large = about->n > largest;
  const bool slow = version->slow_n != 0 && about->n > version->slow_n;
  const bool keys = version->pairs_only && !about->pairs;
  if (named || !(too_large || slow || keys)) return false;
  plan->left_out = grown(plan->left_out, plan->left_out_count, sizeof *plan->left_out);
  LeftOut *const out = &plan->left_out[plan->left_out_count++];
  *out = (LeftOut){.version = version, .n = about->n, .group = about->group};
  if (keys)
    snprintf(out->reason, sizeof out->reason, "sorts pairs only");
  else
    snprintf(out->reason, sizeof out->reason, too_large ? "takes at most %llu" : "slow above %llu",
             (unsigned long long)(too_large ? largest : version->slow_n));
  return true;
}

static void add_rows(Plan *plan, const Request *request, const Row *about) {
  const SortVersion *const version = about->loaded->version;
  const int combinations = settings_combinations(request, version);
  for (int i = 0; i < combinations; i++) {
    plan->rows = grown(plan->rows, plan->count, sizeof *plan->rows);
    Row *const row = &plan->rows[plan->count++];
    *row = *about;
    row->swept = combinations > 1;
    row->starts_workload = plan->count == 1 || row[-1].group != row->group;
    settings_apply(row, request, i);
    if (version->pairs_only && !row->pairs) {
      row->status = ROW_REFUSED;
      snprintf(row->message, sizeof row->message, "sorts pairs only, not bare keys");
    } else if (row->n > largest_n(version, row->pairs)) {
      row->status = ROW_REFUSED;
      snprintf(row->message, sizeof row->message, "takes at most %llu %s",
               (unsigned long long)largest_n(version, row->pairs),
               row->pairs && version->max_n > UINT32_MAX ? "pairs, as positions have 32 bits"
                                                         : "elements");
    }
  }
}

Plan plan_make(const Request *request, const VersionList *versions) {
  require_once(request);
  const LoadedVersion **const chosen = MEMORY_CHECK(calloc(versions->count + 1, sizeof(void *)));
  const LoadedVersion *const baseline = find_baseline(request, versions);
  const size_t count = put_baseline_first(chosen, choose(request, versions, chosen), baseline);
  settings_require_use(request, chosen, count);

  Plan plan = {0};
  int group = 0;
  const int sources = request->sources.count;
  const int sizes = request->size_count == 0 ? 1 : request->size_count;
  for (int s = 0; s < sizes * sources; s++) {
    const Source *const source = &request->sources.entries[s % sources];
    const uint64_t *const wanted = request->size_count == 0 ? NULL : &request->sizes[s / sources];
    const size_t n = source_size(source, wanted);
    for (int pairs = 0; pairs < 2; pairs++) {
      if (pairs == 0 ? !request->keys : !request->pairs) continue;
      for (size_t v = 0; v < count; v++) {
        const Row about = {.loaded = chosen[v],
                           .n = n,
                           .source = source,
                           .pairs = pairs == 1,
                           .group = group,
                           .is_baseline = baseline != NULL && chosen[v] == baseline};
        if (!leave_out(&plan, &about, is_named(request, chosen[v]->version)))
          add_rows(&plan, request, &about);
      }
      group++;
    }
  }
  free(chosen);
  return plan;
}

void plan_free(Plan *plan) {
  free(plan->rows);
  free(plan->left_out);
  *plan = (Plan){0};
}

static bool same_sweep(const Row *a, const Row *b) {
  return a->group == b->group && a->loaded == b->loaded;
}

void plan_mark_best(const Plan *plan, size_t done) {
  Row *const last = &plan->rows[done - 1];
  if (!last->swept || (done < plan->count && same_sweep(last, &plan->rows[done]))) return;
  Row *best = NULL;
  for (Row *row = last; row >= plan->rows && same_sweep(row, last); row--)
    if (row->status == ROW_RIGHT &&
        (best == NULL || row->measured.median_ms <= best->measured.median_ms))
      best = row;
  if (best != NULL) best->best = true;
}

int plan_exit_code(const Plan *plan) {
  int code = EXIT_RIGHT;
  size_t refused = 0;
  for (size_t i = 0; i < plan->count; i++) {
    const RowStatus status = plan->rows[i].status;
    if (status == ROW_WRONG || status == ROW_CRASHED || status == ROW_STOPPED)
      return EXIT_WRONG_RESULT;
    if (status == ROW_FAILED || status == ROW_NO_MEMORY) code = EXIT_DEVICE;
    refused += status == ROW_REFUSED;
  }
  return refused == plan->count ? EXIT_USAGE : code;  // nothing at all could be sorted
}
