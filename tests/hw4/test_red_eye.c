// Scoring and mending, bit by bit against tests/hw4/scalar_red_eye.h.
#include "harness/hw4/red_eye.h"

#include <omp.h>
#include <pty.h>
#include <signal.h>

#include "tests/hw4/scalar_red_eye.h"
#include "tests/unit.h"

static size_t pixels_of(const Image *image) { return (size_t)image->width * (size_t)image->height; }

static Image flat_image(int width, int height, unsigned char value) {
  Image image = {width, height, malloc((size_t)width * (size_t)height * 3)};
  assert_non_null(image.rgb);
  memset(image.rgb, value, pixels_of(&image) * 3);
  return image;
}

static Image noise(int width, int height) {
  Image image = flat_image(width, height, 0);
  for (size_t i = 0; i < pixels_of(&image) * 3; i++) image.rgb[i] = (unsigned char)next_random();
  return image;
}

static Image copy_of(const Image *image) {
  Image copy = flat_image(image->width, image->height, 0);
  memcpy(copy.rgb, image->rgb, pixels_of(image) * 3);
  return copy;
}

static uint32_t *scores_of(const Image *image, const Image *eye) {
  uint32_t *const keys = malloc(pixels_of(image) * sizeof *keys);
  assert_non_null(keys);
  red_eye_scores(image, eye, keys);
  return keys;
}

// Scores the image both ways; every key must be the bits of a finite float >= 0. Frees both.
static void check_scores(Image image, Image eye) {
  uint32_t *const keys = scores_of(&image, &eye);
  uint32_t *const expected = malloc(pixels_of(&image) * sizeof *expected);
  assert_non_null(expected);
  scalar_scores(&image, &eye, expected);
  for (size_t i = 0; i < pixels_of(&image); i++) {
    if (keys[i] != expected[i])
      print_error("%d x %d, template %d x %d, pixel %zu\n", image.width, image.height, eye.width,
                  eye.height, i);
    assert_int_equal(keys[i], expected[i]);
    assert_true(keys[i] < 0x7f800000u);
  }
  free(keys);
  free(expected);
  image_free(&image);
  image_free(&eye);
}

// ---- scores -------------------------------------------------------------------------------------

