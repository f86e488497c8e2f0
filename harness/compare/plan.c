// From the request to rows: which version sorts what, with which knobs, in which order.
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/compare.h"
#include "harness/knob_option.h"

static void *grown(void *memory, size_t count, size_t size) {
  // At powers of two the capacity doubles.
  if ((count & (count - 1)) != 0) return memory;
  void *const more = realloc(memory, (count == 0 ? 1 : 2 * count) * size);
  if (more == NULL) compare_quit(EXIT_DEVICE, "out of memory");
  return more;
}

static int knob_index(const SortVersion *version, const char *name, size_t length) {
  for (int i = 0; version->knobs[i].name != NULL; i++)
    if (strlen(version->knobs[i].name) == length &&
        strncmp(version->knobs[i].name, name, length) == 0)
      return i;
  return -1;
}

// A second's work for a GPU is minutes of work for the threads of a CPU.
size_t default_size(void) { return strcmp(device_backend(), "cpu") == 0 ? 1 << 14 : 1000000; }

// ---- which versions ----------------------------------------------------------------------------

// Ends the program when there is no such version; where: how the sentence begins.
static const LoadedVersion *find(const VersionList *versions, const char *name, const char *where) {
  const LoadedVersion *const found = version_list_find(versions, name);
  if (found == NULL)
    compare_quit(EXIT_USAGE, "%sno version is called '%s'; --list names them", where, name);
  return found;
}

