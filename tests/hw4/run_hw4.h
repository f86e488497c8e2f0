// Runs the programs HW4 of a build folder, for the tests of HW4. HW4_DIR names the folder (default:
// build/cpu), HW4_TESTED one version (default: all). A test works in a new folder under /tmp.
#ifndef TESTS_RUN_HW4_H
#define TESTS_RUN_HW4_H

#include "tests/unit.h"

#include <dirent.h>
#include <glob.h>
#include <sys/stat.h>

#include "harness/hw4/image.h"

#define DEFAULT_OUTPUT (HAVE_OPENCV ? "HW4_output.png" : "HW4_output.ppm")

enum { MAX_ARGUMENTS = 8 };

static Message message;
static glob_t versions;   // the paths BUILD/VERSION/HW4 of the tested versions
static char *crash_sort;  // the HW4 of tests/sorts/crash_sort
static char *samples;     // the folder with the sample images
static char folder[] = "/tmp/test_hw4.XXXXXX";
static int files_before;  // how many files were in the folder when the tests began

// ---- running a program --------------------------------------------------------------------------

typedef struct Surroundings {
  const char *variable, *value;  // of the environment; NULL: as it is
} Surroundings;

static void become(const char *program, const char *const *arguments, Surroundings surroundings) {
  const char *all[MAX_ARGUMENTS + 2] = {program};
  for (int i = 0; i < MAX_ARGUMENTS && arguments[i] != NULL; i++) all[i + 1] = arguments[i];
  if (surroundings.variable != NULL) setenv(surroundings.variable, surroundings.value, 1);
  execv(program, (char *const *)all);
  _exit(126);
}

static Outcome run_in(Surroundings surroundings, const char *program,
                      const char *const *arguments) {
  static Outcome outcome;
  FILE *const out = new_file(), *const err = new_file();
  const pid_t child = fork_into(out, err);
  if (child == 0) become(program, arguments, surroundings);
  finish(child, out, err, &outcome);
  return outcome;
}

#define ARGUMENTS(...) ((const char *const[MAX_ARGUMENTS]){__VA_ARGS__})
#define RUN(program, ...) run_in((Surroundings){0}, program, ARGUMENTS(__VA_ARGS__))

static inline void for_each_version(void (*check)(const char *program)) {
  for (size_t i = 0; i < versions.gl_pathc; i++) check(versions.gl_pathv[i]);
}

// ---- files --------------------------------------------------------------------------------------

static int files_here(void) {
  DIR *const here = opendir(".");
  assert_non_null(here);
  int count = 0;
  while (readdir(here) != NULL) count++;
  closedir(here);
  return count;
}

// Noise over a slope, without ties.
static Image draw(int width, int height, uint32_t seed) {
  Image image = {width, height, malloc((size_t)width * (size_t)height * 3)};
  assert_non_null(image.rgb);
  for (int i = 0; i < width * height * 3; i++) {
    seed = seed * 1664525u + 1013904223u;
    image.rgb[i] = (unsigned char)((seed >> 25) + (uint32_t)(i / 3 % width));
  }
  return image;
}

static inline Image load(const char *path) {
  Image image = {0};
  if (!image_load(path, &image, &message)) fail_msg("%s", message.text);
  return image;
}

static void save(const char *path, Image image) {
  if (!image_save(path, &image, &message)) fail_msg("%s", message.text);
  image_free(&image);
}

// ---- expectations -------------------------------------------------------------------------------

// The exit code, one line on stderr that holds `part`, and no file more or less than before.
static inline void expect_failure(const char *program, const Outcome *outcome, int code,
                                  const char *part) {
  const char *const end = strchr(outcome->err, '\n');
  if (outcome->code != code || strstr(outcome->err, part) == NULL || end == NULL || end[1] != '\0')
    fail_msg("%s: exit code %d (expected %d), stderr (expected '%s'): %s", program, outcome->code,
             code, part, outcome->err);
  assert_int_equal(files_here(), files_before);
}

// ---- before and after ---------------------------------------------------------------------------

// Finds the programs and enters a folder with small.ppm (32 x 24) and eye.ppm (7 x 6).
static int enter_folder(void **state) {
  (void)state;
  char *const absolute = realpath(build_folder(), NULL);
  const char *const tested = getenv("HW4_TESTED") != NULL ? getenv("HW4_TESTED") : "*";
  char pattern[4096];
  snprintf(pattern, sizeof pattern, "%s/%s/HW4", absolute != NULL ? absolute : "missing", tested);
  if (glob(pattern, 0, NULL, &versions) != 0) {
    print_error("no %s/VERSION/HW4: make build_tests builds them\n", build_folder());
    return -1;
  }
  snprintf(pattern, sizeof pattern, "%s/tests/sorts/crash_sort/HW4", absolute);
  crash_sort = strdup(pattern);
  samples = realpath("samples", NULL);
  free(absolute);
  if (crash_sort == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0) return -1;
  save("small.ppm", draw(32, 24, 1));
  save("eye.ppm", draw(7, 6, 2));
  files_before = files_here();
  return 0;
}

static int leave_folder(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  globfree(&versions);
  free(crash_sort);
  free(samples);
  return chdir("/") != 0 || system(command) != 0 ? -1 : 0;
}

#endif
