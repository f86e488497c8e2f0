// KNOB=VALUE: what it sets, and the sentence for each mistake.
#include "tests/unit.h"

#include "common/knobs.h"
#include "harness/versions/version_check.h"

static const char *const no_stages[] = {NULL};
static const SortKnob knobs[] = {
    {.name = "block", .default_value = 64, .min = 32, .max = 128, .meaning = ""},
    {.name = "blockSize", .default_value = 0, .min = -2, .max = 2, .meaning = ""},
    {0}};
static const SortVersion version = {.name = "two", .stages = no_stages, .knobs = knobs};
static const SortVersion without = {.name = "none", .stages = no_stages, .knobs = &knobs[2]};

TEST(test_right) {
  Message message;
  knobs_begin(&version);
  assert_true(knob_option(&version, "block=32", &message));
  assert_true(knob_option(&version, "blockSize=-2", &message));
  assert_int_equal(knob("block"), 32);
  assert_int_equal(knob("blockSize"), -2);
  assert_true(knob_option(&version, "block=128", &message));
  assert_int_equal(knob("block"), 128);
}

static void expect_refusal(const SortVersion *of, const char *assignment, const char *sentence) {
  Message message;
  knobs_begin(of);
  assert_false(knob_option(of, assignment, &message));
  assert_string_equal(message.text, sentence);
}

TEST(test_wrong) {
  expect_refusal(&version, "block", "'block' is not of the form KNOB=VALUE");
  expect_refusal(&version, "=3", "'=3' is not of the form KNOB=VALUE");
  expect_refusal(&version, "block=", "'block=' is not of the form KNOB=VALUE");
  expect_refusal(&version, "blocks=32", "two has no knob 'blocks'; it has block, blockSize");
  expect_refusal(&without, "block=32", "none has no knob 'block'");
  static const char *const values[] = {"31", "129", "64x", "x", "1e2", "99999999999999999999"};
  for (size_t i = 0; i < COUNT_OF(values); i++) {
    char assignment[64], sentence[128];
    snprintf(assignment, sizeof assignment, "block=%s", values[i]);
    snprintf(sentence, sizeof sentence, "knob block takes a whole number from 32 to 128, not '%s'",
             values[i]);
    expect_refusal(&version, assignment, sentence);
    assert_int_equal(knob("block"), 64);
  }
}

RUN_TESTS("knob_option", NULL, NULL)
