// HW4 IMAGE TEMPLATE [OUTPUT]: removes red eyes from an image (Udacity CS344, Problem Set 4), with
// the sort of the version that it is linked with.
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "harness/device_info.h"
#include "harness/hw4/image.h"
#include "harness/hw4/red_eye.h"
#include "harness/verdict.h"

#if HAVE_OPENCV
#define DEFAULT_OUTPUT "HW4_output.png"
#else
#define DEFAULT_OUTPUT "HW4_output.ppm"
#endif

static char message[1024];  // what a function of another file says is wrong

// Says in one sentence on stderr what is wrong, and ends the program.
#define QUIT(code, ...) \
  (fflush(stdout), fprintf(stderr, "HW4: " __VA_ARGS__), fputc('\n', stderr), exit(code))

// ---- command line ------------------------------------------------------------------------------

typedef struct Options {
  const char *image, *eye_template, *output;
  bool list_knobs;
} Options;

enum { OPTION_SET = 256, OPTION_KNOBS, OPTION_SEED };

static const struct argp_option option_table[] = {
    {"set", OPTION_SET, "KNOB=VALUE", 0, "Set a knob of the version (repeatable)", 0},
    {"knobs", OPTION_KNOBS, NULL, 0, "List the version's knobs and exit", 0},
    {"seed", OPTION_SEED, "N", 0,
     "On the cpu backend, run the threads of a block in an order shuffled by N, so that a missing "
     "barrier shows; on a GPU, no effect",
     0},
    {0}};

// The seed speaks to the cpu backend, which reads its environment at the first CUDA call.
static void set_seed(const char *text) {
  char *end = NULL;
  errno = 0;
  (void)strtoull(text, &end, 10);
  if (errno != 0 || strspn(text, "0123456789") == 0 || *end != '\0')
    QUIT(EXIT_USAGE, "--seed takes a whole number from 0 to %" PRIu64 ", not '%s'", UINT64_MAX,
         text);
  if (setenv("CUDA_CPU_RACECHECK", text, 1) != 0)
    QUIT(EXIT_DEVICE, "cannot set CUDA_CPU_RACECHECK: %s", strerror(errno));
}

static void add_argument(Options *options, unsigned int index, const char *argument) {
  const char **const places[] = {&options->image, &options->eye_template, &options->output};
  if (index >= sizeof places / sizeof *places)
    QUIT(EXIT_USAGE, "'%s' is one argument too many (see HW4 --help)", argument);
  *places[index] = argument;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  Options *const options = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      // What getopt says of an unknown option is one sentence; argp would add a second line.
      state->err_stream = NULL;
      return 0;
    case OPTION_SET:
      if (!knob_set(argument, message, sizeof message)) QUIT(EXIT_USAGE, "--set: %s", message);
      return 0;
    case OPTION_KNOBS:
      options->list_knobs = true;
      return 0;
    case OPTION_SEED:
      set_seed(argument);
      return 0;
    case ARGP_KEY_ARG:
      add_argument(options, state->arg_num, argument);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static char *describe_version(int key, const char *text, void *input) {
  (void)input;
  char *described = NULL;
  if (key == ARGP_KEY_HELP_POST_DOC &&
      asprintf(&described, "This program is linked with %s: %s (%s).", sort_version.name,
               sort_version.title, sort_version.source) >= 0)
    return described;
  return (char *)text;
}

static void print_version(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "HW4 with %s: %s\nSource: %s\nBackend: %s\n", sort_version.name,
          sort_version.title, sort_version.source, device_backend());
  fprintf(stream, "Largest n: %" PRIu64 "\n", sort_version.max_n);
  if (sort_version.slow_n != 0) fprintf(stream, "Slow above n: %" PRIu64 "\n", sort_version.slow_n);
}

static void print_knobs(void) {
  if (sort_version.knobs[0].name == NULL) printf("%s has no knobs\n", sort_version.name);
  for (const SortKnob *entry = sort_version.knobs; entry->name != NULL; entry++)
    printf("%s = %d (%d to %d): %s\n", entry->name, entry->default_value, entry->min, entry->max,
           entry->meaning);
}

