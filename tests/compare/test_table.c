// The table and the sentences about it, on made-up rows.
#include "tests/unit.h"

#include "harness/compare/output.h"

static const char *const stages[] = {"hist", NULL};
static const SortKnob knobs[] = {{.name = NULL}};
static const SortVersion library = {.name = "library", .stages = stages, .knobs = knobs};
static const SortVersion quick = {.name = "quick", .stages = stages, .knobs = knobs};
static const SortVersion host = {.name = "host", .stages = stages, .knobs = knobs, .on_host = true};
static const LoadedVersion versions[] = {
    {.version = &library}, {.version = &quick}, {.version = &host}};

static const Source uniform = {.name = "uniform"};
static Row rows[3];
static Plan plan = {.rows = rows, .count = 3};
static Request request;
static Comparison comparison;

// Three rows of 10^8 keys on a device that copies 1000 GB/s: medians and noises as given.
static void make_rows(const double medians[3], const double noises[3]) {
  request = (Request){.plan = {.max_repetitions = 50, .settled_noise = 0.01, .max_seconds = 3.0}};
  comparison = (Comparison){.request = &request,
                            .plan = &plan,
                            .conditions = {.device = {.name = "GPU", .backend = "cuda"},
                                           .copy_bytes_per_second = 1e12,
                                           .cache_bytes = 50000000,
                                           .load_average = 1.5,
                                           .host_threads = 4}};
  for (int i = 0; i < 3; i++) {
    rows[i] = (Row){.loaded = &versions[i],
                    .n = 100000000,
                    .source = &uniform,
                    .is_baseline = i == 0,
                    .starts_workload = i == 0,
                    .status = ROW_RIGHT,
                    .measured = {.repetitions = 20,
                                 .limit = LIMIT_TIME,
                                 .median_ms = medians[i],
                                 .mean_ms = medians[i],
                                 .min_ms = medians[i],
                                 .noise = noises[i]},
                    .ratio = medians[0] / medians[i]};
  }
}

static void make_usual_rows(void) {
  make_rows((double[]){12.0, 3.0, 40.0}, (double[]){0.02, 0.015, 0.005});
}

static char printed[16384];

static void print_as(const OutputFormat *format, FILE *stream, const int order[3]) {
  Output output = {.to = stream, .comparison = &comparison};
  format->begin(&output);
  for (int i = 0; i < 3; i++) format->row(&output, &rows[order[i]]);
  format->end(&output);
}

static void print_rows(const OutputFormat *format) {
  char *text = NULL;
  size_t size = 0;
  FILE *const stream = open_memstream(&text, &size);
  assert_non_null(stream);
  print_as(format, stream, (const int[]){0, 1, 2});
  fclose(stream);
  assert_true(size < sizeof printed);
  memcpy(printed, text, size + 1);
  free(text);
}

static void expect_no_part(const char *part) {
  if (strstr(printed, part) != NULL) fail_msg("'%s' is in: %s", part, printed);
}

// ---- the fastest -------------------------------------------------------------------------------

static void expect_summary(const char *expected) {
  char text[400] = "left from before";
  assert_int_equal(summary_of_group(&plan, 0, text, sizeof text), expected[0] != '\0');
  assert_string_equal(text, expected);
}

TEST(test_fastest) {
  make_usual_rows();  // 12 / 3 times, with a noise of hypot(2%, 1.5%) = 2.5%
  expect_summary("quick is fastest, 4.00 (+- 0.10) times library");
  rows[2].is_baseline = true;
  rows[0].is_baseline = false;
  expect_summary("quick is fastest, 13.33 (+- 0.21) times host (CPU)");
  rows[2].is_baseline = false;  // no baseline: the next one
  expect_summary("quick is fastest, 4.00 (+- 0.10) times library");
  rows[1].measured.median_ms = 13.0;  // the baseline itself is fastest, but by less than the noise
  rows[0].is_baseline = true;
  rows[1].measured.noise = 0.1;
  expect_summary(
      "library is fastest, 1.08 (+- 0.11) times quick; within the noise quick is as fast");
  rows[0].status = ROW_WRONG;  // the time of a wrong result counts for nothing
  expect_summary("quick is fastest, 3.08 (+- 0.31) times host (CPU)");
  rows[1].measured.repetitions = 1;  // whose noise is unknown
  expect_summary("quick is fastest, 3.08 times host (CPU)");
  rows[2].status = ROW_CRASHED;
  expect_summary("");
}

