#include "harness/compare/command_line.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "common/check.h"
#include "harness/compare/option_table.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"

// The options of each heading of --help. ARGP_ERR_UNKNOWN: the option has another heading.

static error_t set_input_option(Request *request, int key, char *argument) {
  switch (key) {
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
      request->seed = request->series = option_number("seed", argument, 0, INT64_MAX);
      return 0;
    case OPTION_KEYS:
      request->keys = true;
      return 0;
    case OPTION_PAIRS:
      request->pairs = true;
      return 0;
    case OPTION_OFFSET:
      request_set_offsets(request, argument);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t set_measurement_option(Request *request, int key, char *argument) {
  switch (key) {
    case OPTION_REPS:
      request->plan.max_repetitions = (int)option_number("reps", argument, 1, 10000);
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
      request->plan.stages = option_on_or_off("stages", argument);
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
    case OPTION_NO_FORK:
      request->in_process = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t set_output_option(Request *request, int key, char *argument) {
  switch (key) {
    case OPTION_FORMAT:
      request->format = option_format(argument, FORMAT_MD);
      return 0;
    case OPTION_EXPORT:
      option_add_export(request->exports, &request->export_count, argument, FORMAT_MD);
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
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Request *const request = state->input;
  if (key == ARGP_KEY_INIT) {
    // getopt reports an unknown option in one sentence; argp would add a second line.
    state->err_stream = NULL;
    return 0;
  }
  if (key == ARGP_KEY_ARGS) {
    request->names = (const char **)&state->argv[state->next];
    request->name_count = state->argc - state->next;
    return 0;
  }
  error_t error = set_input_option(request, key, argument);
  if (error == ARGP_ERR_UNKNOWN) error = set_measurement_option(request, key, argument);
  if (error == ARGP_ERR_UNKNOWN) error = set_output_option(request, key, argument);
  return error;
}

// A number that no earlier run of compare had, so that a version finds no answer in a file; short
// enough to be typed.
static uint64_t draw_series(void) {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
    quit(EXIT_DEVICE, "no random number: %s", strerror(errno));
  return number;
}

// Completes and checks the settings that depend on several options.
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
  if (request->save_input != NULL && request->list)
    quit(EXIT_USAGE, "--list and --save-input exclude each other");
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
      .series = draw_series(),
      .baseline = "thrust_ref"};
  if (argp_parse(&parser, count, arguments, 0, NULL, &request) != 0) exit(EXIT_USAGE);
  complete(&request);
  return request;
}
