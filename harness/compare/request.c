#include "harness/compare/request.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/input/input.h"
#include "harness/measure/device_info.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"

// ---- the options, in the order of --help --------------------------------------------------------

// Above all characters, so that no option has a one-letter form.
enum {
  OPTION_N = 256,
  OPTION_DIST,
  OPTION_INPUT,
  OPTION_IMAGE,
  OPTION_SEED,
  OPTION_TYPE,
  OPTION_VALUES,
  OPTION_KEYS,
  OPTION_PAIRS,
  OPTION_OFFSET,
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
  OPTION_COUNTS,
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Input:", 1},
    {"n", OPTION_N, "SIZES", 0,
     "Numbers of elements: 1000, 1e6, 64K, 1M, 2^28 (K, M, G: powers of 1000), ranges 1M..8M "
     "(doubling), 1K..1Gx10, 1M..5M+1M; separated by commas (1M, on the cpu backend 2^14; of files "
     "all keys)",
     0},
    {"dist", OPTION_DIST, "INPUTS", 0, "Names of inputs, separated by commas (uniform); see --list",
     0},
    {"input", OPTION_INPUT, "FILE", 0,
     "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4' (repeatable); "
     "four of them vary from run to run",
     0},
    {"image", OPTION_IMAGE, "IMAGE,TEMPLATE", 0, "Keys are the red-eye scores of an image", 0},
    {"seed", OPTION_SEED, "N", 0,
     "Seed of the inputs (1); each timed run sorts another input of a series that it begins", 0},
    {"type", OPTION_TYPE, "TYPE", 0,
     "Type of the keys (u32), which the versions sort; of i32, f32, u64, i64 or f64, which gsort, "
     "cub (each of its algorithms, unless --set or --sweep is given) and thrust sort",
     0},
    {"values", OPTION_VALUES, "BYTES", 0,
     "Bytes of the position that moves with a key: 0 (as --keys), 4 (as --pairs), or 8, with keys "
     "of 64 bits",
     0},
    {"keys", OPTION_KEYS, NULL, 0, "Sort bare keys", 0},
    {"pairs", OPTION_PAIRS, NULL, 0, "Sort pairs of key and position (default; with --keys: both)",
     0},
    {"offset", OPTION_OFFSET, "E", 0,
     "The arrays begin E elements behind an aligned address, 0 to 63 (0); or four numbers "
     "separated by commas: keys in, positions in, keys out, positions out",
     0},
    {NULL, 0, NULL, 0, "Measurement:", 2},
    {"reps", OPTION_REPS, "R", 0,
     "At most R timed runs, 1 to 10000 (50); five or more end early when the median's noise is "
     "below --noise",
     0},
    {"noise", OPTION_NOISE, "PERCENT", 0,
     "The noise of a median that needs no further runs, 0 to 100 (1); 0: never end early, time "
     "exactly R runs unless the time limit comes first",
     0},
    {"time-limit", OPTION_TIME_LIMIT, "T", 0,
     "No further run of a row is timed after T seconds (3; also 0.5, 2m); a row that takes ten "
     "times as long is stopped",
     0},
    {"stages", OPTION_STAGES, "on|off", 0, "Time the stages too, in separate runs (on)", 0},
    {"set", OPTION_SET, "KNOB=VALUE", 0,
     "Set a knob of all versions that have it, or with VERSION.KNOB of one (repeatable)", 0},
    {"sweep", OPTION_SWEEP, "KNOB=VALUES", 0,
     "A row for each value, e.g. radix_v2.blockSize=32..1024, the best one marked; once or twice; "
     "without a VERSION argument only the swept versions run",
     0},
    {"baseline", OPTION_BASELINE, "VERSION", 0,
     "Ratios refer to it, of a sweep to the fastest row; it always runs (thrust_ref; with --type "
     "cub, on the cpu backend thrust; none: no ratios)",
     0},
    {"no-fork", OPTION_NO_FORK, NULL, 0,
     "Measure in this process, for debuggers and compute-sanitizer: a crash ends the run", 0},
    {"counts", OPTION_COUNTS, NULL, 0,
     "Also count what the last run asks of memory, for table and json; needs a COUNT=1 build for "
     "the cpu backend, which is slow",
     0},
    {NULL, 0, NULL, 0, "Output:", 3},
    {"format", OPTION_FORMAT, "FORMAT", 0,
     "Format of standard output: table, csv, json or md (table)", 0},
    {"export", OPTION_EXPORT, "FORMAT=FILE", 0,
     "Also write the rows to FILE, which appears complete or not at all (repeatable)", 0},
    {"sort", OPTION_SORT, "ORDER", 0,
     "Order of the rows of one input: time (fastest first), name, or given (as on the command "
     "line); by default time in table and md, given in csv and json",
     0},
    {"no-color", OPTION_NO_COLOR, NULL, 0, "No colours; the same as setting NO_COLOR", 0},
    {"print", OPTION_PRINT, NULL, 0, "Show the array before and after, for n up to 64", 0},
    {"save-input", OPTION_SAVE_INPUT, "FILE", 0,
     "Write the one input to FILE (.npy, or else raw) instead of sorting it", 0},
    {"list", OPTION_LIST, NULL, 0, "List versions and inputs; with a VERSION its knobs", 0},
    {0}};

