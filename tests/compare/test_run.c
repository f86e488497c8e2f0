// Failures in the middle of compare: crashes, hangs, Ctrl-C; and its output on a terminal.
#include "tests/compare/run_compare.h"

#include <signal.h>
#include <time.h>

// A row that fails has a reason, and the rows behind it are measured all the same.
TEST(test_failing_rows) {
  expect(
      "$CRASH seq --sweep crash_sort.way=0..6+1 --n 50 --keys --dist sorted --reps 2 "
      "--time-limit 0.2",
      EXIT_WRONG_RESULT, "crashed: Segmentation fault (signal 11)");
  static const char *const parts[] = {
      "ended without a result, exit code 7",
      "stopped after 2 s, 10 times the time limit",
      "unspecified launch failure",
      "failed: crash_sort did not return its scratch memory",
      "FAIL: order: at index 49",
      "crash_sort way=0 < ",
      "\nseq ",
  };
  for (size_t i = 0; i < COUNT_OF(parts); i++) expect_part(outcome.out, parts[i]);
}

// It is the version's error, also where it is one of memory.
TEST(test_error_left_behind) {
  expect("$CRASH --set way=8 --n 50 --dist sorted --reps 1", EXIT_DEVICE,
         "failed: crash_sort left a CUDA error behind: out of memory");
}

// The cpu backend names the kernel that hangs; a GPU cannot.
TEST(test_hanging_kernel) {
#ifdef CUDA_CPU
  expect(
      "$CRASH seq --sweep crash_sort.way=7 --n 50 --keys --dist sorted --reps 2 --time-limit "
      "0.2",
      EXIT_WRONG_RESULT, "stopped after 2 s, 10 times the time limit");
  assert_non_null(strstr(outcome.out, "\nseq "));
  if (strstr(build_folder(), "sanitize") != NULL) skip();
  assert_non_null(strstr(outcome.out, "the time limit: still running at "));
  assert_non_null(strstr(outcome.out, "in kernel spin, block (0,0,0), thread ("));
#else
  skip();
#endif
}

TEST(test_left_out) {
  // Above its slow limit (100): out as long as it is not named, and one line lists it. Named by its
  // path it runs; seq is always named here, thrust_ref is the baseline.
  expect("$CRASH seq --n 200 --dist sorted --set way=0 --reps 1", EXIT_RIGHT, "crash_sort way=0");
  assert_null(strstr(outcome.out, "left out"));
  expect_usage("--n 2^41 --keys --baseline none", "every version is left out at this n: ");
  setenv("CUDA_CPU_MEMORY", "1000000", 1);  // so that a CPU spends no time on the others
  compare("--n 200M --keys --reps 1 --format csv");
  assert_non_null(strstr(outcome.err, "compare: left out at n = 200000000: seq (slow above"));
  assert_null(strstr(outcome.out, "left out"));
  compare("--n 200M --keys --reps 1");
  unsetenv("CUDA_CPU_MEMORY");
  assert_non_null(strstr(outcome.out, "left out: "));
  assert_non_null(strstr(outcome.out, "seq (slow above 10000000)"));
}

// ---- interruption ------------------------------------------------------------------------------

static char hang_mark[64];  // a file that crash_sort creates when it hangs

// Two rows that take no time, then one that hangs: Ctrl-C leaves the two.
static void interrupt(const char *format, int signal_number) {
  const char *const arguments = text_of(
      "seq $CRASH --set crash_sort.way=3 --keys --n 50 --reps 2 --time-limit 60 --format %s",
      format);
  FILE *const out = new_file(), *const err = new_file();
  unlink(hang_mark);
  const pid_t child = start_compare(arguments, out, err);
  const struct timespec moment = {0, 10000000};
  for (int i = 0; i < 6000 && access(hang_mark, F_OK) != 0; i++) nanosleep(&moment, NULL);
  sleep(1);  // the supervisor reads what the worker has reported before
  kill(child, signal_number);
  finish(child, out, err, &outcome);
  unlink(hang_mark);
  if (outcome.code != 128 + signal_number)
    fail_msg("%s: exit code %d: %s%s", format, outcome.code, outcome.out, outcome.err);
}

TEST(test_interrupted_json) {
  interrupt("json", SIGINT);
  char *const brace = strrchr(outcome.out, '}');
  assert_non_null(brace);
  assert_string_equal(brace, "}\n");
  assert_non_null(strstr(outcome.out, "\"interrupted\": true"));
  assert_int_equal(count_of(outcome.out, "\"status\": \"ok\""), 2);
  assert_int_equal(count_of(outcome.out, "\"version\""), 2);
}

TEST(test_interrupted_tables) {
  interrupt("csv", SIGINT);
  assert_int_equal(count_of(outcome.out, "\n"), 3);
  interrupt("md", SIGTERM);
  assert_non_null(strstr(outcome.out, "Interrupted: the rows above are complete"));
  interrupt("table", SIGINT);
  assert_non_null(strstr(outcome.out, "interrupted: the rows above are complete"));
}

// ---- a terminal --------------------------------------------------------------------------------

// script(1) runs a command on a separate terminal.
static void run_on_terminal(const char *environment, int columns, const char *arguments) {
  const char *const command = text_of(
      "%s script -qec 'stty cols %d; %s/compare std_sort_ref seq --n 1000 --reps 2 %s' /dev/null "
      "</dev/null",
      environment, columns, build_folder(), arguments);
  FILE *const pipe = popen(command, "r");
  assert_non_null(pipe);
  outcome.out[fread(outcome.out, 1, sizeof outcome.out - 1, pipe)] = '\0';
  assert_int_equal(pclose(pipe), 0);
}

TEST(test_terminal) {
  if (system("command -v script >/dev/null") != 0) skip();
  run_on_terminal("env -u NO_COLOR", 120, "");
  assert_non_null(strstr(outcome.out, "\033[32mPASS"));
  assert_non_null(strstr(outcome.out, "████"));  // the ratio's bar
  assert_non_null(strstr(outcome.out, "\r\033[K\033[?7l3/3 seq (CPU), 1000 uniform"));
  run_on_terminal("NO_COLOR=1", 120, "");
  assert_null(strstr(outcome.out, "\033[32m"));
  run_on_terminal("env -u NO_COLOR", 120, "--no-color");
  assert_null(strstr(outcome.out, "\033[32m"));
  assert_non_null(strstr(outcome.out, "████"));
  run_on_terminal("NO_COLOR=1", 80, "");  // no room for bars: better none than lines that wrap
  assert_null(strstr(outcome.out, "████"));
  const char *const row = strstr(outcome.out, "std_sort_ref (CPU)   ");
  assert_non_null(row);
  assert_true(strcspn(row, "\r\n") <= 80);
}

int main(void) {
  snprintf(hang_mark, sizeof hang_mark, "/tmp/test_run.%d.hangs", (int)getpid());
  setenv("HANG_MARK", hang_mark, 1);
  return run_all_tests("compare_run", NULL, NULL);
}
