// Wrong arguments and files for HW4: exit code 2, one sentence on stderr, no file written. Knobs
// belong to the versions, so they are tested with each; the rest is the same code in all of them,
// so it is tested with one.
#include "tests/hw4/run_hw4.h"

typedef struct Case {
  const char *part;  // of the sentence
  const char *arguments[MAX_ARGUMENTS];
} Case;

static void check_cases(const char *program, const Case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const Outcome outcome = run(program, cases[i].arguments);
    expect_refusal(program, &outcome, 2, cases[i].part);
    assert_string_equal(outcome.out, "");
  }
}

// ---- the command line ---------------------------------------------------------------------------

TEST(test_command_line) {
  static const Case cases[] = {
      {"an image and a template", {NULL}},
      {"a template", {"small.ppm"}},
      {"one argument too many", {"small.ppm", "eye.ppm", "out.ppm", "more"}},
      {"one argument too many", {"small.ppm", "eye.ppm", "out.ppm", ""}},
      {"unrecognized option", {"--bad", "small.ppm", "eye.ppm"}},
      {"invalid option", {"-x", "small.ppm", "eye.ppm"}},
      {"argument", {"small.ppm", "eye.ppm", "--set"}},
      {"argument", {"--knobs=3"}},
      {"KNOB=VALUE", {"--set", "x", "small.ppm", "eye.ppm"}},
      {"KNOB=VALUE", {"--set", "=5", "small.ppm", "eye.ppm"}},
      {"KNOB=VALUE", {"--set", "", "small.ppm", "eye.ppm"}},
      {"no knob 'nothing'", {"--set", "nothing=1", "small.ppm", "eye.ppm"}},
      {"takes a whole number", {"--set", "way=1x", "small.ppm", "eye.ppm"}},
      {"takes a whole number", {"--set", "way=99999999999999999999", "small.ppm", "eye.ppm"}},
      {"are missing", {"--set", "way=2"}},
      {"--seed", {"--seed", "x", "small.ppm", "eye.ppm"}},
      {"--seed", {"--seed", "-1", "small.ppm", "eye.ppm"}},
      {"--seed", {"--seed", "1.5", "small.ppm", "eye.ppm"}},
      {"--seed", {"--seed=", "small.ppm", "eye.ppm"}},
      {"--seed", {"--seed", "18446744073709551616", "small.ppm", "eye.ppm"}},
  };
  check_cases(crash_sort, cases, sizeof cases / sizeof *cases);
}

// Sets every knob to one below and one above its range, which --knobs lists.
static void check_knob_ranges(const char *program) {
  const Outcome knobs = RUN(program, "--knobs");
  for (const char *line = knobs.out; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
    char name[64];
    int value = 0, min = 0, max = 0;
    if (sscanf(line, "%63[^ ] = %d (%d to %d): ", name, &value, &min, &max) != 4) return;
    const Case cases[] = {
        {"takes a whole number",
         {"--set", text_of("%s=%lld", name, min - 1LL), "small.ppm", "eye.ppm"}},
        {"takes a whole number",
         {"--set", text_of("%s=%lld", name, max + 1LL), "small.ppm", "eye.ppm"}},
    };
    check_cases(program, cases, sizeof cases / sizeof *cases);
  }
}

TEST(test_knob_ranges) { for_each_version(check_knob_ranges); }

// ---- files --------------------------------------------------------------------------------------

// What a file may be wrong in, the tests of image_load() say; here, that HW4 passes it on.
TEST(test_files) {
  static const Case cases[] = {
      {"missing.ppm", {"missing.ppm", "eye.ppm"}},
      {"missing.ppm", {"small.ppm", "missing.ppm"}},
      {"'' cannot be opened", {"", "eye.ppm"}},
      {"cut off", {"cut.ppm", "eye.ppm"}},
      {"cut off", {"small.ppm", "cut.ppm"}},
      {"folder.ppm", {"folder.ppm", "eye.ppm"}},
      {"folder.ppm", {"small.ppm", "folder.ppm"}},
      {"not a file", {"/dev/zero", "eye.ppm"}},
      {"smaller than the template", {"eye.ppm", "small.ppm"}},
      {"smaller than the template", {"small.ppm", "tall.ppm"}},
      {"smaller than the template", {"tall.ppm", "small.ppm"}},
  };
  check_cases(versions.gl_pathv[0], cases, sizeof cases / sizeof *cases);
}

TEST(test_outputs) {
  static const Case cases[] = {
      {"must end in", {"small.ppm", "eye.ppm", "out.xyz"}},
      {"must end in", {"small.ppm", "eye.ppm", "/dev/null"}},
      {"folder.ppm", {"small.ppm", "eye.ppm", "folder.ppm"}},
      {"missing/out.ppm", {"small.ppm", "eye.ppm", "missing/out.ppm"}},
      {"small.ppm/out.ppm", {"small.ppm", "eye.ppm", "small.ppm/out.ppm"}},
      // The output is checked first, because that is quick.
      {"missing/out.ppm", {"missing.ppm", "eye.ppm", "missing/out.ppm"}},
  };
  check_cases(versions.gl_pathv[0], cases, sizeof cases / sizeof *cases);
}

// Shows only at the end; no half-written file may stay. The sort limits the files of HW4, which by
// then has its own files in memory.
TEST(test_full_disk) {
  const Outcome outcome =
      RUN_WITH("CHEAT", "full_disk", cheat, "--image-only", "small.ppm", "eye.ppm", "out.ppm");
  expect_refusal(cheat, &outcome, 2, "out.ppm cannot be written: File too large");
}

static int set_up(void **state) {
  if (find_programs(state) != 0) return -1;
  save("tall.ppm", draw(5, 60, 6));
  write_file("cut.ppm", "P6 2 1 255\n\1\2\3", 14);
  if (mkdir("folder.ppm", 0777) != 0) return -1;
  files_before = files_here();
  return 0;
}

TEST(test_help_to_a_full_disk) {
  static const char *const options[] = {"--help", "--knobs", "--version", "--usage"};
  for (size_t i = 0; i < COUNT_OF(options); i++) {
    const char *const command = text_of("%s %s >/dev/full", versions.gl_pathv[0], options[i]);
    const Outcome outcome = RUN("/bin/sh", "-c", command);
    expect_refusal(command, &outcome, 2, "cannot write to standard output: No space left");
  }
}

RUN_TESTS("HW4, bad input", set_up, forget_programs)
