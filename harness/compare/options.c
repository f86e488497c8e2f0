// compare's command line.
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/compare.h"
#include "harness/compare/parse.h"
#include "harness/input.h"

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
  OPTION_NO_COLOR,
  OPTION_PRINT,
  OPTION_SAVE_INPUT,
  OPTION_LIST,
  OPTION_NO_FORK,
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "What is sorted:", 1},
    {"n", OPTION_N, "SIZES", 0,
     "Numbers of elements: 1000, 1e6, 64K, 1M, 2^28 (K, M, G: powers of 1000), ranges 1M..8M "
     "(doubling), 1K..1Gx10, 1M..5M+1M; separated by commas (1M, on the cpu backend 2^14; of files "
     "all there is)",
     0},
    {"dist", OPTION_DIST, "INPUTS", 0, "Names of inputs, separated by commas (uniform); see --list",
     0},
    {"input", OPTION_INPUT, "FILE", 0,
     "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4' (repeatable)", 0},
    {"image", OPTION_IMAGE, "IMAGE,TEMPLATE", 0, "Keys are the red-eye scores of an image", 0},
    {"seed", OPTION_SEED, "N", 0, "Seed of the inputs (1)", 0},
    {"keys", OPTION_KEYS, NULL, 0, "Sort bare keys", 0},
    {"pairs", OPTION_PAIRS, NULL, 0, "Sort pairs of key and position (default; with --keys: both)",
     0},
    {NULL, 0, NULL, 0, "How it is measured:", 2},
    {"reps", OPTION_REPS, "R", 0,
     "At most R timed runs, 1 to 10000 (50); five or more end early when the median's noise is "
     "under that of --noise",
     0},
    {"noise", OPTION_NOISE, "PERCENT", 0,
     "The noise of a median that needs no further runs, 0 to 100 (1); 0: never end early, time "
     "exactly R runs unless the time limit comes first",
     0},
    {"time-limit", OPTION_TIME_LIMIT, "T", 0,
     "No further run of a row is timed after T seconds (3; also 0.5, 2m); a row that takes ten "
     "times as long is stopped",
     0},
    {"stages", OPTION_STAGES, "on|off", 0, "Time the stages too, in runs of their own (on)", 0},
    {"set", OPTION_SET, "KNOB=VALUE", 0,
     "Set a knob of all versions that have it, or with VERSION.KNOB of one (repeatable)", 0},
    {"sweep", OPTION_SWEEP, "KNOB=VALUES", 0,
     "A row for each value, e.g. radix_v2.blockSize=32..1024, the best one marked; once or twice; "
     "without a VERSION argument only the swept versions run",
     0},
    {"baseline", OPTION_BASELINE, "VERSION", 0,
     "Ratios refer to it; it always runs (thrust_ref; none: no ratios)", 0},
    {"no-fork", OPTION_NO_FORK, NULL, 0,
     "Measure in this process, for debuggers and compute-sanitizer: a crash ends the run", 0},
    {NULL, 0, NULL, 0, "What comes out:", 3},
    {"format", OPTION_FORMAT, "FORMAT", 0, "table, csv, json or md (table)", 0},
    {"no-color", OPTION_NO_COLOR, NULL, 0, "No colours; the same as setting NO_COLOR", 0},
    {"print", OPTION_PRINT, NULL, 0, "Show the array before and after, for n up to 64", 0},
    {"save-input", OPTION_SAVE_INPUT, "FILE", 0,
     "Write the one input to FILE (.npy, or else raw) instead of sorting it", 0},
    {"list", OPTION_LIST, NULL, 0, "List versions and inputs; with a VERSION its knobs", 0},
    {0}};

// ---- options -----------------------------------------------------------------------------------

static uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max) {
  uint64_t value = 0;
  if (!parse_number(text, min, max, &value))
    compare_quit(EXIT_USAGE, "--%s takes a whole number from %llu to %llu, not '%s'", option,
                 (unsigned long long)min, (unsigned long long)max, text);
  return value;
}

