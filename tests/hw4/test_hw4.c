// The program HW4 with every version that was built: its picture pixel by pixel, its report, and
// its behaviour when the result is wrong or the device fails.
#include <regex.h>

#include "tests/hw4/run_hw4.h"
#include "tests/hw4/scalar_red_eye.h"

enum { SMALL_PIXELS = 32 * 24, PORTRAIT_PIXELS = 424 * 520 };

static Image picture;  // as HW4 must write it
static const char portrait[] = "samples/portrait.ppm", eye[] = "samples/template.ppm";

// ---- what is expected ---------------------------------------------------------------------------

static Image expected_picture(const char *image_path, const char *eye_path) {
  Image image = load(image_path), eye_template = load(eye_path);
  scalar_mend(&image, &eye_template);
  image_free(&eye_template);
  return image;
}

// Compares the picture with the expected one, and removes it.
static void expect_picture(const char *program, const char *path, const Image *expected) {
  Image image = load(path);
  assert_int_equal(image.width, expected->width);
  assert_int_equal(image.height, expected->height);
  const size_t bytes = (size_t)image.width * (size_t)image.height * 3;
  for (size_t i = 0; i < bytes; i++)
    if (image.rgb[i] != expected->rgb[i])
      fail_msg("%s: channel %zu of pixel %zu is %d, not %d", program, i % 3, i / 3, image.rgb[i],
               expected->rgb[i]);
  image_free(&image);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(files_here(), files_before);
}

// A first line with version, backend, device and n; a line per stage; an empty one; the total; on a
// GPU that other programs use, which clock that is of; what the battery did, if there was one;
// PASS, and how far if the version is slow above that.
static void expect_report(const char *program, const Outcome *outcome, int n) {
  const bool cuda = strstr(outcome->out, " cuda backend, ") != NULL;
  const bool slow = strstr(program, "/odd_even") != NULL;
  const char *const pattern = text_of(
      "^[^\n]* backend, [^\n]*, n = %d pairs\n"
      "([a-z_A-Z0-9]{1,31}: [0-9.]+ msecs\n)*"
      "\nYour code ran in: [0-9.]+ msecs\\.\n"
      "%s(Battery: [^\n]*\nPASS%s|PASS)\n$",
      n, cuda ? "(This is the time by HW4's clock[^\n]*\n)?" : "", slow ? ", up to n = 30000" : "");
  regex_t report;
  assert_int_equal(regcomp(&report, pattern, REG_EXTENDED | REG_NOSUB), 0);
  const bool matches = regexec(&report, outcome->out, 0, NULL, 0) == 0;
  regfree(&report);
  if (outcome->code != 0 || outcome->err[0] != '\0' || !matches)
    fail_msg("%s: exit code %d, %s%s", program, outcome->code, outcome->out, outcome->err);
}

// ---- right results ------------------------------------------------------------------------------

// The battery with every version: tests/judge/test_battery.c. Here with one, and one that is slow.
static void check_small(const char *program) {
  const bool slow = strstr(program, "/odd_even/") != NULL;
  if (strstr(program, "/radix_v2/") == NULL && !slow) return;
  Outcome outcome = RUN(program, "small.ppm", "eye.ppm");
  expect_report(program, &outcome, SMALL_PIXELS);
  expect_picture(program, DEFAULT_OUTPUT, &picture);
  if (slow) return;
  outcome = RUN(program, "--image-only", "--seed", "7", "small.ppm", "eye.ppm", "./seeded.ppm");
  expect_report(program, &outcome, SMALL_PIXELS);
  expect_picture(program, "seeded.ppm", &picture);
}

TEST(test_small_image) {
  picture = expected_picture("small.ppm", "eye.ppm");
  for_each_version(check_small);
  image_free(&picture);
}

// All scores are equal, and still every version makes the same picture.
static void check_ties(const char *program) {
  const Outcome outcome = RUN(program, "--image-only", "flat.ppm", "eye.ppm", "mended.ppm");
  expect_report(program, &outcome, SMALL_PIXELS);
  expect_picture(program, "mended.ppm", &picture);
}

