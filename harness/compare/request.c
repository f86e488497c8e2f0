#include "harness/compare/request.h"

#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/parse.h"
#include "harness/message.h"

enum {
  OPTION_N = 256,
  OPTION_DIST,
  OPTION_INPUT,
  OPTION_IMAGE,
  OPTION_SEED,
  OPTION_KEYS,
  OPTION_PAIRS,
  OPTION_REPS,
  OPTION_NOISE,
  OPTION_TIME_LIMIT,
  OPTION_STAGES,
  OPTION_SET,
  OPTION_SWEEP,
  OPTION_BASELINE,
  OPTION_FORMAT,
  OPTION_EXPORT,
  OPTION_SORT,
  OPTION_NO_COLOR,
  OPTION_PRINT,
  OPTION_SAVE_INPUT,
  OPTION_LIST,
  OPTION_NO_FORK,
};

#define OPTION(NAME, KEY, ARGUMENT, TEXT) \
  { .name = NAME, .key = KEY, .arg = ARGUMENT, .doc = TEXT }

static const struct argp_option option_table[] = {
    {.doc = "What is sorted:", .group = 1},
    OPTION("n", OPTION_N, "SIZES",
           "Numbers of elements: 1000, 1e6, 64K, 1M, 2^28 (K, M, G: powers of 1000), ranges 1M..8M "
           "(doubling), 1K..1Gx10, 1M..5M+1M; separated by commas (1M, on the cpu backend 2^14; of "
           "files all keys)"),
    OPTION("dist", OPTION_DIST, "INPUTS",
           "Names of inputs, separated by commas (uniform); see --list"),
    OPTION("input", OPTION_INPUT, "FILE",
           "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4' "
           "(repeatable)"),
    OPTION("image", OPTION_IMAGE, "IMAGE,TEMPLATE", "Keys are the red-eye scores of an image"),
    OPTION("seed", OPTION_SEED, "N", "Seed of the inputs (1)"),
    OPTION("keys", OPTION_KEYS, NULL, "Sort bare keys"),
    OPTION("pairs", OPTION_PAIRS, NULL,
           "Sort pairs of key and position (default; with --keys: both)"),
    {.doc = "How it is measured:", .group = 2},
    OPTION("reps", OPTION_REPS, "R",
           "At most R timed runs, 1 to 10000 (50); five or more end early when the median's noise "
           "is under that of --noise"),
    OPTION("noise", OPTION_NOISE, "PERCENT",
           "The noise of a median that needs no further runs, 0 to 100 (1); 0: never end early, "
           "time exactly R runs unless the time limit comes first"),
    OPTION("time-limit", OPTION_TIME_LIMIT, "T",
           "No further run of a row is timed after T seconds (3; also 0.5, 2m); a row that takes "
           "ten times as long is stopped"),
    OPTION("stages", OPTION_STAGES, "on|off", "Time the stages too, in runs of their own (on)"),
    OPTION("set", OPTION_SET, "KNOB=VALUE",
           "Set a knob of all versions that have it, or with VERSION.KNOB of one (repeatable)"),
    OPTION("sweep", OPTION_SWEEP, "KNOB=VALUES",
           "A row for each value, e.g. radix_v2.blockSize=32..1024, the best one marked; once or "
           "twice; without a VERSION argument only the swept versions run"),
    OPTION("baseline", OPTION_BASELINE, "VERSION",
           "Ratios refer to it; it always runs (thrust_ref; none: no ratios)"),
    OPTION("no-fork", OPTION_NO_FORK, NULL,
           "Measure in this process, for debuggers and compute-sanitizer: a crash ends the run"),
    {.doc = "What comes out:", .group = 3},
    OPTION("format", OPTION_FORMAT, "FORMAT",
           "Format of standard output: table, csv, json or md (table)"),
    OPTION("export", OPTION_EXPORT, "FORMAT=FILE",
           "Also write the rows to FILE, which appears complete or not at all (repeatable)"),
    OPTION(
        "sort", OPTION_SORT, "ORDER",
        "Order of the rows of one input: time (fastest first), name, or given (as on the command "
        "line); by default time in table and md, given in csv and json"),
    OPTION("no-color", OPTION_NO_COLOR, NULL, "No colours; the same as setting NO_COLOR"),
    OPTION("print", OPTION_PRINT, NULL, "Show the array before and after, for n up to 64"),
    OPTION("save-input", OPTION_SAVE_INPUT, "FILE",
           "Write the one input to FILE (.npy, or else raw) instead of sorting it"),
    OPTION("list", OPTION_LIST, NULL, "List versions and inputs; with a VERSION its knobs"),
    {0}};

// ---- options -----------------------------------------------------------------------------------

static uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max) {
  uint64_t value = 0;
  if (!parse_number(text, min, max, &value))
    quit(EXIT_USAGE, "--%s takes a whole number from %llu to %llu, not '%s'", option,
         (unsigned long long)min, (unsigned long long)max, text);
  return value;
}

static void add_sizes(Request *request, const char *text) {
  const char *const problem = parse_sizes(text, request->sizes, &request->size_count, MAX_SIZES);
  if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
}

