#include "harness/hw4/options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/knobs.h"
#include "harness/measure/device_info.h"
#include "harness/process/exit_guard.h"
#include "harness/versions/version_check.h"
#include "harness/process/message.h"
#include "harness/process/parse.h"

#if HAVE_OPENCV
#define DEFAULT_OUTPUT "HW4_output.png"
#else
#define DEFAULT_OUTPUT "HW4_output.ppm"
#endif

enum { OPTION_SET = 256, OPTION_KNOBS, OPTION_SEED, OPTION_IMAGE_ONLY, OPTION_TIME_LIMIT };

static const double DEFAULT_TIME_LIMIT = 300.0;

static const struct argp_option option_table[] = {
    {"set", OPTION_SET, "KNOB=VALUE", 0, "Set a knob of the version (repeatable)", 0},
    {"knobs", OPTION_KNOBS, NULL, 0, "List the version's knobs and exit", 0},
    {"seed", OPTION_SEED, "N", 0,
     "On the cpu backend, run the threads of a block in an order shuffled by N, so that a missing "
     "barrier shows; on a GPU, no effect",
     0},
    {"image-only", OPTION_IMAGE_ONLY, NULL, 0,
     "Judge the sort by the image alone, without the battery of other inputs", 0},
    {"time-limit", OPTION_TIME_LIMIT, "SECONDS", 0,
     "Stop a sort that has not returned after that time (300; 0.5, 2m)", 0},
    {0}};

// Passes the seed to the cpu backend, which reads its environment at the first CUDA call.
static void set_seed(const char *text) {
  (void)option_number("seed", text, 0, UINT64_MAX);
  if (setenv("CUDA_CPU_RACECHECK", text, 1) != 0)
    quit(EXIT_DEVICE, "cannot set CUDA_CPU_RACECHECK: %s", strerror(errno));
}

static void add_argument(Options *options, unsigned int index, const char *argument) {
  const char **const places[] = {&options->image, &options->eye_template, &options->output};
  if (index >= sizeof places / sizeof *places)
    quit(EXIT_USAGE, "'%s' is one argument too many (see HW4 --help)", argument);
  *places[index] = argument;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Options *const options = state->input;
  Message message;
  switch (key) {
    case ARGP_KEY_INIT:
      // getopt reports an unknown option in one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case OPTION_SET:
      if (!knob_option(options->version, argument, &message))
        quit(EXIT_USAGE, "--set: %s", message.text);
      return 0;
    case OPTION_KNOBS: options->list_knobs = true; return 0;
    case OPTION_SEED: set_seed(argument); return 0;
    case OPTION_IMAGE_ONLY: options->image_only = true; return 0;
    case OPTION_TIME_LIMIT: options->time_limit = option_seconds("time-limit", argument); return 0;
    case ARGP_KEY_ARG: add_argument(options, state->arg_num, argument); return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// Appends the linked version to the help.
static char *describe_version(int key, const char *text, void *input) {
  const Options *const options = input;
  char *described = NULL;
  if (key == ARGP_KEY_HELP_POST_DOC &&
      asprintf(&described, "This program sorts with %s: %s (%s).", options->version->name,
               options->version->title, options->version->source) >= 0)
    return described;
  return (char *)text;
}

static const SortVersion *linked_version;  // for the hook, to which argp passes no input

static void print_version(FILE *stream, struct argp_state *state) {
  (void)state;
  const SortVersion *const version = linked_version;
  fprintf(stream, "HW4 with %s: %s\nSource: %s\nBackend: %s\n", version->name, version->title,
          version->source, device_backend());
  fprintf(stream, "Largest n: %" PRIu64 "\n", version->max_n);
  if (version->slow_n != 0) fprintf(stream, "Slow above n: %" PRIu64 "\n", version->slow_n);
}

static void print_knobs(const SortVersion *version) {
  if (version->knobs[0].name == NULL) printf("%s has no knobs\n", version->name);
  for (const SortKnob *entry = version->knobs; entry->name != NULL; entry++)
    printf("%s = %d (%d to %d): %s\n", entry->name, entry->default_value, entry->min, entry->max,
           entry->meaning);
}

Options hw4_options(int count, char **arguments, const SortVersion *version) {
  static const struct argp parser = {
      .options = option_table,
      .parser = parse_option,
      .args_doc = "IMAGE TEMPLATE [OUTPUT]",
      .doc =
          "Removes red eyes from IMAGE: scores each pixel by its likeness to the centre of the "
          "red eye TEMPLATE, sorts the scores, and takes the red out around the 40 best. Writes "
          "OUTPUT (" DEFAULT_OUTPUT
          " where it is not given) if the sort was right. Then the sort must be right on a battery "
          "of "
          "other inputs: PASS means both.\v"
          "Exit status: 0 all right, 1 a wrong result, 2 usage or unreadable input, 3 device or "
          "memory.",
      .help_filter = describe_version};
  exit_guard_output();
  Message message;
  if (!version_check(version, "the version", &message)) quit(EXIT_USAGE, "%s", message.text);
  linked_version = version;
  argp_program_version_hook = print_version;
  argp_err_exit_status = EXIT_USAGE;
  Options options = {
      .version = version, .output = DEFAULT_OUTPUT, .time_limit = DEFAULT_TIME_LIMIT};
  knobs_begin(version);
  if (argp_parse(&parser, count, arguments, 0, NULL, &options) != 0) exit(EXIT_USAGE);
  if (options.list_knobs) {
    print_knobs(version);
    exit(EXIT_RIGHT);
  }
  if (options.eye_template == NULL)
    quit(EXIT_USAGE, "%s missing (see HW4 --help)",
         options.image == NULL ? "an image and a template are" : "a template is");
  return options;
}
