#include "harness/compare/request.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/device.h"
#include "harness/input/input.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"

static Request request;  // which the options fill in

// ---- values of options --------------------------------------------------------------------------
// Each function ends the program with EXIT_USAGE on a mistake.

static void add_sizes(char *text) {
  const char *const problem = parse_sizes(text, request.sizes, &request.size_count, MAX_SIZES);
  if (problem != NULL) quit(EXIT_USAGE, "--n: %s", problem);
}

static void set_offsets(char *text) {
  uint64_t values[ARRAYS];
  int count = 0;
  const char *const problem = parse_sizes(text, values, &count, ARRAYS);
  if (problem != NULL || (count != 1 && count != ARRAYS))
    quit(EXIT_USAGE, "--offset takes one number or four like 3,3,0,0, not '%s'", text);
  for (int i = 0; i < ARRAYS; i++) {
    const uint64_t offset = values[count == 1 ? 0 : i];
    if (offset > MOST_OFFSET) quit(EXIT_USAGE, "--offset goes to %d, not '%s'", MOST_OFFSET, text);
    request.offsets[i] = (unsigned char)offset;
  }
}

static void add_sweep(char *text) {
  if (request.sweep_count == MAX_SWEEPS)
    quit(EXIT_USAGE, "--sweep goes over one or two knobs, '%s' is the third", text);
  char *const equals = strchr(text, '=');
  if (equals == NULL || equals == text)
    quit(EXIT_USAGE, "--sweep: '%s' is not of the form VERSION.KNOB=VALUES", text);
  uint64_t values[MAX_SWEEP_VALUES];
  Sweep *const sweep = &request.sweeps[request.sweep_count++];
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

static void set_type(char *name) {
  for (int i = KEY_U32; i <= KEY_F64; i++)
    if (strcmp(type_name((KeyType)i), name) == 0) {
      request.type = (KeyType)i;
      return;
    }
  quit(EXIT_USAGE, "--type takes u32, i32, f32, u64, i64 or f64, not '%s'", name);
}

static void set_order(char *name) {
  static const char *const names[] = {"time", "name", "given"};  // from ORDER_TIME on
  for (int i = 0; i < 3; i++)
    if (strcmp(names[i], name) == 0) {
      request.order = (RowOrder)(ORDER_TIME + i);
      return;
    }
  quit(EXIT_USAGE, "--sort takes time, name or given, not '%s'", name);
}

static void add_inputs(char *names) { sources_add_names(&request.sources, names); }
static void add_file(char *path) { sources_add_file(&request.sources, path); }

static void set_values(char *bytes) {
  if (strcmp(bytes, "0") != 0 && strcmp(bytes, "4") != 0 && strcmp(bytes, "8") != 0)
    quit(EXIT_USAGE, "--values takes 0, 4 or 8, not '%s'", bytes);
  request.keys = request.keys || bytes[0] == '0';
  request.pairs = request.pairs || bytes[0] != '0';
  request.values64 = bytes[0] == '8';
}

static void set_noise(char *text) {
  if (!parse_percent(text, &request.plan.settled_noise))
    quit(EXIT_USAGE, "--noise takes a percentage from 0 to 100 like 0.5, not '%s'", text);
}

static void add_setting(char *text) {
  if (request.setting_count == MAX_SETTINGS)
    quit(EXIT_USAGE, "there are more than %d settings at '%s'", MAX_SETTINGS, text);
  request.settings[request.setting_count++] = text;
}

static void set_baseline(char *name) {
  request.baseline = strcmp(name, "none") == 0 ? NULL : name;
  request.baseline_given = true;
}

static void set_counts(char *none) {
  (void)none;
  if (cuda_cpu_take_counts == NULL)
    quit(EXIT_USAGE, "--counts: this build does not count; make compare BACKEND=cpu COUNT=1");
  request.counts = true;
}

static void set_format(char *name) { request.format = option_format(name, FORMAT_MD); }

static void add_export(char *text) {
  option_add_export(request.exports, &request.export_count, text, FORMAT_MD);
}

// ---- the options, in the order of --help --------------------------------------------------------

static const Option options[] = {
    {.help = "Input:"},
    {"n", "SIZES",
     "Numbers of elements: 1000, 1e6, 64K, 1M, 2^28 (K, M, G: powers of 1000), ranges 1M..8M "
     "(doubling), 1K..1Gx10, 1M..5M+1M; separated by commas (1M, on the cpu backend 2^14; of files "
     "all keys)",
     .set = add_sizes},
    {"dist", "INPUTS", "Names of inputs, separated by commas (uniform); see --list",
     .set = add_inputs},
    {"input", "FILE",
     "Keys of a file: raw little-endian u32, or .npy with one dimension of '<u4' (repeatable); "
     "four of them vary from run to run",
     .set = add_file},
    {"image", "IMAGE,TEMPLATE", "Keys are the red-eye scores of an image", .text = &request.image},
    {"seed", "N",
     "Seed of the inputs (1); each timed run sorts another input of a series that it begins",
     .seed = &request.seed},
    {"type", "TYPE",
     "Type of the keys (u32), which the versions sort; of i32, f32, u64, i64 or f64, which gsort, "
     "cub (each of its algorithms, unless --set or --sweep is given) and thrust sort",
     .set = set_type},
    {"values", "BYTES",
     "Bytes of the position that moves with a key: 0 (as --keys), 4 (as --pairs), or 8, with keys "
     "of 64 bits",
     .set = set_values},
    {"keys", NULL, "Sort bare keys", .flag = &request.keys},
    {"pairs", NULL, "Sort pairs of key and position (default; with --keys: both)",
     .flag = &request.pairs},
    {"offset", "E",
     "The arrays begin E elements behind an aligned address, 0 to 63 (0); or four numbers "
     "separated by commas: keys in, positions in, keys out, positions out",
     .set = set_offsets},
    {.help = "Measurement:"},
    {"reps", "R",
     "At most R timed runs, 1 to 10000 (50); five or more end early when the median's noise is "
     "below --noise",
     .number = &request.plan.max_repetitions, .min = 1, .max = 10000},
    {"noise", "PERCENT",
     "The noise of a median that needs no further runs, 0 to 100 (1); 0: never end early, time "
     "exactly R runs unless the time limit comes first",
     .set = set_noise},
    {"time-limit", "T",
     "No further run of a row is timed after T seconds (3; also 0.5, 2m); a row that takes ten "
     "times as long is stopped",
     .seconds = &request.plan.max_seconds},
    {"stages", "on|off", "Time the stages too, in separate runs (on)",
     .flag = &request.plan.stages},
    {"set", "KNOB=VALUE",
     "Set a knob of all versions that have it, or with VERSION.KNOB of one (repeatable)",
     .set = add_setting},
    {"sweep", "KNOB=VALUES",
     "A row for each value, e.g. radix_v2.blockSize=32..1024, the best one marked; once or twice; "
     "without a VERSION argument only the swept versions run",
     .set = add_sweep},
    {"baseline", "VERSION",
     "Ratios refer to it, of a sweep to the fastest row; it always runs (thrust_ref; with --type "
     "cub, on the cpu backend thrust; none: no ratios)",
     .set = set_baseline},
    {"no-fork", NULL,
     "Measure in this process, for debuggers and compute-sanitizer: a crash ends the run",
     .flag = &request.in_process},
    {"counts", NULL,
     "Also count what the last run asks of memory, for table and json; needs a COUNT=1 build for "
     "the cpu backend, which is slow",
     .set = set_counts},
    {.help = "Output:"},
    {"format", "FORMAT", "Format of standard output: table, csv, json or md (table)",
     .set = set_format},
    {"export", "FORMAT=FILE",
     "Also write the rows to FILE, which appears complete or not at all (repeatable)",
     .set = add_export},
    {"sort", "ORDER",
     "Order of the rows of one input: time (fastest first), name, or given (as on the command "
     "line); by default time in table and md, given in csv and json",
     .set = set_order},
    {"no-color", NULL, "No colours; the same as setting NO_COLOR", .flag = &request.no_color},
    {"print", NULL, "Show the array before and after, for n up to 64", .flag = &request.print},
    {"save-input", "FILE", "Write the one input to FILE (.npy, or else raw) instead of sorting it",
     .text = &request.save_input},
    {"list", NULL, "List versions and inputs; with a VERSION its knobs", .flag = &request.list},
    {0}};

// ---- the command line ---------------------------------------------------------------------------

// What goes with other types than u32.
static void complete_type(void) {
  const char *const name = type_name(request.type);
  if (request.values64 && request.type < KEY_U64)
    quit(EXIT_USAGE, "--values 8 goes with keys of 64 bits, not with %s", name);
  for (int i = 0; i < request.sources.count; i++) {
    const Source *const source = &request.sources.entries[i];
    if (source->kind < 0 ? request.type != KEY_U32 : !input_fits(source->kind, request.type))
      quit(EXIT_USAGE, "the input %s is not for %s keys; --list --type %s names those that are",
           source->name, name, name);
  }
  if (request.type == KEY_U32) return;
  if (request.print || request.save_input != NULL)
    quit(EXIT_USAGE, "--print and --save-input go with keys of type u32 only");
  if (!request.baseline_given)
    request.baseline = strcmp(device_backend(), "cuda") == 0 ? "cub" : "thrust";
  if (request.setting_count == 0 && request.sweep_count == 0)
    request.sweeps[request.sweep_count++] = (Sweep){
        .version = "cub", .knob = "algorithm", .values = {0, 1, 2}, .count = 3, .implied = true};
}

// Completes and checks the settings that depend on several options.
static void complete(void) {
  static char default_source[] = "uniform";
  if (request.image != NULL && !request.list) sources_add_image(&request.sources, request.image);
  if (request.sources.count == 0) sources_add_names(&request.sources, default_source);
  if (!request.keys) request.pairs = true;
  complete_type();
  const char *const no_color = getenv("NO_COLOR");
  if (no_color != NULL && *no_color != '\0') request.no_color = true;
  if (request.print && request.format != FORMAT_TABLE)
    quit(EXIT_USAGE, "--print goes with --format table only");
  if (request.print && request.size_count == 0) request.sizes[request.size_count++] = 16;
  for (int i = 0; request.print && i < request.size_count; i++)
    if (request.sizes[i] > MAX_PRINTED)
      quit(EXIT_USAGE, "--print shows at most %d elements", MAX_PRINTED);
  if (request.save_input != NULL && request.list)
    quit(EXIT_USAGE, "--list and --save-input exclude each other");
  if (request.save_input != NULL && (request.sources.count != 1 || request.size_count > 1))
    quit(EXIT_USAGE, "--save-input takes one input and one size");
}

const char *type_name(KeyType type) {
  static const char *const names[] = {"u32", "i32", "f32", "u64", "i64", "f64"};
  return names[type];
}

Request request_parse(int count, char **arguments) {
  request = (Request){
      .plan = {.max_repetitions = 50, .settled_noise = 0.01, .max_seconds = 3.0, .stages = true},
      .seed = 1,
      .baseline = "thrust_ref"};
  const int first = options_parse(
      options, "[VERSION...]",
      "Sorts the same input with each VERSION (default: all; also the path of a version.so), "
      "judges the result and times it."
      "\vExit status: 0 all right, 1 a wrong result, a crash or a row that was stopped, "
      "2 usage or unreadable input, 3 device or memory, 130 after Ctrl-C (what was measured is "
      "complete).",
      count, arguments);
  request.names = (const char **)&arguments[first];
  request.name_count = count - first;
  complete();
  return request;
}