TEST(test_ties) {
  Image flat = draw(32, 24, 3);
  memset(flat.rgb, 77, (size_t)SMALL_PIXELS * 3);
  for (size_t i = 0; i < SMALL_PIXELS; i++) flat.rgb[i * 3] = 200;
  save("flat.ppm", flat);
  files_before++;
  picture = expected_picture("flat.ppm", "eye.ppm");
  for_each_version(check_ties);
  image_free(&picture);
  unlink("flat.ppm");
  files_before--;
}

// As few pixels as there can be, and an image written over itself.
TEST(test_one_pixel) {
  save("tiny.ppm", draw(1, 1, 4));
  Image expected = expected_picture("tiny.ppm", "tiny.ppm");
  const Outcome outcome =
      RUN(versions.gl_pathv[0], "--image-only", "tiny.ppm", "tiny.ppm", "tiny.ppm");
  expect_report("HW4", &outcome, 1);
  expect_picture("HW4", "tiny.ppm", &expected);
  image_free(&expected);
}

#if !defined(__SANITIZE_ADDRESS__)  // which makes some versions take minutes
static void check_portrait(const char *program) {
  const Outcome version = RUN(program, "--version");
  const char *const slow = strstr(version.out, "Slow above n: ");
  if (slow != NULL && strtoull(slow + strlen("Slow above n: "), NULL, 10) < PORTRAIT_PIXELS) return;
  const Outcome outcome = RUN(program, "--image-only", portrait, eye);
  expect_report(program, &outcome, PORTRAIT_PIXELS);
  expect_picture(program, DEFAULT_OUTPUT, &picture);
}

TEST(test_portrait) {
  picture = expected_picture(portrait, eye);
  for_each_version(check_portrait);
  image_free(&picture);
}
#endif

// ---- help ---------------------------------------------------------------------------------------

TEST(test_help) {
  static const struct {
    const char *option, *part;
  } cases[] = {{"--help", "IMAGE TEMPLATE [OUTPUT]"},
               {"--help", "Exit status: 0"},
               {"--version", "Backend: "},
               {"--knobs", "way = 1 (0 to 18): "}};
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    const Outcome outcome = RUN(crash_sort, cases[i].option);
    assert_int_equal(outcome.code, 0);
    assert_string_equal(outcome.err, "");
    assert_non_null(strstr(outcome.out, cases[i].part));
  }
}

// ---- failures -----------------------------------------------------------------------------------

TEST(test_wrong_result) {
  static const char *const ways[] = {"way=0", "way=9"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const Outcome outcome = RUN(crash_sort, "--set", ways[i], "small.ppm", "eye.ppm");
    assert_int_equal(outcome.code, 1);
    assert_string_equal(outcome.err, "");
    const char *const verdict = strstr(outcome.out, " msecs.\nFAIL: ");
    assert_non_null(verdict);
    assert_null(strstr(outcome.out, "PASS"));
    assert_int_equal(files_here(), files_before);
  }
}

TEST(test_scratch_kept) {
  const Outcome outcome = RUN(crash_sort, "--set=way=5", "small.ppm", "eye.ppm");
  expect_refusal(crash_sort, &outcome, 3, "scratch");
}

TEST(test_image_too_large_for_the_version) {
  const Outcome outcome = RUN(crash_sort, portrait, eye);
  expect_refusal(crash_sort, &outcome, 2, "sorts at most 10000");
}

// The cpu backend's settings are checked like options.
TEST(test_wrong_setting) {
#ifdef CUDA_CPU
  const Outcome outcome =
      RUN_WITH("CUDA_CPU_RACECHECK", "many", crash_sort, "small.ppm", "eye.ppm", "o.ppm");
  expect_refusal(crash_sort, &outcome, 2, "CUDA_CPU_RACECHECK takes a whole number");
#else
  skip();
#endif
}

// Only the cpu backend's memory can be limited.
TEST(test_device_failure) {
  const char *const program = versions.gl_pathv[0];
  const Outcome version = RUN(program, "--version");
  if (strstr(version.out, "Backend: cpu") == NULL) return;
  const Outcome outcome = RUN_WITH("CUDA_CPU_MEMORY", "1000000", program, portrait, eye);
  expect_refusal(program, &outcome, 3, "out of memory");
}

RUN_TESTS("HW4", find_programs, forget_programs)