TEST(test_sizes) {
  static const int sizes[][4] = {{1, 1, 1, 1},   {7, 5, 1, 1},    {9, 7, 3, 3},    {9, 7, 2, 4},
                                 {12, 11, 4, 2}, {8, 8, 8, 8},    {5, 9, 5, 9},    {13, 6, 4, 1},
                                 {1, 9, 1, 3},   {9, 1, 6, 1},    {2, 2, 2, 2},    {63, 5, 3, 5},
                                 {64, 5, 2, 2},  {65, 5, 5, 3},   {130, 33, 7, 6}, {200, 3, 9, 2},
                                 {3, 200, 3, 9}, {70, 70, 33, 33}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    check_scores(noise(sizes[i][0], sizes[i][1]), noise(sizes[i][2], sizes[i][3]));
}

TEST(test_flat) {
  check_scores(flat_image(20, 10, 0), noise(3, 3));
  check_scores(flat_image(20, 10, 255), noise(4, 4));
  check_scores(flat_image(20, 10, 77), flat_image(3, 3, 77));
  check_scores(noise(20, 10), flat_image(3, 3, 200));
}

// A channel that is flat correlates to 0; times a negative number that is -0, whose bits would
// come last of all.
TEST(test_flat_channel) {
  Image image = noise(20, 10);
  for (size_t i = 0; i < pixels_of(&image); i++) image.rgb[i * 3 + 2] = 9;
  uint32_t *const keys = scores_of(&image, &image);
  for (size_t i = 0; i < pixels_of(&image); i++) assert_int_equal(keys[i], 0);
  free(keys);
  check_scores(image, noise(3, 3));
}

// Half of the image is flat, as the backgrounds of drawings are.
TEST(test_half_flat) {
  Image image = noise(40, 20);
  memset(image.rgb, 130, pixels_of(&image) / 2 * 3);
  check_scores(image, noise(5, 5));
}

TEST(test_finds_the_template) {
  Image image = noise(90, 60), eye = noise(11, 8);
  for (size_t y = 0; y < 8; y++) memcpy(image.rgb + ((20 + y) * 90 + 70) * 3, eye.rgb + y * 33, 33);
  uint32_t *const keys = scores_of(&image, &eye);
  size_t best = 0;
  for (size_t i = 0; i < pixels_of(&image); i++)
    if (keys[i] > keys[best]) best = i;
  assert_int_equal(best % 90, 70 + (11 - 1) / 2);
  assert_int_equal(best / 90, 20 + (8 - 1) / 2);
  free(keys);
  image_free(&image);
  image_free(&eye);
}

TEST(test_any_number_of_threads) {
  Image image = noise(150, 37), eye = noise(9, 9);
  const int threads = omp_get_max_threads();
  uint32_t *const one = scores_of(&image, &eye);
  for (int count = 1; count <= 5; count++) {
    omp_set_num_threads(count);
    uint32_t *const keys = scores_of(&image, &eye);
    assert_memory_equal(keys, one, pixels_of(&image) * sizeof *keys);
    free(keys);
  }
  omp_set_num_threads(threads);
  free(one);
  image_free(&image);
  image_free(&eye);
}

// ---- the best pixels ----------------------------------------------------------------------------

// Ties at the border between the best and the rest go to the highest positions.
TEST(test_settles_ties) {
  const uint32_t keys[] = {1, 5, 5, 5, 5, 9};
  uint32_t positions[] = {3, 4, 0, 5, 2, 1};
  red_eye_settle_ties(keys, positions, 6, 3);
  const uint32_t expected[] = {3, 0, 2, 4, 5, 1};
  assert_memory_equal(positions, expected, sizeof expected);

  const uint32_t equal[] = {7, 7, 7};
  uint32_t all[] = {2, 0, 1};
  red_eye_settle_ties(equal, all, 3, 3);
  const uint32_t sorted[] = {0, 1, 2};
  assert_memory_equal(all, sorted, sizeof sorted);
}

static void check_remove(int width, int height, const uint32_t *positions, size_t count) {
  Image image = noise(width, height);
  Image expected = copy_of(&image);
  red_eye_remove(&image, positions, count);
  for (size_t i = 0; i < count; i++) scalar_remove(&expected, positions[i]);
  assert_memory_equal(image.rgb, expected.rgb, pixels_of(&image) * 3);
  image_free(&image);
  image_free(&expected);
}

TEST(test_remove) {
  const uint32_t corners[] = {0, 49, 39 * 50, 40 * 50 - 1};
  for (size_t i = 0; i < 4; i++) check_remove(50, 40, &corners[i], 1);
  check_remove(50, 40, corners, 4);
  check_remove(50, 40, corners, 0);
  for (uint32_t position = 0; position < 30 * 25; position++) check_remove(30, 25, &position, 1);
  const uint32_t overlapping[] = {5 * 50 + 25, 6 * 50 + 25, 5 * 50 + 25};
  check_remove(50, 40, overlapping, 3);
  for (uint32_t position = 0; position < 12; position++) check_remove(4, 3, &position, 1);
  const uint32_t only = 0;
  check_remove(1, 1, &only, 1);
}

// Worked by hand: how many pixels a patch has, and what becomes of one.
TEST(test_remove_by_hand) {
  static const struct {
    uint32_t position;
    int pixels;
  } cases[] = {{0, 10 * 10}, {20 * 50 + 25, 19 * 19}, {39 * 50 + 49, 10 * 10}, {49, 10 * 10}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Image image = flat_image(50, 40, 255);
    for (size_t j = 0; j < pixels_of(&image); j++) image.rgb[j * 3 + 1] = 100;
    red_eye_remove(&image, &cases[i].position, 1);
    int mended = 0;
    for (size_t j = 0; j < pixels_of(&image); j++) {
      mended += image.rgb[j * 3] == (100 + 255) / 2;
      assert_int_equal(image.rgb[j * 3 + 1], 100);
      assert_int_equal(image.rgb[j * 3 + 2], 255);
    }
    assert_int_equal(mended, cases[i].pixels);
    image_free(&image);
  }
}

// A template that takes seconds: the line with the time left, on a terminal.
TEST(test_shows_the_time_left) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0) skip();
  if (child == 0) {
    omp_set_num_threads(1);
    const Image image = noise(800, 800), eye = noise(250, 250);
    free(scores_of(&image, &eye));
    _exit(0);
  }
  char text[200] = "";
  for (size_t used = 0; strstr(text, " left") == NULL;) {
    const ssize_t got = read(terminal, text + used, sizeof text - 1 - used);
    if (got <= 0) break;
    used += (size_t)got;
  }
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  close(terminal);
  int percent = 0, minutes = 0, seconds = 0;
  if (sscanf(text, "\r\033[Ktest_red_eye: scores, %d%%, %d:%d left", &percent, &minutes,
             &seconds) != 3)
    fail_msg("'%s'", text);
}

RUN_TESTS("red eyes", NULL, NULL)