static Options parse_command_line(int count, char **arguments) {
  static const struct argp parser = {
      .options = option_table,
      .parser = parse_option,
      .args_doc = "IMAGE TEMPLATE [OUTPUT]",
      .doc =
          "Removes red eyes from IMAGE: scores each pixel by its likeness to the centre of the "
          "red eye TEMPLATE, sorts the scores, and takes the red out around the 40 best. Writes "
          "OUTPUT (" DEFAULT_OUTPUT
          " where it is not given) if the sort was right.\v"
          "Exit status: 0 all right, 1 a wrong result, 2 usage or unreadable input, 3 device or "
          "memory.",
      .help_filter = describe_version};
  argp_program_version_hook = print_version;
  argp_err_exit_status = EXIT_USAGE;
  Options options = {.output = DEFAULT_OUTPUT};
  knobs_begin(&sort_version);
  if (argp_parse(&parser, count, arguments, 0, NULL, &options) != 0) exit(EXIT_USAGE);
  if (options.list_knobs) {
    print_knobs();
    exit(EXIT_RIGHT);
  }
  if (options.eye_template == NULL)
    QUIT(EXIT_USAGE, "%s missing (see HW4 --help)",
         options.image == NULL ? "an image and a template are" : "a template is");
  return options;
}

// ---- files -------------------------------------------------------------------------------------

static void load(const Options *options, Image *image, Image *eye_template) {
  if (!image_load(options->image, image, message, sizeof message) ||
      !image_load(options->eye_template, eye_template, message, sizeof message))
    QUIT(EXIT_USAGE, "%s", message);
  if (image->width < eye_template->width || image->height < eye_template->height)
    QUIT(EXIT_USAGE, "the image (%d x %d) is smaller than the template (%d x %d)", image->width,
         image->height, eye_template->width, eye_template->height);
  const uint64_t n = (uint64_t)image->width * (uint64_t)image->height;
  if (n > sort_version.max_n)
    QUIT(EXIT_USAGE, "the image has %" PRIu64 " pixels, but %s sorts at most %" PRIu64, n,
         sort_version.name, sort_version.max_n);
  if (sort_version.slow_n != 0 && n > sort_version.slow_n && isatty(STDERR_FILENO))
    fprintf(stderr, "HW4: %s is slow above %" PRIu64 " pixels: this takes a while\n",
            sort_version.name, sort_version.slow_n);
}

// ---- sorting -----------------------------------------------------------------------------------

// The sort's arrays on the device, and what they are filled from. The sort never sees `snapshot`.
typedef struct Sort {
  size_t n;
  uint32_t *keys, *positions;  // on the host: the scores; 0, 1, .. n-1, later the result
  unsigned int *snapshot;      // the keys
  unsigned int *input_keys, *input_positions, *output_keys, *output_positions;
} Sort;

static uint32_t *host_array(size_t n) {
  uint32_t *const array = malloc(n * sizeof *array);
  if (array == NULL) QUIT(EXIT_DEVICE, "%zu pixels do not fit into memory", n);
  return array;
}

static unsigned int *device_array(size_t n) {
  void *array = NULL;
  CUDA_CHECK(cudaMalloc(&array, n * sizeof(unsigned int)));
  return array;
}

static Sort sort_create(size_t n) {
  Sort sort = {.n = n, .keys = host_array(n), .positions = host_array(n)};
  for (size_t i = 0; i < n; i++) sort.positions[i] = (uint32_t)i;
  sort.snapshot = device_array(n);
  sort.input_keys = device_array(n);
  sort.input_positions = device_array(n);
  sort.output_keys = device_array(n);
  sort.output_positions = device_array(n);
  return sort;
}

static void sort_free(Sort *sort) {
  unsigned int *const arrays[] = {sort->snapshot, sort->input_keys, sort->input_positions,
                                  sort->output_keys, sort->output_positions};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) CUDA_CHECK(cudaFree(arrays[i]));
  scratch_trim();
  free(sort->keys);
  free(sort->positions);
}

