// Error messages: written by functions, and printed at the end of a program.
#include "tests/unit.h"

#include "harness/process/message.h"

TEST(test_fail) {
  Message message = {.text = "an earlier sentence, longer than the next"};
  assert_false(message_fail(&message, "%s holds %d keys", "a.npy", 3));
  assert_string_equal(message.text, "a.npy holds 3 keys");
}

TEST(test_cut_off) {
  Message message;
  assert_false(message_fail(&message, "%*s|", (int)sizeof message.text - 2, "x"));
  assert_int_equal(strlen(message.text), sizeof message.text - 1);
  assert_int_equal(message.text[sizeof message.text - 2], '|');
  // Of a longer one, the beginning and the end.
  assert_false(message_fail(&message, "'%05000d' is too long", 1));
  assert_int_equal(strlen(message.text), sizeof message.text - 1);
  assert_int_equal(strncmp(message.text, "'000", 4), 0);
  assert_non_null(strstr(message.text, "0 ... 0"));
  assert_non_null(strstr(message.text, "01' is too long"));
}

TEST(test_control_characters) {
  Message message;
  message_write(&message, "'a\033[2J\r\n\177\302\233b' \303\244");
  assert_string_equal(message.text, "'a?[2J?????b' \303\244");
}

// stdout and stderr to the same place: the buffered line must come first.
static void quit_after_a_line(void) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  printf("half of the result\n");
  quit(EXIT_USAGE, "no file is called '%s'", "x\033[2J");
}

TEST(test_quit) {
  expect_exit(EXIT_USAGE, "half of the result\ntest_message: no file is called 'x?[2J'\n",
              quit_after_a_line);
}

RUN_TESTS("message", NULL, NULL)
