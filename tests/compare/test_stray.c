// Versions that leave their place: compare goes on behind them, and no row that was not judged
// looks as if it had been.
#include "tests/compare/run_compare.h"

#include <signal.h>

#include "harness/measure/clock.h"

static char stray_sort[512], exit_sort[512];

// Runs stray_sort in one of its ways, and seq behind it.
static void run_way(int way) {
  char arguments[1024];
  snprintf(arguments, sizeof arguments,
           "%s seq --set stray_sort.way=%d --n 50 --keys --dist sorted --reps 2 --time-limit 0.2 "
           "--baseline none --sort given",
           stray_sort, way);
  compare(arguments);
}

static void expect_row(int way, int code, const char *part) {
  run_way(way);
  const char *const row = strstr(outcome.out, "\nstray_sort ");
  if (outcome.code != code || row == NULL || strstr(outcome.out, "\nseq ") == NULL ||
      strstr(row, part) == NULL || strstr(row, part) > strchr(row + 1, '\n'))
    fail_msg("way %d: exit code %d (expected %d), expected '%s' in: %s%s", way, outcome.code, code,
             part, outcome.out, outcome.err);
}

// Its own functions are called, although the harness has others of the same names.
static void test_own_names(void **state) {
  (void)state;
  expect_row(0, EXIT_RIGHT, "PASS");
}

static void test_exits(void **state) {
  (void)state;
  for (int way = 1; way <= 3; way++)
    expect_row(way, EXIT_WRONG_RESULT, "ended without a result, exit code 0");
}

static void test_constructor(void **state) {
  (void)state;
  char arguments[600];
  snprintf(arguments, sizeof arguments, "%s --n 50", exit_sort);
  expect_usage(arguments, "/version.so ends the program while it is loaded, with exit code 0");
}

// Without a process of its own, too. (Nothing can follow an _exit in a version's own handler.)
static void test_in_process(void **state) {
  (void)state;
  char arguments[1024];
  snprintf(arguments, sizeof arguments,
           "%s --no-fork --set way=1 --n 50 --keys --dist sorted --reps 2 --baseline none",
           stray_sort);
  compare(arguments);
  assert_int_equal(outcome.code, EXIT_WRONG_RESULT);
  assert_string_equal(outcome.err, "compare: the version ended the program\n");
}

static void test_forks(void **state) {
  (void)state;
  run_way(
      4);  // PASS or not, its child may confuse it; but compare lives, and each row is there once
  assert_in_range(outcome.code, EXIT_RIGHT, EXIT_DEVICE);
  const char *const row = strstr(outcome.out, "\nstray_sort ");
  if (row == NULL || strstr(row + 1, "\nstray_sort ") != NULL ||
      strstr(outcome.out, "\nseq (CPU)  ") == NULL)
    fail_msg("%s%s", outcome.out, outcome.err);
}

// Processes that hold the worker's pipes open for half a minute do not hold up compare, and do not
// outlive it, even in a session of their own.
static void test_left_processes(void **state) {
  (void)state;
  const double start = seconds_now();
  char script[256], line[256] = "", mark[32];
  snprintf(mark, sizeof mark, "%d", (int)getpid());
  setenv("TEST_STRAY", mark, 1);
  expect_row(5, EXIT_RIGHT, "PASS");
  if (seconds_now() - start > 15.0) fail_msg("took %g s", seconds_now() - start);
  unsetenv("TEST_STRAY");
  snprintf(script, sizeof script,
           "for p in /proc/[0-9]*; do tr '\\0' '\\n' <$p/environ | grep -qx TEST_STRAY=%s && "
           "cat $p/cmdline; done 2>/dev/null",
           mark);
  FILE *const left = popen(script, "r");
  assert_non_null(left);
  if (fgets(line, sizeof line, left) != NULL) fail_msg("still running: %s", line);
  pclose(left);
}

// A process that is not of compare's making, though a child of it, lives on.
static void test_earlier_child(void **state) {
  (void)state;
  char command[1024], line[64] = "";
  snprintf(command, sizeof command,
           "sleep 60 >/dev/null & echo $!; exec %s/compare seq --n 50 --reps 2 --baseline none",
           build_folder());
  FILE *const out = popen(command, "r");
  assert_non_null(out);
  assert_non_null(fgets(line, sizeof line, out));
  char rest[4096];
  while (fgets(rest, sizeof rest, out) != NULL) continue;
  assert_int_equal(pclose(out), 0);
  const pid_t earlier = (pid_t)strtol(line, NULL, 10);
  assert_true(earlier > 1);
  assert_int_equal(kill(earlier, SIGKILL), 0);  // it was there
}

// A version cannot reach the file of --export.
static void test_edits_files(void **state) {
  (void)state;
  char path[64], arguments[1024], text[4096];
  snprintf(path, sizeof path, "/tmp/test_stray.%d.csv", (int)getpid());
  snprintf(arguments, sizeof arguments,
           "%s --set way=11 --n 50 --keys --dist sorted --reps 2 --baseline none --export csv=%s",
           stray_sort, path);
  compare(arguments);
  FILE *const file = fopen(path, "r");
  assert_non_null(file);
  read_back(file, text, sizeof text);
  unlink(path);
  assert_int_equal(outcome.code, EXIT_RIGHT);
  if (strncmp(text, "version,n,", 10) != 0 || strstr(text, "\nstray_sort,50,") == NULL ||
      strstr(text, "forged") != NULL)
    fail_msg("%s", text);
}

