// Knobs: defaults, setting, finding, and misuse; KNOB=VALUE as options give it, and the sentence
// for each mistake.
#include "tests/unit.h"

#include "common/knobs.h"
#include "harness/versions/version_check.h"

static const char *const no_stages[] = {NULL};
static const SortKnob two[] = {
    {.name = "block", .default_value = 64, .min = 32, .max = 128, .meaning = ""},
    {.name = "blockSize", .default_value = -1, .min = -2, .max = 2, .meaning = ""},
    {0}};
static const SortKnob many[MAX_KNOBS + 2] = {
    {.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "e"},
    {.name = "f"}, {.name = "g"}, {.name = "h"}, {.name = "i"}, {.name = "j"},
    {.name = "k"}, {.name = "l"}, {.name = "m"}};
static const SortVersion with_two = {.name = "two", .stages = no_stages, .knobs = two};
static const SortVersion with_many = {.name = "many", .stages = no_stages, .knobs = many};
static const SortVersion with_none = {.name = "none", .stages = no_stages, .knobs = &two[2]};

static void ask_for_undeclared(void) { (void)knob("blocks"); }
static void declare_too_many(void) { knobs_begin(&with_many); }
static void set_below(void) { knob_set(0, 31); }
static void set_above(void) { knob_set(1, 3); }
static void set_missing(void) { knob_set(2, 0); }

// The first test: no version is set yet.
TEST(test_misuse) {
  expect_exit(EXIT_DEVICE, "no version does not declare a knob 'blocks'", ask_for_undeclared);
  knobs_begin(&with_two);
  expect_exit(EXIT_DEVICE, "two does not declare a knob 'blocks'", ask_for_undeclared);
  expect_exit(EXIT_DEVICE, "many declares more than 12 knobs", declare_too_many);
  expect_exit(EXIT_DEVICE, "block of two takes 32 to 128, not 31", set_below);
  expect_exit(EXIT_DEVICE, "blockSize of two takes -2 to 2, not 3", set_above);
  expect_exit(EXIT_DEVICE, "two has no knob number 2", set_missing);
}

TEST(test_values) {
  Message message;
  knobs_begin(&with_two);
  assert_int_equal(knob("block"), 64);
  assert_int_equal(knob("blockSize"), -1);
  assert_true(knob_option(&with_two, "blockSize=2", &message));
  assert_true(knob_option(&with_two, "block=32", &message));
  assert_int_equal(knob("block"), 32);
  assert_int_equal(knob("blockSize"), 2);
  assert_true(knob_option(&with_two, "blockSize=-2", &message));
  assert_true(knob_option(&with_two, "block=128", &message));
  assert_int_equal(knob("block"), 128);
  assert_int_equal(knob("blockSize"), -2);
  knobs_begin(&with_two);  // back to the defaults
  assert_int_equal(knob("block"), 64);
  assert_int_equal(knob("blockSize"), -1);
}

TEST(test_find) {
  assert_int_equal(knob_find(&with_two, "block", 5), 0);
  assert_int_equal(knob_find(&with_two, "blockSize", 9), 1);
  assert_int_equal(knob_find(&with_two, "blockSize=512", 9), 1);
  assert_int_equal(knob_find(&with_two, "blockSize", 5), 0);
  assert_int_equal(knob_find(&with_two, "blockSize", 8), -1);
  assert_int_equal(knob_find(&with_two, "Block", 5), -1);
  assert_int_equal(knob_find(&with_two, "", 0), -1);
  assert_int_equal(knob_find(&with_none, "block", 5), -1);
}

static void expect_refusal(const SortVersion *of, const char *assignment, const char *sentence) {
  Message message;
  knobs_begin(of);
  assert_false(knob_option(of, assignment, &message));
  assert_string_equal(message.text, sentence);
}

TEST(test_refusals) {
  expect_refusal(&with_two, "block", "'block' is not of the form KNOB=VALUE");
  expect_refusal(&with_two, "=3", "'=3' is not of the form KNOB=VALUE");
  expect_refusal(&with_two, "block=", "'block=' is not of the form KNOB=VALUE");
  expect_refusal(&with_two, "blocks=32", "two has no knob 'blocks'; it has block, blockSize");
  expect_refusal(&with_none, "block=32", "none has no knob 'block'");
  static const char *const values[] = {"31", "129", "64x", "x", "1e2", "99999999999999999999"};
  for (size_t i = 0; i < COUNT_OF(values); i++) {
    expect_refusal(&with_two, text_of("block=%s", values[i]),
                   text_of("knob block takes a whole number from 32 to 128, not '%s'", values[i]));
    assert_int_equal(knob("block"), 64);
  }
}

RUN_TESTS("knobs", NULL, NULL)
