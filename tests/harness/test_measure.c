// Measuring: the noise of a median, how many runs there are, and that every run gets a fresh input.
#include "tests/unit.h"

#include <math.h>

#include "harness/input/input.h"
#include "harness/measure/measure.h"

enum { N = 1000 };

// ---- noise -------------------------------------------------------------------------------------

static void expect_noise(const double *times, int count, double expected) {
  const double noise = noise_of_median(times, count);
  if (fabs(noise - expected) > 1e-12)
    fail_msg("the noise of %d times is %f, expected %f", count, noise, expected);
}

// Worked by hand: ranks count / 2 -+ 0.98 sqrt(count), rounded outwards, counted from 1.
TEST(test_noise) {
  const double one[] = {7.0}, zeros[] = {0.0, 0.0, 0.0}, five[] = {1.0, 2.0, 4.0, 5.0, 9.0};
  expect_noise(one, 1, 0.0);
  expect_noise(zeros, 3, 0.0);
  expect_noise(five, 5, (9.0 - 1.0) / 2 / 4.0);  // 0.3 to 4.7: all of them
  // 11: ranks 2.25 to 8.75, so 2 to 10 (the upper one counts from 0): outliers at the ends are left
  // out
  const double eleven[] = {0.0, 18.0, 19.0, 20.0, 20.0, 20.0, 20.0, 21.0, 21.0, 23.0, 99.0};
  expect_noise(eleven, 11, (23.0 - 18.0) / 2 / 20.0);
  double hundred[100];  // 40.2 to 59.8, so ranks 40 and 61; the median is that of rank 51
  for (int i = 0; i < 100; i++) hundred[i] = i + 1;
  expect_noise(hundred, 100, (61.0 - 40.0) / 2 / 51.0);
}

// ---- a sort that watches its caller ------------------------------------------------------------

static const char *const names[] = {"copy", "sort", NULL};
static const SortKnob no_knobs[] = {{0}};
static const SortVersion version = {
    .name = "fake", .stable = true, .max_n = UINT32_MAX, .stages = names, .knobs = no_knobs};

static Workload workload;
static uint32_t input[N], inputs_seen[3][N];  // of the workload; of the first runs
static int runs, stale, wrong_from, wrong_every, brackets;

