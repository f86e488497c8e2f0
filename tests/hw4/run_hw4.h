// Runs the programs HW4 of a build folder, for the tests of HW4. HW4_DIR names the folder (default:
// build/cpu), HW4_TESTED one version (default: all). A test works in a new folder under /tmp.
#ifndef TESTS_RUN_HW4_H
#define TESTS_RUN_HW4_H

#include "tests/folder.h"

#include <glob.h>
#include <limits.h>
#include <sys/stat.h>

#include "harness/hw4/image.h"

#define DEFAULT_OUTPUT (HAVE_OPENCV ? "HW4_output.png" : "HW4_output.ppm")

enum { MAX_ARGUMENTS = 8 };

static Message message;
static glob_t versions;  // the paths BUILD/VERSION/HW4 of the tested versions
static char crash_sort[PATH_MAX], cheat[PATH_MAX];  // the HW4 of these folders of tests/sorts
static int files_before;  // how many files were in the folder when the tests began

// ---- running a program --------------------------------------------------------------------------

static Outcome run(const char *program, const char *const *arguments) {
  static Outcome outcome;
  FILE *const out = new_file(), *const err = new_file();
  const char *all[MAX_ARGUMENTS + 2] = {program};
  memcpy(all + 1, arguments, MAX_ARGUMENTS * sizeof *arguments);
  const pid_t child = start_program(all, out, err);
  finish(child, out, err, &outcome);
  return outcome;
}

#define RUN(program, ...) run(program, (const char *const[MAX_ARGUMENTS]){__VA_ARGS__})

// The same with a variable in the environment.
static inline Outcome run_with(const char *variable, const char *value, const char *program,
                               const char *const *arguments) {
  setenv(variable, value, 1);
  const Outcome outcome = run(program, arguments);
  unsetenv(variable);
  return outcome;
}

#define RUN_WITH(variable, value, program, ...) \
  run_with(variable, value, program, (const char *const[MAX_ARGUMENTS]){__VA_ARGS__})

static inline void for_each_version(void (*check)(const char *program)) {
  for (size_t i = 0; i < versions.gl_pathc; i++) check(versions.gl_pathv[i]);
}

// ---- files --------------------------------------------------------------------------------------

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

// It fails as expected, with no file more or less than before.
static inline void expect_refusal(const char *program, const Outcome *outcome, int code,
                                  const char *part) {
  expect_failure(program, outcome, code, part);
  assert_int_equal(files_here(), files_before);
}

// ---- before and after ---------------------------------------------------------------------------

// Finds the programs and enters a folder with small.ppm (32 x 24), eye.ppm (7 x 6) and the
// repository's samples.
static int find_programs(void **state) {
  char *const absolute = realpath(build_folder(), NULL);
  const char *const build = absolute != NULL ? absolute : "missing";
  const char *const tested = getenv("HW4_TESTED") != NULL ? getenv("HW4_TESTED") : "*";
  if (glob(text_of("%s/%s/HW4", build, tested), 0, NULL, &versions) != 0) {
    print_error("no %s/VERSION/HW4: make build_tests builds them\n", build_folder());
    return -1;
  }
  snprintf(crash_sort, sizeof crash_sort, "%s/tests/sorts/crash_sort/HW4", build);
  snprintf(cheat, sizeof cheat, "%s/tests/sorts/cheat/HW4", build);
  free(absolute);
  char *const samples = realpath("samples", NULL);
  if (enter_folder(state) != 0) return -1;
  if (samples != NULL && symlink(samples, "samples") != 0) return -1;
  free(samples);
  save("small.ppm", draw(32, 24, 1));
  save("eye.ppm", draw(7, 6, 2));
  files_before = files_here();
  return 0;
}

static int forget_programs(void **state) {
  globfree(&versions);
  return leave_folder(state);
}

#endif