// Named ones in the order of the command line; else those that a sweep names; else all.
static size_t choose(const Request *request, const VersionList *versions,
                     const LoadedVersion **chosen) {
  size_t count = 0;
  for (int i = 0; i < request->name_count; i++)
    chosen[count++] = find(versions, request->names[i], "");
  for (int i = 0; request->name_count == 0 && i < request->sweep_count; i++) {
    const char *const name = request->sweeps[i].version;
    if (name != NULL && (count == 0 || strcmp(chosen[0]->version->name, name) != 0))
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
        compare_quit(EXIT_USAGE, "version %s is named twice", request->names[i]);
}

// ---- knobs -------------------------------------------------------------------------------------

// Does "VERSION.KNOB=VALUE" or "KNOB=VALUE" speak of this version? Then *assignment is
// "KNOB=VALUE".
static bool speaks_of(const char *setting, const SortVersion *version, const char **assignment) {
  const size_t length = strlen(version->name), before_equals = strcspn(setting, "=");
  const char *const dot = memchr(setting, '.', before_equals);
  *assignment = dot == NULL ? setting : dot + 1;
  if (dot != NULL)
    return (size_t)(dot - setting) == length && strncmp(setting, version->name, length) == 0;
  return knob_index(version, setting, before_equals) >= 0;
}

static void apply(Row *row, const char *assignment, const char *option) {
  Message message;
  if (!knob_option(row->loaded->version, assignment, &message))
    compare_quit(EXIT_USAGE, "--%s: %s", option, message.text);
  row->shown[knob_index(row->loaded->version, assignment, strcspn(assignment, "="))] = true;
}

static bool sweeps_over(const Sweep *sweep, const SortVersion *version) {
  if (sweep->version != NULL) return strcmp(sweep->version, version->name) == 0;
  return knob_index(version, sweep->knob, strlen(sweep->knob)) >= 0;
}

// Sets the knobs of a row: defaults, then --set, then for each sweep the value of that index.
static void set_knobs(Row *row, const Request *request, const int indices[MAX_SWEEPS]) {
  const SortVersion *const version = row->loaded->version;
  knobs_begin(version);
  for (int i = 0; i < request->setting_count; i++) {
    const char *assignment = NULL;
    if (speaks_of(request->settings[i], version, &assignment)) apply(row, assignment, "set");
  }
  for (int i = 0; i < request->sweep_count; i++) {
    const Sweep *const sweep = &request->sweeps[i];
    if (!sweeps_over(sweep, version)) continue;
    char assignment[100];
    snprintf(assignment, sizeof assignment, "%s=%d", sweep->knob, sweep->values[indices[i]]);
    apply(row, assignment, "sweep");
  }
  for (int i = 0; version->knobs[i].name != NULL; i++) row->knobs[i] = knob(version->knobs[i].name);
}

// A --set or --sweep that speaks of no compared version is a mistake, not a wish.
static void require_use(const Request *request, const LoadedVersion **chosen, size_t count) {
  for (int i = 0; i < request->setting_count; i++) {
    const char *assignment = NULL;
    bool used = false;
    for (size_t v = 0; v < count; v++)
      used = speaks_of(request->settings[i], chosen[v]->version, &assignment) || used;
    if (!used)
      compare_quit(EXIT_USAGE, "--set: '%s' speaks of none of the compared versions",
                   request->settings[i]);
  }
  for (int i = 0; i < request->sweep_count; i++) {
    bool used = false;
    for (size_t v = 0; v < count; v++)
      used = sweeps_over(&request->sweeps[i], chosen[v]->version) || used;
    if (!used)
      compare_quit(EXIT_USAGE, "--sweep: '%s' is a knob of none of the compared versions",
                   request->sweeps[i].knob);
    if (i > 0 && strcmp(request->sweeps[0].knob, request->sweeps[i].knob) == 0)
      for (size_t v = 0; v < count; v++)
        if (sweeps_over(&request->sweeps[0], chosen[v]->version) &&
            sweeps_over(&request->sweeps[i], chosen[v]->version))
          compare_quit(EXIT_USAGE, "--sweep: '%s' is swept twice", request->sweeps[i].knob);
  }
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

static bool leave_out(Plan *plan, const Row *about, bool named) {
  const SortVersion *const version = about->loaded->version;
  const bool too_large = about->n > version->max_n;
  const bool slow = version->slow_n != 0 && about->n > version->slow_n;
  if (named || !(too_large || slow)) return false;
  plan->left_out = grown(plan->left_out, plan->left_out_count, sizeof *plan->left_out);
  LeftOut *const out = &plan->left_out[plan->left_out_count++];
  *out = (LeftOut){.version = version, .n = about->n, .group = about->group};
  snprintf(out->reason, sizeof out->reason, too_large ? "takes at most %llu" : "slow above %llu",
           (unsigned long long)(too_large ? version->max_n : version->slow_n));
  return true;
}

// The rows of one version on one input: as many as its sweeps have combinations.
static void add_rows(Plan *plan, const Request *request, const Row *about) {
  const SortVersion *const version = about->loaded->version;
  int counts[MAX_SWEEPS] = {1, 1};
  for (int i = 0; i < request->sweep_count; i++)
    if (sweeps_over(&request->sweeps[i], version)) counts[i] = request->sweeps[i].count;
  for (int i = 0; i < counts[0] * counts[1]; i++) {
    const int indices[MAX_SWEEPS] = {i / counts[1], i % counts[1]};
    plan->rows = grown(plan->rows, plan->count, sizeof *plan->rows);
    Row *const row = &plan->rows[plan->count++];
    *row = *about;
    row->swept = counts[0] * counts[1] > 1;
    row->starts_workload = plan->count == 1 || row[-1].group != row->group;
    set_knobs(row, request, indices);
    if (row->n > version->max_n) {
      row->status = ROW_REFUSED;
      snprintf(row->message, sizeof row->message, "takes at most %llu elements",
               (unsigned long long)version->max_n);
    } else if (row->n > UINT32_MAX) {
      row->status = ROW_REFUSED;
      snprintf(row->message, sizeof row->message, "the verdict judges fewer than 2^32 elements");
    }
  }
}

static size_t size_of(const Request *request, int index, const Source *source) {
  const bool whole = request->size_count == 0 && source->kind < 0;
  const size_t n = whole                      ? source->file.count
                   : request->size_count == 0 ? default_size()
                                              : request->sizes[index];
  if (source->kind < 0 && !source->repeats && n > source->file.count)
    compare_quit(EXIT_USAGE, "%s holds only %zu keys, not %zu", source->name, source->file.count,
                 n);
  return n;
}

Plan plan_make(const Request *request, const VersionList *versions) {
  require_once(request);
  const LoadedVersion **chosen = NULL;
  for (size_t i = 0; i <= versions->count; i++) chosen = grown(chosen, i, sizeof(void *));
  const LoadedVersion *const baseline = find_baseline(request, versions);
  const size_t count = put_baseline_first(chosen, choose(request, versions, chosen), baseline);
  require_use(request, chosen, count);

  Plan plan = {0};
  int group = 0;
  const int sizes = request->size_count == 0 ? 1 : request->size_count;
  for (int s = 0; s < sizes * request->source_count; s++) {
    const Source *const source = &request->sources[s % request->source_count];
    const size_t n = size_of(request, s / request->source_count, source);
    for (int pairs = 0; pairs < 2; pairs++) {
      if (pairs == 0 ? !request->keys : !request->pairs) continue;
      for (size_t v = 0; v < count; v++) {
        const Row about = {.loaded = chosen[v],
                           .n = n,
                           .source = source,
                           .pairs = pairs == 1,
                           .group = group,
                           .is_baseline = chosen[v] == baseline};
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

bool is_cpu_code(const SortVersion *version) { return strstr(version->title, "CPU") != NULL; }

void row_label(const Row *row, char *text, size_t size) {
  const SortVersion *const version = row->loaded->version;
  size_t used =
      (size_t)snprintf(text, size, "%s%s", version->name, is_cpu_code(version) ? " (CPU)" : "");
  for (int i = 0; version->knobs[i].name != NULL && used < size; i++)
    if (row->shown[i])
      used += (size_t)snprintf(text + used, size - used, " %s=%d", version->knobs[i].name,
                               row->knobs[i]);
}