// Sorts on the host, and leaves nothing in its inputs. From run number wrong_from on it is wrong.
static void sort(unsigned int *const d_in, unsigned int *const d_in_positions,
                 unsigned int *const d_out, unsigned int *const d_out_positions, const size_t n) {
  static uint32_t keys[N], positions[N], fresh[N];
  runs++;
  for (int i = 0; i < brackets; i++) {
    stage_start("copy");
    to_host(keys, d_in, n);
    stage_stop();
  }
  to_host(positions, d_in_positions, n);
  to_host(fresh, workload.snapshot, n);
  if (runs <= 3) memcpy(inputs_seen[runs - 1], keys, sizeof keys);
  for (uint32_t i = 0; i < n; i++) stale += keys[i] != fresh[i] || positions[i] != i;
  stage_start("sort");
  reference_sort(keys, positions, n);
  stage_stop();
  const bool wrong =
      (wrong_from != 0 && runs >= wrong_from) || (wrong_every != 0 && runs % wrong_every == 0);
  if (wrong) keys[0] = keys[n - 1];
  CUDA_CHECK(cudaMemcpy(d_out, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_out_positions, positions, n * sizeof *keys, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(d_in, 0xff, n * sizeof *keys));
  CUDA_CHECK(cudaMemset(d_in_positions, 0xff, n * sizeof *keys));
}

static const LoadedVersion fake = {.version = &version, .sort = sort};

// Writes nothing: the outputs keep what the run before left in them.
static void do_nothing(unsigned int *const d_in, unsigned int *const d_in_positions,
                       unsigned int *const d_out, unsigned int *const d_out_positions,
                       const size_t n) {
  (void)d_in, (void)d_in_positions, (void)d_out, (void)d_out_positions, (void)n;
  runs++;
}

static int set_up(void **state) {
  (void)state;
  workload = workload_create(&version, N, true, NULL);
  workload_draw(&workload, input_find("few-distinct"), 3);
  to_host(input, workload.snapshot, N);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  workload_destroy(&workload);
  return 0;
}

static int reset(void **state) {
  (void)state;
  runs = stale = wrong_from = wrong_every = 0;
  brackets = 1;
  return 0;
}

// ---- runs --------------------------------------------------------------------------------------

// Of at most this number of runs, without a limit of time.
static Measurement measured(const LoadedVersion *of, int repetitions, bool stages) {
  const MeasurePlan plan = {
      .max_repetitions = repetitions, .max_seconds = 1000.0, .stages = stages};
  return measure(of, &workload, plan);
}

static void expect_right(const Measurement *m) {
  assert_true(verdict_passes(&m->verdict));
  assert_true(0.0 < m->min_ms && m->min_ms <= m->median_ms && m->min_ms <= m->mean_ms);
  assert_int_equal(stale, 0);
}

TEST_WITH(test_repetitions, reset, NULL) {
  const Measurement m = measured(&fake, 7, false);
  expect_right(&m);
  assert_int_equal(m.repetitions, 7);
  assert_int_equal(m.limit, LIMIT_REPETITIONS);
  assert_int_equal(m.stages, 0);
  assert_int_equal(runs, 1 + 7 + 1);  // a warm-up, and one on the workload's own input
}

TEST_WITH(test_stages, reset, NULL) {
  brackets = 2;
  Measurement m = measured(&fake, 8, true);
  expect_right(&m);
  assert_int_equal(m.stages, 2);
  assert_int_equal(runs, 1 + 8 + 3 + 1);  // a third as many, rounded up
  assert_int_equal(m.passes[0].count, 2);
  assert_int_equal(m.passes[1].count, 1);
  assert_true(m.stage_ms[1] > 0.0 && m.passes[1].ms[0] > 0.0);
  brackets = MAX_PASSES + 1;
  m = measured(&fake, 8, true);
  assert_int_equal(m.passes[0].count, MAX_PASSES + 1);
}

TEST_WITH(test_time_limit, reset, NULL) {
  const MeasurePlan plan = {.max_repetitions = 100, .max_seconds = 0.0};
  const Measurement m = measure(&fake, &workload, plan);
  expect_right(&m);
  assert_int_equal(m.limit, LIMIT_TIME);
  assert_int_equal(m.repetitions, 1);
}

TEST_WITH(test_settled, reset, NULL) {
  const MeasurePlan plan = {.max_repetitions = 100, .settled_noise = 1e9, .max_seconds = 1000.0};
  const Measurement m = measure(&fake, &workload, plan);
  expect_right(&m);
  assert_int_equal(m.limit, LIMIT_NOISE);
  assert_int_equal(m.repetitions, MIN_REPETITIONS);
}

// Every run sorts another input of the kind; afterwards the workload holds the first one again.
TEST_WITH(test_inputs_vary, reset, NULL) {
  const Measurement m = measured(&fake, 2, false);
  expect_right(&m);
  for (int i = 0; i < 3; i++) {
    assert_memory_not_equal(inputs_seen[i], input, sizeof input);
    assert_memory_not_equal(inputs_seen[i], inputs_seen[(i + 1) % 3], sizeof input);
  }
  static uint32_t now[N];
  to_host(now, workload.snapshot, N);
  assert_memory_equal(now, input, sizeof input);
}

// ---- wrong results -----------------------------------------------------------------------------

// Wrong from the first run on: nothing is timed.
TEST_WITH(test_wrong, reset, NULL) {
  wrong_from = 1;
  const Measurement m = measured(&fake, 7, true);
  assert_false(verdict_passes(&m.verdict));
  assert_int_equal(runs, 1);
  assert_int_equal(m.repetitions, 0);
  assert_true(m.median_ms == 0.0 && m.stages == 0);
}

// Wrong only in the last run.
TEST_WITH(test_wrong_later, reset, NULL) {
  wrong_from = 1 + 7;
  Measurement m = measured(&fake, 7, false);
  assert_false(verdict_passes(&m.verdict));
}

// Wrong now and then, with any number of repetitions.
TEST_WITH(test_wrong_at_times, reset, NULL) {
  for (int every = 2; every <= 3; every++)
    for (int repetitions = 1; repetitions <= 20; repetitions++) {
      reset(NULL);
      wrong_every = every;
      const Measurement m = measured(&fake, repetitions, repetitions % 2 == 0);
      if (verdict_passes(&m.verdict))
        fail_msg("wrong at every %d. call, passed with %d repetitions", every, repetitions);
      assert_int_equal(runs, every);
    }
}

// Sorts once, and then gives the same answer again.
static void remember(unsigned int *const d_in, unsigned int *const d_in_positions,
                     unsigned int *const d_out, unsigned int *const d_out_positions,
                     const size_t n) {
  static uint32_t keys[N], positions[N];
  if (runs == 0) {
    sort(d_in, d_in_positions, d_out, d_out_positions, n);
    to_host(keys, d_out, n);
    to_host(positions, d_out_positions, n);
  }
  CUDA_CHECK(cudaMemcpy(d_out, keys, n * sizeof *keys, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_out_positions, positions, n * sizeof *keys, cudaMemcpyHostToDevice));
}

static const LoadedVersion parrot = {.version = &version, .sort = remember};

TEST_WITH(test_memory, reset, NULL) {
  const Measurement m = measured(&parrot, 5, false);
  assert_false(verdict_passes(&m.verdict));
}

// A file's keys differ from run to run, too, and a file of equal keys is preceded by other keys.
TEST_WITH(test_memory_of_loaded, reset, NULL) {
  static uint32_t keys[N], now[N];
  for (uint32_t step = 0; step <= 3; step++) {
    reset(state);
    for (uint32_t i = 0; i < N; i++) keys[i] = i * step;
    workload_load(&workload, keys, N);
    Measurement m = measured(&parrot, 5, false);
    assert_false(verdict_passes(&m.verdict));
    reset(state);
    m = measured(&fake, 5, false);
    expect_right(&m);
    to_host(now, workload.snapshot, N);
    assert_memory_equal(now, keys, sizeof keys);
  }
}

// A right result of an earlier sort is in the outputs, but it is no result of this one.
TEST_WITH(test_nothing_written, reset, NULL) {
  const LoadedVersion lazy = {.version = &version, .sort = do_nothing};
  Measurement m = measured(&fake, 1, false);
  assert_true(verdict_passes(&m.verdict));
  m = measured(&lazy, 1, false);
  assert_false(verdict_passes(&m.verdict));
}

// Sorts, and writes behind the keys and before the positions.
static void stray(unsigned int *const d_in, unsigned int *const d_in_positions,
                  unsigned int *const d_out, unsigned int *const d_out_positions, const size_t n) {
  sort(d_in, d_in_positions, d_out, d_out_positions, n);
  CUDA_CHECK(cudaMemset(d_out + n + 7, 0, sizeof *d_out));
  CUDA_CHECK(cudaMemset(d_out_positions - 3000, 0, sizeof *d_out));
}

TEST_WITH(test_outside, reset, NULL) {
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  (void)stray;
  skip();
#else
  const LoadedVersion far = {.version = &version, .sort = stray};
  Measurement m = measured(&far, 2, false);
  assert_string_equal(m.outside.text,
                      text_of("wrote outside its arrays: d_outputVals[%d] of %d", N + 7, N));
  // The next version must not be reported for it.
  m = measured(&fake, 2, false);
  expect_right(&m);
  assert_string_equal(m.outside.text, "");
#endif
}

RUN_TESTS("measure", set_up, tear_down)