// Fresh inputs, and outputs that hold nothing of an earlier run. Returns the milliseconds of the
// run; stage times add up from the last stages_begin().
static float sort_once(const Sort *sort) {
  const size_t bytes = sort->n * sizeof(unsigned int);
  CUDA_CHECK(cudaMemcpy(sort->input_keys, sort->snapshot, bytes, cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaMemcpy(sort->input_positions, sort->positions, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(sort->output_keys, 0xff, bytes));
  CUDA_CHECK(cudaMemset(sort->output_positions, 0xff, bytes));
  cudaEvent_t start, stop;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaEventRecord(start, 0));
  your_sort(sort->input_keys, sort->input_positions, sort->output_keys, sort->output_positions,
            sort->n);
  LAUNCH_CHECK();
  CUDA_CHECK(cudaEventRecord(stop, 0));
  CUDA_CHECK(cudaDeviceSynchronize());
  float milliseconds = 0.0f;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  return milliseconds;
}

// Runs the sort twice, the first time to warm up, and prints the times of the second.
static void sort_timed(const Sort *sort) {
  stages_begin(&sort_version, true);
  (void)sort_once(sort);
  stages_begin(&sort_version, true);
  const float total = sort_once(sort);
  double milliseconds[MAX_STAGES];
  const int stages = stages_end(milliseconds);
  for (int i = 0; i < stages; i++)
    printf("%s: %f msecs\n", sort_version.stages[i], milliseconds[i]);
  printf("\nYour code ran in: %f msecs.\n", (double)total);
  if (scratch_outstanding() != 0)
    QUIT(EXIT_DEVICE, "%s did not return %zu of its scratch blocks", sort_version.name,
         scratch_outstanding());
}

static bool judge(const Sort *sort) {
  const Verdict verdict = verdict_judge(&sort_version, sort->snapshot, sort->output_keys,
                                        sort->output_positions, sort->n);
  char text[1024];
  verdict_describe(&verdict, text, sizeof text);
  puts(text);
  return verdict_passes(&verdict);
}

// ---- the whole ---------------------------------------------------------------------------------

static void save_mended(const char *path, Image *image, Sort *sort) {
  const size_t best = sort->n < RED_EYE_PIXELS ? sort->n : RED_EYE_PIXELS;
  const size_t bytes = sort->n * sizeof(uint32_t);
  CUDA_CHECK(cudaMemcpy(sort->keys, sort->output_keys, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaMemcpy(sort->positions, sort->output_positions, bytes, cudaMemcpyDeviceToHost));
  red_eye_settle_ties(sort->keys, sort->positions, sort->n, best);
  red_eye_remove(image, sort->positions + (sort->n - best), best);
  if (!image_save(path, image, message, sizeof message)) QUIT(EXIT_USAGE, "%s", message);
}

int main(int argument_count, char **arguments) {
  const Options options = parse_command_line(argument_count, arguments);
  if (!image_can_save(options.output, message, sizeof message)) QUIT(EXIT_USAGE, "%s", message);
  Image image = {0}, eye_template = {0};
  load(&options, &image, &eye_template);

  const DeviceInfo device = device_info();
  Sort sort = sort_create((size_t)image.width * (size_t)image.height);
  if (!red_eye_scores(&image, &eye_template, sort.keys))
    QUIT(EXIT_DEVICE, "the scores do not fit into memory");
  CUDA_CHECK(
      cudaMemcpy(sort.snapshot, sort.keys, sort.n * sizeof *sort.keys, cudaMemcpyHostToDevice));

  printf("%s, %s backend, %s, n = %zu pairs\n", sort_version.name, device.backend, device.name,
         sort.n);
  sort_timed(&sort);
  const bool right = judge(&sort);
  if (right) save_mended(options.output, &image, &sort);

  sort_free(&sort);
  image_free(&image);
  image_free(&eye_template);
  if (fflush(stdout) != 0 || ferror(stdout))
    QUIT(EXIT_USAGE, "cannot write to standard output: %s", strerror(errno));
  return right ? EXIT_RIGHT : EXIT_WRONG_RESULT;
}
