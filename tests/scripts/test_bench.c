// scripts/bench.sh: what it leaves in the folder of records, whatever happens to it.
#include "tests/compare/run_compare.h"

#include <signal.h>
#include <time.h>

// Shell commands of the tests know it as $D. Its bin holds all that the script may call; jq is put
// there by a test that allows it.
static char folder[32];

static void shell(const char *command) {
  if (system(command) != 0) fail_msg("%s", command);
}

static int make_folder(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/test_bench.XXXXXX");
  assert_non_null(mkdtemp(folder));
  setenv("D", folder, 1);
  shell(
      "mkdir $D/bin $D/out && for tool in bash dirname head mktemp rm tail sed chmod mv mkdir "
      "wc; do ln -s \"$(command -v $tool)\" $D/bin/ || exit 1; done");
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  shell("rm -r $D");
  return 0;
}

// Starts the script in a process group of its own, as a shell on a terminal does.
static pid_t start_bench(const char *compare, const char *arguments, FILE *out, FILE *err) {
  char command[2048];
  snprintf(command, sizeof command,
           "PATH=$D/bin OUT=$D/out exec bash scripts/bench.sh --compare %s --n 50 --dist sorted %s",
           compare, arguments);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    dup2(fileno(out), STDOUT_FILENO);
    dup2(fileno(err), STDERR_FILENO);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(126);
  }
  return child;
}

// Signal 0: none. Otherwise it comes when compare is in the middle of its rows.
static void bench(const char *compare, const char *arguments, int signal_number, int code) {
  FILE *const out = tmpfile(), *const err = tmpfile();
  const pid_t child = start_bench(compare, arguments, out, err);
#ifdef CUDA_CPU
  const struct timespec start_up = {1, 500000000};
#else
  const struct timespec start_up = {10, 0};
#endif
  if (signal_number != 0) {
    nanosleep(&start_up, NULL);
    kill(-child, signal_number);
  }
  finish_compare(child, out, err);
  if (outcome.code != code)
    fail_msg("bench %s: exit code %d (expected %d): %s%s", arguments, outcome.code, code,
             outcome.out, outcome.err);
}

static void bench_real(const char *arguments, int signal_number, int code) {
  char compare[512];
  snprintf(compare, sizeof compare, "%s/compare", build_folder());
  bench(compare, arguments, signal_number, code);
}

// A compare that prints this text and ends with that exit code, which is then the script's too.
static void bench_fake(const char *text, int exit_code) {
  char path[128], script[1024];
  snprintf(path, sizeof path, "%s/compare", folder);
  snprintf(script, sizeof script, "#!/bin/sh\ncat <<'END'\n%s\nEND\nexit %d\n", text, exit_code);
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fputs(script, file);
  fclose(file);
  shell("ln -sf \"$(command -v cat)\" $D/bin/ && chmod +x $D/compare");
  bench(path, "", 0, exit_code);
}

// The folder of records holds this one file and nothing else, and its text has that part.
static void expect_record(const char *name, const char *part) {
  char path[256], text[65536];
  snprintf(text, sizeof text, "test \"$(ls -A $D/out)\" = '%s'", name);
  shell(text);
  snprintf(path, sizeof path, "%s/out/%s", folder, name);
  read_back(fopen(path, "r"), text, sizeof text);
  if (strstr(text, part) == NULL) fail_msg("'%s' is missing in %s: %s", part, name, text);
}

static const char *const RECORD =
    "{\n \"device\": {\n  \"name\": \"NVIDIA H100 80GB HBM3 (a)\",\n  \"backend\": \"cuda\"\n },\n"
    " \"rows\": [\n  {\n   \"name\": \"x\",\n   \"status\": \"ok\"\n  }\n ]\n}";

static void test_without_jq(void **state) {
  (void)state;
  bench_real("-- seq --reps 1 --baseline none", 0, EXIT_RIGHT);
  assert_non_null(strstr(outcome.err, ".json, 2 rows\n"));
  shell("cd $D/out && ls *.json | grep '^[A-Za-z0-9_]*[A-Za-z0-9].json$' >/dev/null");
  shell("jq -e '.rows | length == 2' $D/out/*.json >/dev/null");
}

static void test_name(void **state) {
  (void)state;
  bench_fake(RECORD, EXIT_WRONG_RESULT);  // a wrong row is a result too
  expect_record("H100_80GB_HBM3_a.json", "\"backend\": \"cuda\"");
  assert_non_null(strstr(outcome.err, "H100_80GB_HBM3_a.json, 1 rows\n"));
}

static void test_append(void **state) {
  (void)state;
  bench_real("--append -- seq --reps 1", 0, EXIT_USAGE);
  assert_string_equal(outcome.err, "bench: --append needs jq, which is not installed\n");
  shell("ln -s \"$(command -v jq)\" $D/bin/");
  bench_real("-- seq --reps 1 --baseline none", 0, EXIT_RIGHT);
  bench_real("--append -- seq --reps 1 --baseline none", 0, EXIT_RIGHT);
  assert_non_null(strstr(outcome.err, ".json, 4 rows\n"));
  shell("jq -e '(.rows | length) == 4 and (.interrupted | not)' $D/out/*.json >/dev/null");
}

static void test_mistakes(void **state) {
  (void)state;
  bench_real("--wrong", 0, EXIT_USAGE);
  assert_string_equal(outcome.err, "bench: unknown option '--wrong'\n");
  bench_real("--dist", 0, EXIT_USAGE);
  assert_string_equal(outcome.err, "bench: --dist needs a value\n");
}

// compare cannot write, or is killed while it does.
static void test_half_a_record(void **state) {
  (void)state;
  bench_fake(RECORD, EXIT_RIGHT);
  bench_fake("{\n \"device\": {\n  \"name\": \"H100\",", EXIT_USAGE);
  assert_string_equal(outcome.err, "bench: the record is incomplete and was dropped\n");
  expect_record("H100_80GB_HBM3_a.json", "\"status\": \"ok\"");
}

// A row that takes no time, then one that hangs.
static void test_interrupted(void **state) {
  (void)state;
  char arguments[600];
  snprintf(arguments, sizeof arguments,
           "-- seq %s/tests/sorts/crash_sort/version.so --set way=3 --baseline none --time-limit 60",
           build_folder());
  bench_real(arguments, SIGINT, 128 + SIGINT);
  shell("jq -e '.interrupted and (.rows | length) == 1' $D/out/*.json >/dev/null");
  shell("cp $D/out/*.json $D/before");
  bench_real(arguments, SIGINT, 128 + SIGINT);
  assert_non_null(strstr(outcome.err, "bench: interrupted; "));
  shell("cmp $D/before $D/out/*.json && test \"$(ls -A $D/out | wc -l)\" = 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_without_jq, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_name, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_append, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_mistakes, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_half_a_record, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(test_interrupted, make_folder, remove_folder),
  };
  return cmocka_run_group_tests_name("bench", tests, NULL, NULL);
}