// The baseline is far behind, the runner-up is not.
TEST(test_within_the_noise) {
  make_rows((double[]){120.0, 1.0, 1.01}, (double[]){0.001, 0.02, 0.02});
  expect_summary(
      "quick is fastest, 120.0 (+- 2.4) times library; within the noise host (CPU) is as fast");
  rows[1].measured.noise = rows[2].measured.noise = 0.002;
  expect_summary("quick is fastest, 120.00 (+- 0.27) times library");
}

// ---- marks -------------------------------------------------------------------------------------

TEST(test_table) {
  make_usual_rows();
  print_rows(&table_format);
  expect_part(printed,
              "times: median of up to 50 runs; fewer once its noise is under 1%, or after 3 s\n");
  expect_part(printed, "load average 1.50\n");
  expect_part(printed, "\n100,000,000 keys, uniform\n");
  expect_part(printed,
              "version    median ms min ms noise runs Gkeys/s  GB/s  copy    ratio\n"
              "library       12.000 12.000 2.00%   20    8.33 66.67 6.67%    1.00x PASS\n"
              "quick         3.0000 3.0000 1.50%   20    33.3 266.7 26.7%    4.00x PASS\n"
              "host (CPU)    40.000 40.000 0.50%   20    2.50 20.00 2.00%   0.300x PASS\n"
              "quick is fastest, 4.00 (+- 0.10) times library\n");
  expect_no_part("noisy");
  expect_no_part("suspicious");
  expect_no_part("\033");
}

// A long sentence goes on below where lines are short; in a pipe it stays a line.
TEST(test_long_sentence) {
  make_usual_rows();
  rows[1].status = ROW_WRONG;
  strcpy(rows[1].message, "FAIL: keys lost: 3 of 100000000, and as many doubled; first at 17");
  print_rows(&table_format);
  expect_part(printed,
              "quick      FAIL: keys lost: 3 of 100000000, and as many doubled; first at 17\n");
  setenv("COLUMNS", "40", 1);
  print_rows(&table_format);
  expect_part(printed,
              "quick      FAIL: keys lost: 3 of\n"
              "           100000000, and as many\n"
              "           doubled; first at 17\n");
  setenv("COLUMNS", "43", 1);  // just long enough for a word more
  print_rows(&table_format);
  expect_part(printed, "quick      FAIL: keys lost: 3 of 100000000,\n");
  setenv("COLUMNS", "42", 1);
  print_rows(&table_format);
  expect_part(printed, "quick      FAIL: keys lost: 3 of\n");
  setenv("COLUMNS", "32", 1);  // too narrow for sentences
  print_rows(&table_format);
  expect_part(printed,
              "quick      FAIL: keys lost: 3 of 100000000, and as many doubled; first at 17\n");
  unsetenv("COLUMNS");
}

TEST(test_noisy) {
  make_usual_rows();
  rows[1].measured.noise = 0.1;
  print_rows(&table_format);
  expect_no_part("noisy");  // above 10%, not at it
  rows[1].measured.noise = 0.123;
  print_rows(&table_format);
  expect_part(printed, "12.3%   20    33.3 266.7 26.7%    4.00x PASS  noisy\n");
  print_rows(&md_format);
  expect_part(printed, "| PASS, noisy |");
  expect_part(printed,
              "\n100000000 keys, uniform: quick is fastest, 4.00 (+- 0.50) times library.\n");
  print_rows(&json_format);
  expect_part(printed, "\"noisy\": true");
  expect_part(printed, "\"load_average\": 1.5");
  rows[1].measured.repetitions = 1;  // no noise is known
  assert_false(row_is_noisy(&rows[1]));
}

