// The line that shows how far scoring is: on a terminal, after a second, and nowhere else.
#include "tests/unit.h"

#include <pty.h>

#include "harness/hw4/score_progress.h"

// Half of the work takes longer than a second.
static void work(void) {
  ScoreProgress progress = score_progress_start(4);
  score_progress_step(&progress);
  usleep(1200000);
  score_progress_step(&progress);
  score_progress_step(&progress);  // too early for another line
  score_progress_end(&progress);
}

static void test_terminal(void **state) {
  (void)state;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  if (child < 0) skip();
  if (child == 0) {
    work();
    _exit(0);
  }
  char text[500] = "";
  size_t used = 0;
  for (ssize_t got; (got = read(terminal, text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)got;
  assert_int_equal(waitpid(child, NULL, 0), child);
  close(terminal);
  if (strstr(text, "\r\033[Ktest_score_progress: scores, 50%, 0:01 left\r\033[K") != text)
    fail_msg("%s", text);
}

static void quiet(void) {
  work();
  _exit(ftell(stderr) == 0 ? 7 : 8);
}

static void test_no_terminal(void **state) {
  (void)state;
  expect_exit(7, "", quiet);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_terminal),
      cmocka_unit_test(test_no_terminal),
  };
  return cmocka_run_group_tests_name("score_progress", tests, NULL, NULL);
}