// ---- their values -------------------------------------------------------------------------------
// Each function ends the program with EXIT_USAGE on a mistake.

static void add_sizes(Request *request, const char *text) {
  const char *const problem = parse_sizes(text, request->sizes, &request->size_count, MAX_SIZES);
  if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
}

static void set_offsets(Request *request, const char *text) {
  uint64_t values[ARRAYS];
  int count = 0;
  const char *const problem = parse_sizes(text, values, &count, ARRAYS);
  if (problem != NULL || (count != 1 && count != ARRAYS))
    quit(EXIT_USAGE, "--offset takes one number or four like 3,3,0,0, not '%s'", text);
  for (int i = 0; i < ARRAYS; i++) {
    const uint64_t offset = values[count == 1 ? 0 : i];
    if (offset > MOST_OFFSET) quit(EXIT_USAGE, "--offset goes to %d, not '%s'", MOST_OFFSET, text);
    request->offsets[i] = (unsigned char)offset;
  }
}

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

static KeyType type(const char *name) {
  for (int i = KEY_U32; i <= KEY_F64; i++)
    if (strcmp(type_name((KeyType)i), name) == 0) return (KeyType)i;
  quit(EXIT_USAGE, "--type takes u32, i32, f32, u64, i64 or f64, not '%s'", name);
}

static RowOrder order(const char *name) {
  static const char *const names[] = {"time", "name", "given"};  // from ORDER_TIME on
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], name) == 0) return (RowOrder)(ORDER_TIME + i);
  quit(EXIT_USAGE, "--sort takes time, name or given, not '%s'", name);
}