// 800 MB are read and written in 0.7 ms: 1143 GB/s, on a device that copies 1000.
TEST(test_suspicious) {
  make_usual_rows();
  rows[1].measured.median_ms = 0.7;
  print_rows(&table_format);
  expect_part(printed, "114%    4.00x PASS  suspicious\n");
  rows[1].measured.noise = 0.2;
  print_rows(&md_format);
  expect_part(printed, "| PASS, noisy, suspicious |");
  print_rows(&json_format);
  expect_part(printed, "\"suspicious\": true");
  comparison.conditions.cache_bytes = 400000000;  // all keys: now a cache may be what is fast
  print_rows(&table_format);
  expect_no_part("suspicious");
  comparison.conditions.cache_bytes = 0;  // unknown: larger than any
  assert_true(row_is_suspicious(&rows[1], &comparison.conditions));
  rows[1].n = 1000000;
  rows[1].measured.median_ms = 0.001;
  assert_false(row_is_suspicious(&rows[1], &comparison.conditions));
}

// What summary_warn() writes to stderr.
static void warn(void) { summary_warn(&comparison); }
static const char *warnings(void) {
  static Outcome outcome;
  call_in_child(warn, &outcome);
  return outcome.err;
}

TEST(test_warnings) {
  make_usual_rows();
  assert_string_equal(warnings(), "");
  rows[1].measured.noise = 0.2;
  rows[2].measured.noise = 0.3;
  rows[0].measured.median_ms = 0.1;
  expect_part(warnings(), "the noise of 2 rows is above 10% (\"noisy\")");
  expect_part(warnings(), "load average at the start: 1.50, CPUs: 4");
  expect_part(warnings(), "1 row is above 100% of the copy rate (\"suspicious\")");
  comparison.conditions.load_average = -1.0;
  expect_part(warnings(), "load average at the start: unknown");
}

// ---- numbers ------------------------------------------------------------------------------------

static void expect_short(double value, int digits, int decimals, const char *expected) {
  char text[32];
  assert_string_equal(number_short(value, digits, decimals, text), expected);
}

TEST(test_grouped) {
  char text[32];
  assert_string_equal(number_grouped(0, text), "0");
  assert_string_equal(number_grouped(999, text), "999");
  assert_string_equal(number_grouped(1000, text), "1,000");
  assert_string_equal(number_grouped(220480, text), "220,480");
  assert_string_equal(number_grouped(SIZE_MAX, text), "18,446,744,073,709,551,615");
}

TEST(test_short) {
  expect_short(0.0, 3, 5, "0.00");
  expect_short(0.012345, 3, 5, "0.0123");
  expect_short(0.000012345, 3, 5, "0.00001");  // the decimals end the digits
  expect_short(1.2345, 3, 5, "1.23");
  expect_short(99.96, 3, 5, "100");  // rounded up, it has a digit more before its point
  expect_short(9.996, 3, 5, "10.0");
  expect_short(0.9999, 3, 5, "1.00");
  expect_short(1e300 * 1e300, 3, 5, "inf");
  expect_short(123456.0, 3, 5, "123456");
}

TEST(test_percent) {
  char text[32];
  assert_string_equal(number_percent(0.432, text), "0.43%");
  assert_string_equal(number_percent(12.34, text), "12.3%");
  assert_string_equal(number_percent(9.996, text), "10.0%");
  assert_string_equal(number_percent(104.2, text), "104%");
}

int main(void) {
  unsetenv("COLUMNS");
  return run_all_tests("compare_table", NULL, NULL);
}