static void add_sizes(Request *request, const char *text) {
  const char *const problem = parse_sizes(text, request->sizes, &request->size_count, MAX_SIZES);
  if (problem != NULL) compare_quit(EXIT_USAGE, "--n: %s", problem);
}

// "radix_v2.blockSize=32..1024" or "blockSize=32..1024"; cuts the text into its parts.
static void add_sweep(Request *request, char *text) {
  if (request->sweep_count == MAX_SWEEPS)
    compare_quit(EXIT_USAGE, "--sweep goes over one or two knobs, '%s' is the third", text);
  char *const equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    compare_quit(EXIT_USAGE, "--sweep: '%s' is not of the form VERSION.KNOB=VALUES", text);
  uint64_t values[MAX_SWEEP_VALUES];
  Sweep *const sweep = &request->sweeps[request->sweep_count++];
  const char *const problem = parse_sizes(equals + 1, values, &sweep->count, MAX_SWEEP_VALUES);
  if (problem != NULL) compare_quit(EXIT_USAGE, "--sweep: %s", problem);
  for (int i = 0; i < sweep->count; i++) {
    if (values[i] > INT_MAX)
      compare_quit(EXIT_USAGE, "--sweep: a value of '%s' is too large", text);
    sweep->values[i] = (int)values[i];
  }
  *equals = '\0';
  char *const dot = strchr(text, '.');
  sweep->knob = dot == NULL ? text : dot + 1;
  sweep->version = dot == NULL ? NULL : text;
  if (dot != NULL) *dot = '\0';
}

static Format format_of(const char *name) {
  static const char *const names[] = {"table", "csv", "json", "md"};
  for (int i = 0; i < 4; i++)
    if (strcmp(name, names[i]) == 0) return (Format)i;
  compare_quit(EXIT_USAGE, "no format is called '%s'; there are table, csv, json and md", name);
}

static bool on_or_off(const char *option, const char *text) {
  if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
    compare_quit(EXIT_USAGE, "--%s is on or off, not '%s'", option, text);
  return text[1] == 'n';
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      // What getopt says of an unknown option is one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case OPTION_N:
      add_sizes(request, argument);
      return 0;
    case OPTION_DIST:
      sources_add_names(request, argument);
      return 0;
    case OPTION_INPUT:
      sources_add_file(request, argument);
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
        compare_quit(EXIT_USAGE, "--noise takes a percentage from 0 to 100 like 0.5, not '%s'",
                     argument);
      return 0;
    case OPTION_TIME_LIMIT:
      if (!parse_seconds(argument, &request->plan.max_seconds))
        compare_quit(EXIT_USAGE, "--time-limit takes seconds like 0.5, 30 or 2m, not '%s'",
                     argument);
      return 0;
    case OPTION_STAGES:
      request->plan.stages = on_or_off("stages", argument);
      return 0;
    case OPTION_SET:
      if (request->setting_count == MAX_SETTINGS)
        compare_quit(EXIT_USAGE, "there are more than %d settings at '%s'", MAX_SETTINGS, argument);
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
      request->format = format_of(argument);
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

// What only shows when all options have been read.
static void complete(Request *request) {
  if (request->image != NULL && !request->list) {
    Source *const source = source_add(request, "scores");
    source->file = scores_of_image(request->image);
  }
  if (request->source_count == 0) source_add(request, "uniform")->kind = input_find("uniform");
  if (!request->keys) request->pairs = true;
  const char *const no_color = getenv("NO_COLOR");
  if (no_color != NULL && *no_color != '\0') request->no_color = true;
  if (request->print && request->format != FORMAT_TABLE)
    compare_quit(EXIT_USAGE, "--print goes with --format table only");
  if (request->print && request->size_count == 0) request->sizes[request->size_count++] = 16;
  for (int i = 0; request->print && i < request->size_count; i++)
    if (request->sizes[i] > MAX_PRINTED)
      compare_quit(EXIT_USAGE, "--print shows at most %d elements", MAX_PRINTED);
  if (request->save_input != NULL && (request->source_count != 1 || request->size_count > 1))
    compare_quit(EXIT_USAGE, "--save-input takes one input and one size");
}

Request options_parse(int count, char **arguments) {
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
