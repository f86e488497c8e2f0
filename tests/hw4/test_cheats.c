// A sort that tries to get a PASS, or a good time, without sorting, or that crashes or hangs
// (tests/sorts/cheat): HW4's report of each way. tests/cheats/README.md has the same table.
#include "tests/hw4/run_hw4.h"

typedef struct Case {
  const char *way;   // the value of CHEAT
  int code;          // of HW4
  const char *text;  // on stdout where the code is 0 or 1, else on stderr
} Case;

static const Case cases[] = {
    {"none", 0, "\nPASS\n"},
    // ---- no sort, or a sort now and then
    {"works_once", 1, "FAIL: right at the first call of a process, wrong at later calls"},
#ifdef CUDA_CPU
    {"third_call", 1, "FAIL: right on this image, wrong at n = "},
#else  // the third call may be one that is timed once more, because other programs use the GPU
    {"third_call", 1, "FAIL: right "},
#endif
    {"remember", 1, "FAIL: right at times"},
    {"zero", 1, "FAIL: keys doubled"},
#ifdef CUDA_CPU
    {"background", 1, "FAIL: nothing was written"},
    {"lockstep", 1,
     "CHECK=all looks for races (also within a warp, whose lanes need __syncwarp())"},
#else  // copies wait for the device, and so at times for the thread's work
    {"background", 1, "FAIL: "},
#endif
#if defined(CUDA_CPU) && !defined(__SANITIZE_ADDRESS__)
    {"own_array", 1, "; memcheck: an array of 64 bytes was written beyond its end, at byte 64"},
#endif
    // ---- an early end
    {"exit", 3, "cheat ended its process with exit code 0 at n = 768"},
    {"_exit", 3, "cheat ended its process with exit code 0 at n = 768"},
    {"exit_3", 3, "cheat ended its process with exit code 3 at n = 768"},
    {"constructor_exit", 3, "the version ended its process with exit code 0 before main()"},
    // ---- another verdict
    {"print_and_exit", 3, "cheat ended its process with exit code 0 at n = 768"},
    {"first_arrays", 1, "FAIL: right on this image, "},
    {"image_only", 1, "FAIL: right on this image, wrong at n = 1000"},
    {"flood", 3, "cheat was stopped after 1 s at n = 768: it did not come back"},
    // ---- crashes
    {"segfault", 3, "at n = 768"},
    {"abort", 3, "at n = 768"},
    {"divide", 3, "at n = 768"},
#ifndef __SANITIZE_ADDRESS__  // which reports it itself
    {"assertion", 3, "Assertion `zero == 1' failed"},
#endif
    {"bus", 3, "at n = 768"},
    {"kill", 3, "cheat crashed at n = 768: Killed (signal 9)"},
#if defined(CUDA_CPU) && !defined(__SANITIZE_ADDRESS__)
    {"free_output", 3,
     "cheat was stopped at n = 768: memcheck: the sort released one of its four arrays"},
    {"own_scratch", 3,
     "cheat was stopped at n = 768: memcheck: an array of 64 bytes was written beyond its end"},
#endif
    {"no_memory", 3, "at n = 768, your_sort left a CUDA error behind: out of memory\n"},
    {"endless", 3, "cheat was stopped after 1 s at n = 768: it did not come back"},
    // ---- right sorts that do something on the side: an honest PASS
    {"print", 0, "\nPASS\n"},
    {"leak", 0, " blocks of device memory are lost: sorts allocate them "},
    {"close_stdout", 0, "\nPASS\n"},
    {"atexit", 0, "\nPASS\n"},
    {"slow_device", 0, "\nThis is the time by HW4's clock. The sort says "},
    // none of whose processes is left
    {"fork", 0, "\nPASS\n"},
    {"sleep_in_background", 0, "\nPASS\n"},
};

static bool is_right(const Case *expected) {
  const bool flood = strcmp(expected->way, "flood") == 0;
  const bool hangs = flood || strcmp(expected->way, "endless") == 0;
  const Outcome outcome = RUN_WITH("CHEAT", expected->way, cheat, "small.ppm", "eye.ppm",
                                   "cheat.ppm", "--time-limit", hangs ? "1" : "60");
  // The output of a flood fills `err`.
  const char *const where = expected->code <= 1 ? outcome.out : outcome.err;
  const bool named = flood || strstr(where, expected->text) != NULL;
  // One line of verdict, from the judge, or none.
  const bool one_verdict = count_of(outcome.out, "PASS") == (expected->code == 0) &&
                           count_of(outcome.out, "FAIL") == (expected->code == 1);
  const bool harmless =
      strchr(outcome.err, '\033') == NULL && strstr(outcome.err, "\xc2\x9b") == NULL;
  const bool image_right =
      expected->code == 0 || strstr(outcome.out, "right on this image") != NULL;
  const bool saved = unlink("cheat.ppm") == 0;
  if (outcome.code == expected->code && named && one_verdict && harmless && saved == image_right &&
      files_here() == files_before)
    return true;
  print_error("%s: exit code %d, %s picture, %d files (%d before)\n%s%s", expected->way,
              outcome.code, saved ? "a" : "no", files_here(), files_before, outcome.out,
              outcome.err);
  return false;
}

TEST(test_cheats) {
  int mistakes = 0;
  for (size_t i = 0; i < COUNT_OF(cases); i++) mistakes += !is_right(&cases[i]);
  assert_int_equal(mistakes, 0);
  expect_no_process("CHEAT=(sleep_in_background|fork)");
}

// The battery's guards find it, or the cpu backend's, around each array: guards, then memory
// without access rights.
TEST(test_writes_outside) {
  const char *const ways[] = {"behind", "before"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    const Outcome outcome = RUN_WITH("CHEAT", ways[i], cheat, "small.ppm", "eye.ppm", "cheat.ppm",
                                     "--time-limit", "60");
    const bool named =
        outcome.code == 1
            ? strstr(outcome.out, "wrote outside its arrays") != NULL
            : outcome.code == 3 && (strstr(outcome.err, "array of ") != NULL ||
                                    strstr(outcome.err, "heap-buffer-overflow") != NULL);
    if (!named || strstr(outcome.out, "PASS") != NULL)
      fail_msg("%s: exit code %d\n%s%s", ways[i], outcome.code, outcome.out, outcome.err);
    unlink("cheat.ppm");
  }
}

// Honest work in a stream that does not wait for the default one is not in the time. The judge
// times such a sort again, and judges these runs too.
TEST(test_stream) {
#ifdef CUDA_CPU
  static const Case ways[] = {
      {"stream", 1,
       "msecs. The time is that of the default stream: work in another one must have ended when a "
       "sort returns"},
      {"timed_again", 1, "FAIL: right at times: wrong when it was timed once more"}};
  for (size_t i = 0; i < COUNT_OF(ways); i++) {
    const Outcome outcome = RUN_WITH("CHEAT", ways[i].way, cheat, "small.ppm", "eye.ppm",
                                     "cheat.ppm", "--image-only", "--seed", "1");
    if (outcome.code != ways[i].code || strstr(outcome.out, ways[i].text) == NULL)
      fail_msg("%s: exit code %d: %s%s", ways[i].way, outcome.code, outcome.out, outcome.err);
  }
#else
  skip();
#endif
}

RUN_TESTS("cheats", find_programs, forget_programs)