// "radix_v2.blockSize=32..1024" or "blockSize=32..1024"; cuts the text into its parts.
static void add_sweep(Request *request, char *text) {
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

static Format format_of(const char *name, size_t length) {
  static const char *const names[] = {"table", "csv", "json", "md"};  // in the order of Format
  const int index = index_of(name, length, names, 4);
  if (index < 0)
    quit(EXIT_USAGE, "no format is called '%.*s'; there are table, csv, json and md", (int)length,
         name);
  return (Format)index;
}

static void add_export(Request *request, const char *text) {
  const size_t length = strcspn(text, "=");
  if (length == 0 || text[length] == '\0' || text[length + 1] == '\0')
    quit(EXIT_USAGE, "--export takes FORMAT=FILE like json=record.json, not '%s'", text);
  if (request->export_count == MAX_EXPORTS)
    quit(EXIT_USAGE, "there are more than %d exports at '%s'", MAX_EXPORTS, text);
  const Export export = {.format = format_of(text, length), .path = text + length + 1};
  for (int i = 0; i < request->export_count; i++)
    if (strcmp(request->exports[i].path, export.path) == 0)
      quit(EXIT_USAGE, "--export: %s is named twice", export.path);
  request->exports[request->export_count++] = export;
}

static RowOrder order_of(const char *name) {
  static const char *const names[] = {"time", "name", "given"};  // from ORDER_TIME on
  const int index = index_of(name, strlen(name), names, 3);
  if (index < 0) quit(EXIT_USAGE, "--sort takes time, name or given, not '%s'", name);
  return (RowOrder)(ORDER_TIME + index);
}

static bool on_or_off(const char *option, const char *text) {
  if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
    quit(EXIT_USAGE, "--%s is on or off, not '%s'", option, text);
  return text[1] == 'n';
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      // getopt reports an unknown option in one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case OPTION_N:
      add_sizes(request, argument);
      return 0;
    case OPTION_DIST:
      sources_add_names(&request->sources, argument);
      return 0;
    case OPTION_INPUT:
      sources_add_file(&request->sources, argument);
      return 0;
    case OPTION_IMAGE:
      request->image = argument;
      return 0;
    case OPTION_SEED:
      request->seed = number("seed", argument, 0, INT64_MAX);
      return 0;
    case OPTION_KEYS:
      request->keys = true;
      return 0;
    case OPTION_PAIRS:
      request->pairs = true;
      return 0;
    case OPTION_REPS:
      request->plan.max_repetitions = (int)number("reps", argument, 1, 10000);
      return 0;
    case OPTION_NOISE:
      if (!parse_percent(argument, &request->plan.settled_noise))
        quit(EXIT_USAGE, "--noise takes a percentage from 0 to 100 like 0.5, not '%s'", argument);
      return 0;
    case OPTION_TIME_LIMIT:
      if (!parse_seconds(argument, &request->plan.max_seconds))
        quit(EXIT_USAGE, "--time-limit takes seconds like 0.5, 30 or 2m, not '%s'", argument);
      return 0;
    case OPTION_STAGES:
      request->plan.stages = on_or_off("stages", argument);
      return 0;
    case OPTION_SET:
      if (request->setting_count == MAX_SETTINGS)
        quit(EXIT_USAGE, "there are more than %d settings at '%s'", MAX_SETTINGS, argument);
      request->settings[request->setting_count++] = argument;
      return 0;
    case OPTION_SWEEP:
      add_sweep(request, argument);
      return 0;
    case OPTION_BASELINE:
      request->baseline = strcmp(argument, "none") == 0 ? NULL : argument;
      request->baseline_given = true;
      return 0;
    case OPTION_FORMAT:
      request->format = format_of(argument, strlen(argument));
      return 0;
    case OPTION_EXPORT:
      add_export(request, argument);
      return 0;
    case OPTION_SORT:
      request->order = order_of(argument);
      return 0;
    case OPTION_NO_COLOR:
      request->no_color = true;
      return 0;
    case OPTION_PRINT:
      request->print = true;
      return 0;
    case OPTION_SAVE_INPUT:
      request->save_input = argument;
      return 0;
    case OPTION_LIST:
      request->list = true;
      return 0;
    case OPTION_NO_FORK:
      request->in_process = true;
      return 0;
    case ARGP_KEY_ARGS:
      request->names = (const char **)&state->argv[state->next];
      request->name_count = state->argc - state->next;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// Fills in and checks whatever depends on several options.
static void complete(Request *request) {
  static char default_source[] = "uniform";
  if (request->image != NULL && !request->list)
    sources_add_image(&request->sources, request->image);
  if (request->sources.count == 0) sources_add_names(&request->sources, default_source);
  if (!request->keys) request->pairs = true;
  const char *const no_color = getenv("NO_COLOR");
  if (no_color != NULL && *no_color != '\0') request->no_color = true;
  if (request->print && request->format != FORMAT_TABLE)
    quit(EXIT_USAGE, "--print goes with --format table only");
  if (request->print && request->size_count == 0) request->sizes[request->size_count++] = 16;
  for (int i = 0; request->print && i < request->size_count; i++)
    if (request->sizes[i] > MAX_PRINTED)
      quit(EXIT_USAGE, "--print shows at most %d elements", MAX_PRINTED);
  if (request->save_input != NULL && (request->sources.count != 1 || request->size_count > 1))
    quit(EXIT_USAGE, "--save-input takes one input and one size");
}

Request request_parse(int count, char **arguments) {
  static const struct argp parser = {
      .options = option_table,
      .parser = parse_option,
      .args_doc = "[VERSION...]",
      .doc =
          "Sorts the same input with each VERSION (default: all; also the path of a version.so), "
          "judges the result and times it."
          "\vExit status: 0 all right, 1 a wrong result, a crash or a row that was stopped, "
          "2 usage or unreadable input, 3 device or memory, 130 after Ctrl-C (what was measured is "
          "complete).",
  };
  argp_err_exit_status = EXIT_USAGE;
  Request request = {
      .plan = {.max_repetitions = 50, .settled_noise = 0.01, .max_seconds = 3.0, .stages = true},
      .seed = 1,
      .baseline = "thrust_ref"};
  if (argp_parse(&parser, count, arguments, 0, NULL, &request) != 0) exit(EXIT_USAGE);
  complete(&request);
  return request;
}
