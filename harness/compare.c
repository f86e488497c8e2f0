// compare: versions side by side on arrays, each judged before it is timed.
#include <argp.h>
#include <cuda_runtime_api.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/compare.h"
#include "harness/input.h"

#ifndef COMMIT
#define COMMIT "unknown"
#endif

enum {
  OPT_N = 256,
  OPT_DIST,
  OPT_KEYS,
  OPT_PAIRS,
  OPT_REPS,
  OPT_SET,
  OPT_FORMAT,
  OPT_SEED,
  OPT_BASELINE,
  OPT_LIST
};

static const struct argp_option options[] = {
    {"n", OPT_N, "N,...", 0, "sizes, e.g. 1000,64K,1M,2^28 (K, M, G: powers of 1000; default 1M)",
     0},
    {"dist", OPT_DIST, "NAME,...", 0, "inputs (default uniform; see --list)", 0},
    {"keys", OPT_KEYS, NULL, 0, "sort bare keys (default: pairs)", 0},
    {"pairs", OPT_PAIRS, NULL, 0, "sort pairs; with --keys: both", 0},
    {"reps", OPT_REPS, "R", 0, "timed runs, 1 to 10000 (default 20)", 0},
    {"set", OPT_SET, "VERSION.KNOB=VALUE", 0, "sets a knob; repeatable", 0},
    {"format", OPT_FORMAT, "table|json", 0, "default: table", 0},
    {"seed", OPT_SEED, "N", 0, "of the input (default 1)", 0},
    {"baseline", OPT_BASELINE, "VERSION", 0, "what ratios refer to (default thrust_ref)", 0},
    {"list", OPT_LIST, NULL, 0, "lists versions, their knobs, and inputs", 0},
    {0},
};

static void usage_error(const char *format, const char *what) {
  fprintf(stderr, "compare: ");
  fprintf(stderr, format, what);
  fprintf(stderr, "\n");
  exit(EXIT_USAGE);
}

// "1000", "64K", "1M", "2^28", "1e6".
static size_t parse_size(const char *text) {
  char *end = NULL;
  double value = strtod(text, &end);
  if (end != text && *end == '^') {
    const double exponent = strtod(end + 1, &end);
    double power = 1.0;
    for (int i = 0; i < (int)exponent && power < 1e18; i++) power *= value;
    value = power;
  } else if (end != text && *end != '\0' && strchr("KMG", *end) != NULL) {
    value *= *end == 'K' ? 1e3 : *end == 'M' ? 1e6 : 1e9;
    end++;
  }
  if (end == text || *end != '\0' || !(value >= 0.0) || value > 1e15 ||
      value != (double)(size_t)value)
    usage_error("'%s' is not a number of elements", text);
  return (size_t)value;
}

static void parse_list(char *list, void (*one)(const char *, void *), void *context) {
  char *rest = NULL;
  for (char *item = strtok_r(list, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest))
    one(item, context);
}

static void add_size(const char *text, void *context) {
  Request *const request = context;
  if (request->size_count == MAX_SIZES) usage_error("too many sizes at '%s'", text);
  request->sizes[request->size_count++] = parse_size(text);
}

static void add_kind(const char *name, void *context) {
  Request *const request = context;
  const int kind = input_find(name);
  if (kind < 0) usage_error("no input is called '%s'; --list names them", name);
  if (request->kind_count == MAX_KINDS) usage_error("too many inputs at '%s'", name);
  request->kinds[request->kind_count++] = kind;
}

static uint64_t parse_number(const char *text, uint64_t min, uint64_t max) {
  char *end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value < min || value > max)
    usage_error("'%s' is not a whole number in range", text);
  return value;
}

static void list_everything(const VersionList *versions) {
  for (size_t i = 0; i < versions->count; i++) {
    const SortVersion *const v = versions->entries[i].version;
    printf("%-16s %s (%s; %s)\n", v->name, v->title, v->source,
           v->stable ? "stable" : "not stable");
    for (const SortKnob *k = v->knobs; k->name != NULL; k++)
      printf("    %-14s %d..%d, default %d: %s\n", k->name, k->min, k->max, k->default_value,
             k->meaning);
  }
  printf("\ninputs:\n");
  for (const InputKind *kind = input_kinds; kind->name != NULL; kind++)
    printf("%-16s %s\n", kind->name, kind->meaning);
}

