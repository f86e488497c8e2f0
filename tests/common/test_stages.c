// Stage timing: sums, single passes, and misuse.
#include "tests/unit.h"

#include <math.h>

#include "common/stages.h"

enum { BYTES = 1 << 20, MANY = 100 };

static const char *const names[] = {"hist", "scan", "scatter", NULL};
static const SortKnob no_knobs[] = {{0}};
static const SortVersion version = {.name = "three", .stages = names, .knobs = no_knobs};

// ---- misuse: before the first CUDA call --------------------------------------------------------

static void start_unknown(void) { stage_start("sort"); }

static void start_inside(void) {
  stage_start("hist");
  stage_start("scan");
}

static void stop_twice(void) {
  stage_start("hist");
  stage_stop();
  stage_stop();
}

static void never_stop(void) {
  double milliseconds[MAX_STAGES];
  stage_start("hist");
  stages_end(milliseconds);
}

TEST(test_misuse) {
  stage_start("anything");  // without a version: nothing is timed, nothing is wrong
  stage_stop();
  stages_begin(&version, false);
  expect_exit(EXIT_DEVICE, "not among the version's stages (stage 'sort' of three)", start_unknown);
  expect_exit(EXIT_DEVICE, "started inside another stage (stage 'scan' of three)", start_inside);
  expect_exit(EXIT_DEVICE, "stopped without a start", stop_twice);
  expect_exit(EXIT_DEVICE, "never stopped", never_stop);
}

// ---- times -------------------------------------------------------------------------------------

// Fills memory `times` times, inside a stage.
static void work(const char *stage, int times) {
  static void *d_memory;
  if (d_memory == NULL) CUDA_CHECK(cudaMalloc(&d_memory, BYTES));
  stage_start(stage);
  for (int i = 0; i < times; i++) CUDA_CHECK(cudaMemset(d_memory, i, BYTES));
  stage_stop();
}

TEST(test_times) {
  stages_begin(&version, true);
  work("scatter", 200);
  work("hist", 1);
  work("scatter", 300);
  double milliseconds[MAX_STAGES], passes[3] = {-1.0, -1.0, -1.0};
  assert_int_equal(stages_end(milliseconds), 3);
  assert_true(milliseconds[0] >= 0.0 && milliseconds[1] == 0.0);
  assert_true(milliseconds[2] > milliseconds[0]);
  assert_int_equal(stages_passes(2, passes, 3), 2);
  assert_true(passes[0] > 0.0 && passes[1] > 0.0 && passes[2] == -1.0);
  assert_true(fabs(passes[0] + passes[1] - milliseconds[2]) < 1e-9);
  assert_int_equal(stages_passes(1, passes, 3), 0);
}

// More brackets than events at first, and more than there is room for.
TEST(test_many_brackets) {
  stages_begin(&version, true);
  for (int i = 0; i < MANY; i++) work("scan", 1);
  double milliseconds[MAX_STAGES], passes[10] = {[9] = -1.0};
  stages_end(milliseconds);
  assert_int_equal(stages_passes(1, passes, 9), MANY);
  assert_true(passes[8] >= 0.0 && passes[9] == -1.0);
}

TEST(test_off) {
  stages_begin(&version, false);
  work("hist", 10);
  double milliseconds[MAX_STAGES] = {1.0, 1.0, 1.0}, passes[1];
  assert_int_equal(stages_end(milliseconds), 3);
  for (int i = 0; i < 3; i++) assert_true(milliseconds[i] == 0.0);
  assert_int_equal(stages_passes(0, passes, 1), 0);
}

RUN_TESTS("stages", NULL, NULL)
