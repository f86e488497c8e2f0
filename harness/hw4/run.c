#include "harness/hw4/run.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/check.h"
#include "common/scratch.h"
#include "harness/device_info.h"
#include "harness/hw4/image.h"
#include "harness/hw4/red_eye.h"
#include "harness/measure.h"
#include "harness/message.h"

// ---- before the sort ---------------------------------------------------------------------------

static void load(const Options *options, Image *image, Image *eye_template) {
  Message message;
  if (!image_load(options->image, image, &message) ||
      !image_load(options->eye_template, eye_template, &message))
    quit(EXIT_USAGE, "%s", message.text);
  if (image->width < eye_template->width || image->height < eye_template->height)
    quit(EXIT_USAGE, "the image (%d x %d) is smaller than the template (%d x %d)", image->width,
         image->height, eye_template->width, eye_template->height);
  const SortVersion *const version = options->version;
  const uint64_t n = (uint64_t)image->width * (uint64_t)image->height;
  if (n > version->max_n)
    quit(EXIT_USAGE, "the image has %" PRIu64 " pixels, but %s sorts at most %" PRIu64, n,
         version->name, version->max_n);
  if (version->slow_n != 0 && n > version->slow_n && isatty(STDERR_FILENO))
    fprintf(stderr, "HW4: %s is slow above %" PRIu64 " pixels: this takes a while\n", version->name,
            version->slow_n);
}

static uint32_t *host_array(size_t n) {
  uint32_t *const array = malloc(n * sizeof *array);
  if (array == NULL) quit(EXIT_DEVICE, "%zu pixels do not fit into memory", n);
  return array;
}

// The workload: the scores of all pixels as keys, with their positions.
static Workload score(const Image *image, const Image *eye_template) {
  const size_t n = (size_t)image->width * (size_t)image->height;
  Workload workload = workload_create(n, true);
  uint32_t *const keys = host_array(n);
  if (!red_eye_scores(image, eye_template, keys))
    quit(EXIT_DEVICE, "the scores do not fit into memory");
  workload_load(&workload, keys, n);
  free(keys);
  return workload;
}

// ---- the sort ----------------------------------------------------------------------------------

// Sorts, and prints the times of the stages, the total, and the verdict.
static bool sort_and_report(const LoadedVersion *version, const Workload *workload) {
  const Measurement measured = measure_once(version, workload);
  for (int i = 0; i < measured.stages; i++)
    printf("%s: %f msecs\n", version->version->stages[i], measured.stage_ms[i]);
  printf("\nYour code ran in: %f msecs.\n", measured.median_ms);
  char text[1024];
  verdict_describe(&measured.verdict, text, sizeof text);
  puts(text);
  return verdict_passes(&measured.verdict);
}

// ---- after the sort ----------------------------------------------------------------------------

static uint32_t *fetch(const unsigned int *d_array, size_t n) {
  uint32_t *const array = host_array(n);
  CUDA_CHECK(cudaMemcpy(array, d_array, n * sizeof *array, cudaMemcpyDeviceToHost));
  return array;
}

static void save_mended(const char *path, Image *image, const Workload *sorted) {
  const size_t n = sorted->n, best = n < RED_EYE_PIXELS ? n : RED_EYE_PIXELS;
  uint32_t *const keys = fetch(sorted->keys_out, n);
  uint32_t *const positions = fetch(sorted->positions_out, n);
  red_eye_settle_ties(keys, positions, n, best);
  red_eye_remove(image, positions + (n - best), best);
  free(positions);
  free(keys);
  Message message;
  if (!image_save(path, image, &message)) quit(EXIT_USAGE, "%s", message.text);
}

bool hw4_run(const Options *options, const LoadedVersion *version) {
  Message message;
  if (!image_can_save(options->output, &message)) quit(EXIT_USAGE, "%s", message.text);
  Image image = {0}, eye_template = {0};
  load(options, &image, &eye_template);

  const DeviceInfo device = device_info();
  Workload workload = score(&image, &eye_template);
  printf("%s, %s backend, %s, n = %zu pairs\n", options->version->name, device.backend, device.name,
         workload.n);
  const bool right = sort_and_report(version, &workload);
  if (right) save_mended(options->output, &image, &workload);

  workload_destroy(&workload);
  scratch_trim();
  image_free(&image);
  image_free(&eye_template);
  return right;
}