static bool list_wanted = false;

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  switch (key) {
    case OPT_N:
      parse_list(argument, add_size, request);
      return 0;
    case OPT_DIST:
      parse_list(argument, add_kind, request);
      return 0;
    case OPT_KEYS:
      request->keys = true;
      return 0;
    case OPT_PAIRS:
      request->pairs = true;
      return 0;
    case OPT_REPS:
      request->repetitions = (int)parse_number(argument, 1, 10000);
      return 0;
    case OPT_SEED:
      request->seed = parse_number(argument, 0, INT64_MAX);
      return 0;
    case OPT_BASELINE:
      request->baseline = argument;
      return 0;
    case OPT_LIST:
      list_wanted = true;
      return 0;
    case OPT_SET:
      if (request->setting_count == MAX_SETTINGS)
        usage_error("too many settings at '%s'", argument);
      request->settings[request->setting_count++] = argument;
      return 0;
    case OPT_FORMAT:
      if (strcmp(argument, "table") != 0 && strcmp(argument, "json") != 0)
        usage_error("no format is called '%s': table or json", argument);
      request->format = strcmp(argument, "json") == 0 ? FORMAT_JSON : FORMAT_TABLE;
      return 0;
    case ARGP_KEY_ARGS:
      request->names = (const char *const *)&state->argv[state->next];
      request->name_count = state->argc - state->next;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// Sets the version's knobs to their defaults and what --set says of them.
static void set_knobs(const SortVersion *version, const Request *request, int values[MAX_KNOBS]) {
  knobs_begin(version);
  const size_t length = strlen(version->name);
  for (int i = 0; i < request->setting_count; i++) {
    char message[200];
    const char *const setting = request->settings[i];
    if (strncmp(setting, version->name, length) == 0 && setting[length] == '.' &&
        !knob_set(setting + length + 1, message, sizeof message))
      usage_error("%s", message);
  }
  for (int i = 0; version->knobs[i].name != NULL; i++) values[i] = knob(version->knobs[i].name);
}

static bool wanted(const Request *request, const SortVersion *version) {
  for (int i = 0; i < request->name_count; i++)
    if (strcmp(request->names[i], version->name) == 0) return true;
  return request->name_count == 0;
}

static Conditions conditions_now(void) {
  Conditions conditions = {.device = device_info(), .commit = COMMIT};
  conditions.copy_bytes_per_second = measure_copy_rate();
  const time_t now = time(NULL);
  struct tm utc;
  strftime(conditions.date, sizeof conditions.date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return conditions;
}

typedef struct Results {
  Row *rows;
  size_t count, capacity;
} Results;

static Row *add_row(Results *results) {
  if (results->count == results->capacity) {
    results->capacity = 2 * results->capacity + 16;
    results->rows = realloc(results->rows, results->capacity * sizeof *results->rows);
    if (results->rows == NULL) check_cuda(cudaErrorMemoryAllocation, "realloc", __FILE__, __LINE__);
  }
  return &results->rows[results->count++];
}

// All wanted versions on one input; the baseline first, so that ratios can be printed at once.
static bool compare_on(const Request *request, const VersionList *versions, const Row *about,
                       Results *results) {
  Workload workload = workload_create(about->n, about->pairs, about->kind, request->seed);
  double baseline_ms = 0.0;
  bool right = true;
  for (int turn = 0; turn < 2; turn++) {
    for (size_t i = 0; i < versions->count; i++) {
      const LoadedVersion *const loaded = &versions->entries[i];
      const SortVersion *const version = loaded->version;
      const bool is_baseline = strcmp(version->name, request->baseline) == 0;
      if (is_baseline != (turn == 0) || !wanted(request, version) || about->n > version->max_n)
        continue;
      if (request->name_count == 0 && version->slow_n != 0 && about->n > version->slow_n) continue;
      Row *const row = add_row(results);
      *row = *about;
      row->version = version;
      set_knobs(version, request, row->knobs);
      row->measured = measure(loaded, &workload, request->repetitions);
      const bool passes = verdict_passes(&row->measured.verdict);
      right = right && passes;
      if (is_baseline && passes) baseline_ms = row->measured.median_ms;
      if (passes) row->ratio = baseline_ms / row->measured.median_ms;
      if (request->format == FORMAT_TABLE) print_table_row(row);
      fflush(stdout);
      scratch_trim();
    }
  }
  workload_destroy(&workload);
  return right;
}

int main(int argc, char **argv) {
  static const struct argp parser = {.options = options,
                                     .parser = parse_option,
                                     .args_doc = "[VERSION...]",
                                     .doc =
                                         "Sorts the same input with each VERSION (default: all), "
                                         "judges the results and times them."};
  Request request = {.repetitions = 20, .seed = 1, .baseline = "thrust_ref"};
  argp_err_exit_status = EXIT_USAGE;
  argp_parse(&parser, argc, argv, 0, NULL, &request);
  if (request.size_count == 0) request.sizes[request.size_count++] = 1000000;
  if (request.kind_count == 0) request.kinds[request.kind_count++] = 0;
  if (!request.keys) request.pairs = true;

  VersionList versions;
  char message[512];
  if (!version_list_load(&versions, message, sizeof message)) usage_error("%s", message);
  for (int i = 0; i < request.name_count; i++)
    if (version_list_find(&versions, request.names[i]) == NULL)
      usage_error("no version is called '%s'; --list names them", request.names[i]);
  if (list_wanted) {
    list_everything(&versions);
    return EXIT_RIGHT;
  }

  const Conditions conditions = conditions_now();
  if (request.format == FORMAT_TABLE) print_table_header(&conditions, &request);
  Results results = {NULL, 0, 0};
  bool right = true;
  for (int s = 0; s < request.size_count; s++)
    for (int k = 0; k < request.kind_count; k++)
      for (int pairs = 0; pairs < 2; pairs++) {
        if (pairs == 0 ? !request.keys : !request.pairs) continue;
        const Row about = {.n = request.sizes[s], .kind = request.kinds[k], .pairs = pairs == 1};
        right = compare_on(&request, &versions, &about, &results) && right;
      }
  if (request.format == FORMAT_JSON) print_json(&conditions, &request, results.rows, results.count);
  free(results.rows);
  return right ? EXIT_RIGHT : EXIT_WRONG_RESULT;
}
