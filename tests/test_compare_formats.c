// Each format parsed back: csv by a reader of RFC 4180 written here, json by jq, md and table by
// their columns. All must agree on what was measured.
#include "tests/run_compare.h"

static const char *const RUN =
    "seq %s --n 50,100 --dist sorted --reps 3 --sweep seq.kBits=4,8 --set crash_sort.way=6 "
    "--keys --pairs --format ";

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

static void test_csv(void **state) {
  (void)state;
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
    assert_true(median > 0.0 && strtod(column(&header, &record, "min_ms"), NULL) <= median);
    assert_true(rate / (n / median / 1e6) > 0.999 && rate / (n / median / 1e6) < 1.001);
  }
  assert_int_equal(rows, ROWS);
  assert_int_equal(best, 4);  // one of the two in each sweep
}

// ---- json --------------------------------------------------------------------------------------

static void expect_jq(const char *path, const char *filter, const char *expected) {
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

static void test_json(void **state) {
  (void)state;
  run_as("json");
  char path[] = "/tmp/test_compare.XXXXXX", number[16];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  const size_t length = strlen(outcome.out);
  assert_int_equal(write(file, outcome.out, length), (ssize_t)length);
  close(file);
  snprintf(number, sizeof number, "%d", ROWS);
  expect_jq(path, ".rows | length", number);
  expect_jq(path, "[.schema, .seed, .baseline, .interrupted]", "[1,1,\"thrust_ref\",false]");
  expect_jq(path, "[.rows[] | select(.status == \"ok\")] | length", "12");
  expect_jq(path, "[.rows[] | select(.best)] | map(.version) | unique", "[\"seq\"]");
  expect_jq(path, "[.rows[] | select(.version == \"seq\").knobs.kBits] | unique", "[4,8]");
  expect_jq(path, ".rows[] | select(.version == \"seq\") | .stages_ms | keys",
            "[\"copy\",\"hist\",\"scan\",\"scatter\"]");
  expect_jq(path,
            "[.rows[] | select(.status == \"ok\") | .median_ms > 0 and .min_ms <= .median_ms and "
            ".repetitions >= 1 and .ratio_to_baseline > 0] | all",
            "true");
  expect_jq(path, "[.rows[] | select(.version == \"thrust_ref\").ratio_to_baseline == 1] | all",
            "true");
  expect_jq(path, "[.rows[] | select(.status != \"ok\") | has(\"median_ms\")] | any", "false");
  unlink(path);
}

// ---- md and table ------------------------------------------------------------------------------

static void test_md(void **state) {
  (void)state;
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
}

static void test_table(void **state) {
  (void)state;
  setenv("COLUMNS", "120", 1);
  run_as("table");
  int rows = 0, groups = 0;
  for (const char *line = outcome.out; *line != '\0'; line = strchr(line, '\n') + 1) {
    const size_t length = strcspn(line, "\n");
    if (length > 120) fail_msg("%zu columns: %.*s", length, (int)length, line);
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
  assert_int_equal(rows, ROWS);
  assert_non_null(strstr(outcome.out, " <  "));
  assert_non_null(strstr(outcome.out, "FAIL: order: at index 49"));
  assert_null(strchr(outcome.out, '\033'));  // no colours when it is not a terminal
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_csv),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_md),
      cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests_name("compare_formats", tests, NULL, NULL);
}
