// Each format parsed back: csv by a reader of RFC 4180 written here, json by jq, md and table by
// their columns. All must agree on what was measured.
#include "tests/compare/run_compare.h"

#include <sched.h>

static const char *const RUN =
    "seq %s --n 50,100 --dist sorted --seed 1 --reps 3 --sweep seq.kBits=4,8 "
    "--set crash_sort.way=6 --keys --pairs --format ";

enum { ROWS = 2 * 2 * (1 + 2 + 1) };  // sizes x kinds x (thrust_ref, seq twice, crash_sort)

static void run_as(const char *format) {
  char arguments[512];
  snprintf(arguments, sizeof arguments, "%s%s", RUN, format);
  compare(arguments);
  assert_int_equal(outcome.code, EXIT_WRONG_RESULT);  // crash_sort's row
}

// ---- csv ---------------------------------------------------------------------------------------

enum { MAX_FIELDS = 32 };

typedef struct Record {
  char fields[MAX_FIELDS][512];
  int count;
} Record;

// Reads one record; returns what follows it.
static const char *read_record(const char *text, Record *record) {
  *record = (Record){0};
  while (true) {
    assert_true(record->count < MAX_FIELDS);
    char *out = record->fields[record->count++];
    if (*text == '"') {
      for (text++; *text != '"' || text[1] == '"'; text++) {
        assert_true(*text != '\0');
        if (*text == '"') text++;
        *out++ = *text;
      }
      text++;
    } else {
      while (*text != ',' && *text != '\n') {
        assert_true(*text != '\0' && *text != '"');
        *out++ = *text++;
      }
    }
    assert_true(*text == ',' || *text == '\n');
    if (*text++ == '\n') return text;
  }
}

static const char *column(const Record *header, const Record *record, const char *name) {
  for (int i = 0; i < header->count; i++)
    if (strcmp(header->fields[i], name) == 0) return record->fields[i];
  fail_msg("no column %s", name);
  return "";
}

TEST(test_csv) {
  run_as("csv");
  Record header, record;
  const char *text = read_record(outcome.out, &header);
  assert_string_equal(header.fields[0], "version");
  int rows = 0, best = 0;
  for (; *text != '\0'; rows++) {
    text = read_record(text, &record);
    assert_int_equal(record.count, header.count);
    const bool wrong = strcmp(record.fields[0], "crash_sort") == 0;
    assert_string_equal(column(&header, &record, "status"), wrong ? "wrong" : "ok");
    assert_int_equal(strncmp(column(&header, &record, "verdict"), wrong ? "FAIL: " : "PASS", 4), 0);
    assert_int_equal(column(&header, &record, "median_ms")[0] == '\0', wrong);
    best += column(&header, &record, "best")[0] == '1';
    if (wrong) continue;
    const double median = strtod(column(&header, &record, "median_ms"), NULL);
    const double rate = strtod(column(&header, &record, "gkeys_per_s"), NULL);
    const double n = strtod(column(&header, &record, "n"), NULL);
    const double min = strtod(column(&header, &record, "min_ms"), NULL);
    assert_true(median > 0.0 && min <= median);
    assert_true(strtod(column(&header, &record, "mean_ms"), NULL) >= min);
    assert_true(rate / (n / median / 1e6) > 0.999 && rate / (n / median / 1e6) < 1.001);
  }
  assert_int_equal(rows, ROWS);
  assert_int_equal(best, 4);  // one of the two in each sweep
}

// ---- json --------------------------------------------------------------------------------------

static char path[] = "/tmp/test_compare.XXXXXX";

static void expect_jq(const char *filter, const char *expected) {
  char command[1024], answer[256] = "";
  snprintf(command, sizeof command, "jq -rc '%s' %s", filter, path);
  FILE *const pipe = popen(command, "r");
  assert_non_null(pipe);
  if (fgets(answer, sizeof answer, pipe) == NULL) answer[0] = '\0';
  assert_int_equal(pclose(pipe), 0);
  answer[strcspn(answer, "\n")] = '\0';
  if (strcmp(answer, expected) != 0)
    fail_msg("jq %s: '%s' (expected '%s')", filter, answer, expected);
}

static int remove_record(void **state) {
  (void)state;
  return unlink(path);
}

static void save_record(void) {
  memset(strchr(path, '.') + 1, 'X', 6);
  const int file = mkstemp(path);
  assert_true(file >= 0);
  const size_t length = strlen(outcome.out);
  assert_int_equal(write(file, outcome.out, length), (ssize_t)length);
  close(file);
}

TEST_WITH(test_json, NULL, remove_record) {
  run_as("json");
  save_record();
  char number[16];
  snprintf(number, sizeof number, "%d", ROWS);
  expect_jq(".rows | length", number);
  expect_jq("[.schema, .seed, .baseline, .interrupted]", "[1,1,\"thrust_ref\",false]");
  expect_jq("[.rows[] | select(.status == \"ok\")] | length", "12");
  expect_jq("[.rows[] | select(.best)] | map(.version) | unique", "[\"seq\"]");
  expect_jq("[.rows[] | select(.version == \"seq\").knobs.kBits] | unique", "[4,8]");
  expect_jq(".rows[] | select(.version == \"seq\") | .stages_ms | keys",
            "[\"copy\",\"hist\",\"scan\",\"scatter\"]");
  expect_jq(
      "[.rows[] | select(.status == \"ok\") | .median_ms > 0 and .min_ms <= .median_ms and "
      ".repetitions >= 1 and .ratio_to_baseline > 0] | all",
      "true");
  expect_jq("[.rows[] | select(.version == \"thrust_ref\").ratio_to_baseline == 1] | all", "true");
  expect_jq("[.rows[] | select(.status != \"ok\") | has(\"median_ms\")] | any", "false");
  expect_jq("[.rows[] | select(.status == \"ok\") | .noisy == (.noise > 0.1)] | all", "true");
  expect_jq("[.rows[].suspicious] | any", "false");
  expect_jq("[.rows[] | select(.cpu_code).version] | unique", "[\"seq\"]");
  expect_jq(".load_average >= 0 and .device.cache_bytes >= 0", "true");
}