static void test_false_report(void **state) {
  (void)state;
  expect_row(6, EXIT_WRONG_RESULT, "wrote into the pipe of compare's results");
}

static void test_closes_all(void **state) {
  (void)state;
  expect_row(7, EXIT_WRONG_RESULT, "stopped after 2 s");
}

static void test_control_characters(void **state) {
  (void)state;
  expect_row(8, EXIT_RIGHT, "PASS");
  assert_non_null(strstr(outcome.err, "?[2J?]0;title?a line\n"));
}

static void test_errors_left_behind(void **state) {
  (void)state;
  expect_row(9, EXIT_DEVICE, "failed: stray_sort left a CUDA error behind: invalid");
  expect_row(10, EXIT_DEVICE, "failed: stray_sort left a CUDA error behind: invalid");
#if defined(__SANITIZE_ADDRESS__) || defined(CUDA_CPU_CHECK)
  // There are no guards around the arrays there: it is freed, and the next copy into it fails.
  expect_row(12, EXIT_DEVICE,
             "numElems * sizeof *d_outputVals, cudaMemcpyDeviceToDevice): invalid argument");
#else
  // The arrays have guards, so that this is not the address that was allocated.
  expect_row(12, EXIT_DEVICE, "failed: stray_sort left a CUDA error behind: invalid argument");
#endif
#if defined(CUDA_CPU) && !defined(__SANITIZE_ADDRESS__) && !defined(CUDA_CPU_CHECK)
  assert_non_null(strstr(outcome.err, "memcheck: cudaFree is given byte 16384 of an array of "));
#endif
}

// Compiles a version with these fields in build_folder()/incomplete and runs it.
static void expect_incomplete(const char *fields, const char *part) {
  char command[4096], arguments[600];
  snprintf(command, sizeof command,
           "mkdir -p %s/incomplete && printf '%%s\\n' '#include \"common/your_sort.h\"' "
           "'static const char *const none[] = {NULL};' 'static const SortKnob knob[] = {{0}};' "
           "'static const SortKnob bad[] = {{\"k\", 9, 1, 5, \"m\"}, {0}};' "
           "'const SortVersion sort_version = {%s};' 'void your_sort(unsigned int *const a, "
           "unsigned int *const b, unsigned int *const c, unsigned int *const d, const size_t n) "
           "{ (void)a, (void)b, (void)c, (void)d, (void)n, (void)none, (void)knob, (void)bad; }' "
           ">%s/incomplete/version.c && cc -shared -fPIC -iquote . %s/incomplete/version.c -o "
           "%s/incomplete/version.so",
           build_folder(), fields, build_folder(), build_folder(), build_folder());
  assert_int_equal(system(command), 0);
  snprintf(arguments, sizeof arguments, "%s/incomplete/version.so --n 50", build_folder());
  // Not */version.so beside compare, where later runs would find it.
  compare(arguments);
  snprintf(command, sizeof command, "rm -r %s/incomplete", build_folder());
  assert_int_equal(system(command), 0);
  const char *const end = strchr(outcome.err, '\n');
  if (outcome.code != EXIT_USAGE || end == NULL || end[1] != '\0' ||
      strstr(outcome.err, part) == NULL)
    fail_msg("%s: exit code %d, expected '%s' in: %s", fields, outcome.code, part, outcome.err);
}

static void test_incomplete_versions(void **state) {
  (void)state;
  expect_incomplete(".title = \"t\"", "incomplete/version.so has no printable name");
  expect_incomplete(".name = \"incomplete\"", "incomplete has no printable title and source");
  expect_incomplete(".name = \"incomplete\", .title = \"t\", .source = \"s\", .knobs = knob",
                    "incomplete: sort_version.stages is NULL");
  expect_incomplete(".name = \"incomplete\", .title = \"t\", .source = \"s\", .stages = none",
                    "incomplete: sort_version.knobs is NULL");
  expect_incomplete(
      ".name = \"incomplete\", .title = \"t\", .source = \"s\", .stages = none, "
      ".knobs = bad, .max_n = 100",
      "the default of knob k is 9, outside 1 to 5");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_own_names),
      cmocka_unit_test(test_exits),
      cmocka_unit_test(test_constructor),
      cmocka_unit_test(test_in_process),
      cmocka_unit_test(test_forks),
      cmocka_unit_test(test_left_processes),
      cmocka_unit_test(test_earlier_child),
      cmocka_unit_test(test_edits_files),
      cmocka_unit_test(test_false_report),
      cmocka_unit_test(test_closes_all),
      cmocka_unit_test(test_control_characters),
      cmocka_unit_test(test_errors_left_behind),
      cmocka_unit_test(test_incomplete_versions),
  };
  snprintf(stray_sort, sizeof stray_sort, "%s/tests/sorts/stray_sort/version.so", build_folder());
  snprintf(exit_sort, sizeof exit_sort, "%s/tests/sorts/exit_sort/version.so", build_folder());
  return cmocka_run_group_tests_name("compare_stray", tests, NULL, NULL);
}
