#include "harness/compare/command_line.h"

#include <argp.h>
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

static const struct argp_option option_table[] = {
    {.doc = "Input:", .group = 1},
    {.name = "n",
     .key = OPTION_N,
     .arg = "SIZES",
     .doc =
         "Numbers of elements: 1000, 1e6, 64K, 1M, 2^28 (K, M, G: powers of 1000), ranges 1M..8M "
         "(doubling), 1K..1Gx10, 1M..5M+1M; separated by commas (1M, on the cpu backend 2^14; of "
         "files all keys)"},
    {.name = "dist",
     .key = OPTION_DIST,
     .arg = "INPUTS",
     .doc = "Names of inputs, separated by commas (uniform); see --list"},
    {.name = "input",
     .key = OPTION_INPUT,
     .arg = "FILE",
     .doc = "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4' "
            "(repeatable)"},
    {.name = "image",
     .key = OPTION_IMAGE,
     .arg = "IMAGE,TEMPLATE",
     .doc = "Keys are the red-eye scores of an image"},
    {.name = "seed", .key = OPTION_SEED, .arg = "N", .doc = "Seed of the inputs (1)"},
    {.name = "keys", .key = OPTION_KEYS, .doc = "Sort bare keys"},
    {.name = "pairs",
     .key = OPTION_PAIRS,
     .doc = "Sort pairs of key and position (default; with --keys: both)"},
    {.doc = "Measurement:", .group = 2},
    {.name = "reps",
     .key = OPTION_REPS,
     .arg = "R",
     .doc = "At most R timed runs, 1 to 10000 (50); five or more end early when the median's noise "
            "is under that of --noise"},
    {.name = "noise",
     .key = OPTION_NOISE,
     .arg = "PERCENT",
     .doc = "The noise of a median that needs no further runs, 0 to 100 (1); 0: never end early, "
            "time exactly R runs unless the time limit comes first"},
    {.name = "time-limit",
     .key = OPTION_TIME_LIMIT,
     .arg = "T",
     .doc = "No further run of a row is timed after T seconds (3; also 0.5, 2m); a row that takes "
            "ten times as long is stopped"},
    {.name = "stages",
     .key = OPTION_STAGES,
     .arg = "on|off",
     .doc = "Time the stages too, in runs of their own (on)"},
    {.name = "set",
     .key = OPTION_SET,
     .arg = "KNOB=VALUE",
     .doc = "Set a knob of all versions that have it, or with VERSION.KNOB of one (repeatable)"},
    {.name = "sweep",
     .key = OPTION_SWEEP,
     .arg = "KNOB=VALUES",
     .doc = "A row for each value, e.g. radix_v2.blockSize=32..1024, the best one marked; once or "
            "twice; without a VERSION argument only the swept versions run"},
    {.name = "baseline",
     .key = OPTION_BASELINE,
     .arg = "VERSION",
     .doc = "Ratios refer to it; it always runs (thrust_ref; none: no ratios)"},
    {.name = "no-fork",
     .key = OPTION_NO_FORK,
     .doc = "Measure in this process, for debuggers and compute-sanitizer: a crash ends the run"},
    {.doc = "Output:", .group = 3},
    {.name = "format",
     .key = OPTION_FORMAT,
     .arg = "FORMAT",
     .doc = "Format of standard output: table, csv, json or md (table)"},
    {.name = "export",
     .key = OPTION_EXPORT,
     .arg = "FORMAT=FILE",
     .doc = "Also write the rows to FILE, which appears complete or not at all (repeatable)"},
    {.name = "sort",
     .key = OPTION_SORT,
     .arg = "ORDER",
     .doc =
         "Order of the rows of one input: time (fastest first), name, or given (as on the command "
         "line); by default time in table and md, given in csv and json"},
    {.name = "no-color", .key = OPTION_NO_COLOR, .doc = "No colours; the same as setting NO_COLOR"},
    {.name = "print",
     .key = OPTION_PRINT,
     .doc = "Show the array before and after, for n up to 64"},
    {.name = "save-input",
     .key = OPTION_SAVE_INPUT,
     .arg = "FILE",
     .doc = "Write the one input to FILE (.npy, or else raw) instead of sorting it"},
    {.name = "list",
     .key = OPTION_LIST,
     .doc = "List versions and inputs; with a VERSION its knobs"},
    {0}};

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      // getopt reports an unknown option in one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case OPTION_N:
      request_add_sizes(request, argument);
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
      request->seed = request_number("seed", argument, 0, INT64_MAX);
      return 0;
    case OPTION_KEYS:
      request->keys = true;
      return 0;
    case OPTION_PAIRS:
      request->pairs = true;
      return 0;
    case OPTION_REPS:
      request->plan.max_repetitions = (int)request_number("reps", argument, 1, 10000);
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
      request->plan.stages = request_on_or_off("stages", argument);
      return 0;
    case OPTION_SET:
      if (request->setting_count == MAX_SETTINGS)
        quit(EXIT_USAGE, "there are more than %d settings at '%s'", MAX_SETTINGS, argument);
      request->settings[request->setting_count++] = argument;
      return 0;
    case OPTION_SWEEP:
      request_add_sweep(request, argument);
      return 0;
    case OPTION_BASELINE:
      request->baseline = strcmp(argument, "none") == 0 ? NULL : argument;
      request->baseline_given = true;
      return 0;
    case OPTION_FORMAT:
      request->format = request_format(argument);
      return 0;
    case OPTION_EXPORT:
      request_add_export(request, argument);
      return 0;
    case OPTION_SORT:
      request->order = request_order(argument);
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

Request command_line_parse(int count, char **arguments) {
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