// Of two runs the median is the greater one, so median and minimum determine the mean.
TEST_WITH(test_json_times, NULL, remove_record) {
  expect("seq --n 3000 --reps 2 --noise 0 --baseline none --format json", EXIT_RIGHT, "mean_ms");
  save_record();
  expect_jq(
      ".rows[0] | .median_ms >= .mean_ms and (.mean_ms * 2 - .median_ms - .min_ms | fabs) < "
      ".mean_ms * 1e-4",
      "true");
  expect_jq("[.noise_limit == 0, .repetitions, .rows[0].repetitions]", "[true,2,2]");
}

// Brackets in order; of one run they add up to the stage's time. Too many are left out.
TEST_WITH(test_json_passes, NULL, remove_record) {
  expect(
      "seq %s --n 50 --dist sorted --reps 3 --sweep seq.kBits=4,8 --set way=0 "
      "--sweep crash_sort.brackets=1,64,65 --format json",
      EXIT_RIGHT, "passes_ms");
  save_record();
  expect_jq("[.rows[] | select(.version == \"seq\") | .passes_ms | map_values(length)]",
            "[{\"copy\":2,\"hist\":8,\"scan\":8,\"scatter\":8},"
            "{\"copy\":2,\"hist\":4,\"scan\":4,\"scatter\":4}]");
  expect_jq(
      "[.rows[] | . as $row | .passes_ms | to_entries[] | "
      "((.value | add) / $row.stages_ms[.key] - 1 | fabs) < 1e-3] | all",
      "true");
  expect_jq(
      "[.rows[] | select(.version == \"crash_sort\").passes_ms | if has(\"copy\") then (.copy | "
      "length) else null end]",
      "[1,64,null]");
  expect_jq("[.rows[] | select(.version == \"crash_sort\") | .stages_ms.copy > 0]",
            "[true,true,true]");
}

// compare runs where this process may run.
TEST_WITH(test_json_host, NULL, remove_record) {
  cpu_set_t all, one;
  assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  for (int restricted = 0; restricted < 2; restricted++) {
    assert_int_equal(sched_setaffinity(0, sizeof all, restricted ? &one : &all), 0);
    compare("seq --n 10 --reps 1 --baseline none --format json");
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    save_record();
    char number[16];
    snprintf(number, sizeof number, "%d", restricted ? 1 : CPU_COUNT(&all));
    expect_jq(".device.host_threads", number);
    if (!restricted) remove_record(state);
  }
  FILE *const pipe = popen(
      "sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1 | grep . || echo unknown", "r");
  char name[128] = "";
  assert_non_null(fgets(name, sizeof name, pipe));
  assert_int_equal(pclose(pipe), 0);
  name[strcspn(name, "\n")] = '\0';
  expect_jq(".device.host_cpu", name);
  expect("seq --n 10 --reps 1 --baseline none", EXIT_RIGHT, name);
}

// ---- md and table ------------------------------------------------------------------------------

TEST(test_md) {
  run_as("md");
  int rows = 0, bars = 0;
  for (const char *line = outcome.out; *line != '\0'; line = strchr(line, '\n') + 1) {
    if (*line != '|') continue;
    int count = 0;
    for (const char *c = line; *c != '\n'; c++) count += *c == '|' && c[-1] != '\\';
    if (rows++ == 0) bars = count;
    assert_int_equal(count, bars);
  }
  assert_int_equal(rows, ROWS + 2);
  assert_non_null(strstr(outcome.out, ", reps |"));  // what ended the runs of a row
}

TEST(test_table) {
  setenv("COLUMNS", "120", 1);
  run_as("table");
  int rows = 0, groups = 0, sentences = 0;
  for (const char *line = outcome.out; *line != '\0'; line = strchr(line, '\n') + 1) {
    const size_t length = strcspn(line, "\n");
    if (length > 120) fail_msg("%zu columns: %.*s", length, (int)length, line);
    if (memmem(line, length, " is fastest, ", 13) != NULL) {
      sentences++;  // below each group
      continue;
    }
    char version[32] = "";
    double numbers[2];
    sscanf(line, "%31s", version);
    groups += strcmp(version, "version") == 0;
    rows += strcmp(version, "thrust_ref") == 0 || strcmp(version, "crash_sort") == 0;
    if (strcmp(version, "thrust_ref") == 0)
      assert_int_equal(sscanf(line, "%*s %lf %lf", &numbers[0], &numbers[1]), 2);
    if (strcmp(version, "seq") == 0) {
      rows++;
      assert_non_null(strstr(line, "kBits="));
    }
  }
  assert_int_equal(groups, 4);
  assert_int_equal(sentences, 4);
  assert_int_equal(rows, ROWS);
  assert_non_null(strstr(outcome.out, " <  "));
  assert_non_null(strstr(outcome.out, "FAIL: order: at index 49"));
  assert_null(strchr(outcome.out, '\033'));  // no colours when it is not a terminal
}

RUN_TESTS("compare_formats", NULL, NULL)