// ---- the command line ---------------------------------------------------------------------------

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      // getopt reports an unknown option in one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case ARGP_KEY_ARGS:
      request->names = (const char **)&state->argv[state->next];
      request->name_count = state->argc - state->next;
      return 0;
    case OPTION_N: add_sizes(request, argument); return 0;
    case OPTION_DIST: sources_add_names(&request->sources, argument); return 0;
    case OPTION_INPUT: sources_add_file(&request->sources, argument); return 0;
    case OPTION_IMAGE: request->image = argument; return 0;
    case OPTION_SEED: request->seed = option_number("seed", argument, 0, INT64_MAX); return 0;
    case OPTION_TYPE: request->type = type(argument); return 0;
    case OPTION_VALUES:
      if (strcmp(argument, "0") != 0 && strcmp(argument, "4") != 0 && strcmp(argument, "8") != 0)
        quit(EXIT_USAGE, "--values takes 0, 4 or 8, not '%s'", argument);
      request->keys = request->keys || argument[0] == '0';
      request->pairs = request->pairs || argument[0] != '0';
      request->values64 = argument[0] == '8';
      return 0;
    case OPTION_KEYS: request->keys = true; return 0;
    case OPTION_PAIRS: request->pairs = true; return 0;
    case OPTION_OFFSET: set_offsets(request, argument); return 0;
    case OPTION_REPS:
      request->plan.max_repetitions = (int)option_number("reps", argument, 1, 10000);
      return 0;
    case OPTION_NOISE:
      if (!parse_percent(argument, &request->plan.settled_noise))
        quit(EXIT_USAGE, "--noise takes a percentage from 0 to 100 like 0.5, not '%s'", argument);
      return 0;
    case OPTION_TIME_LIMIT:
      request->plan.max_seconds = option_seconds("time-limit", argument);
      return 0;
    case OPTION_STAGES: request->plan.stages = option_on_or_off("stages", argument); return 0;
    case OPTION_SET:
      if (request->setting_count == MAX_SETTINGS)
        quit(EXIT_USAGE, "there are more than %d settings at '%s'", MAX_SETTINGS, argument);
      request->settings[request->setting_count++] = argument;
      return 0;
    case OPTION_SWEEP: add_sweep(request, argument); return 0;
    case OPTION_BASELINE:
      request->baseline = strcmp(argument, "none") == 0 ? NULL : argument;
      request->baseline_given = true;
      return 0;
    case OPTION_NO_FORK: request->in_process = true; return 0;
    case OPTION_COUNTS:
      if (cuda_cpu_take_counts == NULL)
        quit(EXIT_USAGE, "--counts: this build does not count; make compare BACKEND=cpu COUNT=1");
      request->counts = true;
      return 0;
    case OPTION_FORMAT: request->format = option_format(argument, FORMAT_MD); return 0;
    case OPTION_EXPORT:
      option_add_export(request->exports, &request->export_count, argument, FORMAT_MD);
      return 0;
    case OPTION_SORT: request->order = order(argument); return 0;
    case OPTION_NO_COLOR: request->no_color = true; return 0;
    case OPTION_PRINT: request->print = true; return 0;
    case OPTION_SAVE_INPUT: request->save_input = argument; return 0;
    case OPTION_LIST: request->list = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// What goes with other types than u32.
static void complete_type(Request *request) {
  const char *const name = type_name(request->type);
  if (request->values64 && request->type < KEY_U64)
    quit(EXIT_USAGE, "--values 8 goes with keys of 64 bits, not with %s", name);
  for (int i = 0; i < request->sources.count; i++) {
    const Source *const source = &request->sources.entries[i];
    if (source->kind < 0 ? request->type != KEY_U32 : !input_fits(source->kind, request->type))
      quit(EXIT_USAGE, "the input %s is not for %s keys; --list --type %s names those that are",
           source->name, name, name);
  }
  if (request->type == KEY_U32) return;
  if (request->print || request->save_input != NULL)
    quit(EXIT_USAGE, "--print and --save-input go with keys of type u32 only");
  if (!request->baseline_given)
    request->baseline = strcmp(device_backend(), "cuda") == 0 ? "cub" : "thrust";
  if (request->setting_count == 0 && request->sweep_count == 0)
    request->sweeps[request->sweep_count++] = (Sweep){
        .version = "cub", .knob = "algorithm", .values = {0, 1, 2}, .count = 3, .implied = true};
}

// Completes and checks the settings that depend on several options.
static void complete(Request *request) {
  static char default_source[] = "uniform";
  if (request->image != NULL && !request->list)
    sources_add_image(&request->sources, request->image);
  if (request->sources.count == 0) sources_add_names(&request->sources, default_source);
  if (!request->keys) request->pairs = true;
  complete_type(request);
  const char *const no_color = getenv("NO_COLOR");
  if (no_color != NULL && *no_color != '\0') request->no_color = true;
  if (request->print && request->format != FORMAT_TABLE)
    quit(EXIT_USAGE, "--print goes with --format table only");
  if (request->print && request->size_count == 0) request->sizes[request->size_count++] = 16;
  for (int i = 0; request->print && i < request->size_count; i++)
    if (request->sizes[i] > MAX_PRINTED)
      quit(EXIT_USAGE, "--print shows at most %d elements", MAX_PRINTED);
  if (request->save_input != NULL && request->list)
    quit(EXIT_USAGE, "--list and --save-input exclude each other");
  if (request->save_input != NULL && (request->sources.count != 1 || request->size_count > 1))
    quit(EXIT_USAGE, "--save-input takes one input and one size");
}

const char *type_name(KeyType type) {
  static const char *const names[] = {"u32", "i32", "f32", "u64", "i64", "f64"};
  return names[type];
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
