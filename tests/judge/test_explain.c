// What the judge takes from the output of a sorter that failed.
#include "tests/unit.h"

#include "harness/judge/sorter.h"

// harness/judge/sorter.c asks for it; nothing is started here.
int sorter_program(void) { return -1; }

static void expect_finding(const char *heard, const char *expected) {
  Sorter sorter = {0};
  int length = 0;
  snprintf(sorter.heard, sizeof sorter.heard, "%s", heard);
  const char *const found = sorter_finding(&sorter, &length);
  assert_non_null(found);
  assert_string_equal(text_of("%.*s", length, found), expected);
}

TEST(test_findings) {
  expect_finding("crash: Segmentation fault (signal 11) at a.cu:7\n",
                 "crash: Segmentation fault (signal 11) at a.cu:7");
  // Another mark inside the sentence.
  expect_finding(
      "memcheck: host code reads device memory at a.cu:7; on a GPU it would crash: copy "
      "with cudaMemcpy()\n",
      "memcheck: host code reads device memory at a.cu:7; on a GPU it would crash: copy "
      "with cudaMemcpy()");
  expect_finding("memcheck: cudaFree is given a host pointer\ncrash: Aborted (signal 6)\n",
                 "crash: Aborted (signal 6)");
  // Behind what the version printed.
  expect_finding("pass 1, pass 2, crash: Aborted (signal 6)\n", "crash: Aborted (signal 6)");
  expect_finding("a.cu:7:3: runtime error: index 5 out of bounds\n",
                 "runtime error: index 5 out of bounds");
}

TEST(test_nothing_found) {
  Sorter sorter = {.heard = "sorting\n"};
  int length = 0;
  assert_null(sorter_finding(&sorter, &length));
}

RUN_TESTS("explain", NULL, NULL)
