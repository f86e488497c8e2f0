#include "harness/hw4/options.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "harness/process/exit_guard.h"
#include "harness/versions/version_check.h"
#include "harness/process/message.h"
#include "harness/process/options.h"

#if HAVE_OPENCV
#define DEFAULT_OUTPUT "HW4_output.png"
#else
#define DEFAULT_OUTPUT "HW4_output.ppm"
#endif

static Options options;  // which the command line fills in

static void set_knob(char *text) {
  Message message;
  if (!knob_option(options.version, text, &message)) quit(EXIT_USAGE, "--set: %s", message.text);
}

// Passes the seed to the cpu backend, which reads its environment at the first CUDA call.
static void set_seed(char *text) {
  (void)option_number("seed", text, 0, UINT64_MAX);
  if (setenv("CUDA_CPU_RACECHECK", text, 1) != 0)
    quit(EXIT_DEVICE, "cannot set CUDA_CPU_RACECHECK: %s", strerror(errno));
}

static void print_version(FILE *stream, struct argp_state *state) {
  (void)state;
  const SortVersion *const version = options.version;
  fprintf(stream, "HW4 with %s: %s\nSource: %s\nBackend: %s\n", version->name, version->title,
          version->source, device_backend());
  fprintf(stream, "Largest n: %" PRIu64 "\n", version->max_n);
  if (version->slow_n != 0) fprintf(stream, "Slow above n: %" PRIu64 "\n", version->slow_n);
}

static void print_knobs(void) {
  const SortVersion *const version = options.version;
  if (version->knobs[0].name == NULL) printf("%s has no knobs\n", version->name);
  for (const SortKnob *entry = version->knobs; entry->name != NULL; entry++)
    printf("%s = %d (%d to %d): %s\n", entry->name, entry->default_value, entry->min, entry->max,
           entry->meaning);
  exit(EXIT_RIGHT);
}

static const Option table[] = {
    {"set", "KNOB=VALUE", "Set a knob of the version (repeatable)", .set = set_knob},
    {"knobs", NULL, "List the version's knobs and exit", .flag = &options.list_knobs},
    {"seed", "N",
     "On the cpu backend, run the threads of a block in an order shuffled by N, so that a missing "
     "barrier shows; on a GPU, no effect",
     .set = set_seed},
    {"image-only", NULL, "Judge the sort by the image alone, without the battery of other inputs",
     .flag = &options.image_only},
    {"time-limit", "SECONDS", "Stop a sort that has not returned after that time (300; 0.5, 2m)",
     .seconds = &options.time_limit},
    {0}};

Options hw4_options(int count, char **arguments, const SortVersion *version) {
  exit_guard_output();
  Message message;
  if (!version_check(version, "the version", &message)) quit(EXIT_USAGE, "%s", message.text);
  options = (Options){.version = version, .output = DEFAULT_OUTPUT, .time_limit = 300.0};
  argp_program_version_hook = print_version;
  knobs_begin(version);
  char description[2000];
  snprintf(description, sizeof description,
           "Removes red eyes from IMAGE: scores each pixel by its likeness to the centre of the "
           "red eye TEMPLATE, sorts the scores, and takes the red out around the 40 best. Writes "
           "OUTPUT (" DEFAULT_OUTPUT
           " where it is not given) if the sort was right. Then the sort "
           "must be right on a battery of other inputs: PASS means both.\v"
           "This program sorts with %s: %s (%s).\n"
           "Exit status: 0 all right, 1 a wrong result, 2 usage or unreadable input, 3 device or "
           "memory.",
           version->name, version->title, version->source);
  const int first = options_parse(table, "IMAGE TEMPLATE [OUTPUT]", description, count, arguments);
  if (options.list_knobs) print_knobs();
  const char **const places[] = {&options.image, &options.eye_template, &options.output};
  if (count - first > 3)
    quit(EXIT_USAGE, "'%s' is one argument too many (see HW4 --help)", arguments[first + 3]);
  for (int i = first; i < count; i++) *places[i - first] = arguments[i];
  if (options.eye_template == NULL)
    quit(EXIT_USAGE, "%s missing (see HW4 --help)",
         options.image == NULL ? "an image and a template are" : "a template is");
  return options;
}
