// Error messages for the user: how the functions of harness/ return them, and how a program ends
// with one.
#ifndef HARNESS_MESSAGE_H
#define HARNESS_MESSAGE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// One sentence without a full stop, or the end of one where the function says so. Longer text is
// cut off.
typedef struct Message {
  char text[1024];
} Message;

// Writes the sentence.
__attribute__((format(printf, 2, 3))) void message_write(Message *message, const char *format, ...);

// Writes the sentence and returns false, so that a failing function can end with
//   return message_fail(message, "%s cannot be read: %s", path, strerror(errno));
// A macro, so that an analyser of one file sees that it returns false.
#define message_fail(...) (message_write(__VA_ARGS__), message_false())
static inline bool message_false(void) { return false; }

// Prints "PROGRAM: sentence" on stderr, after the buffered output of stdout, and ends the program
// with one of the exit codes of common/check.h.
__attribute__((noreturn, format(printf, 2, 3))) void quit(int code, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
