// Sentences for the user: how every function of harness/ says what went wrong, and how a program
// ends because of it.
#ifndef HARNESS_MESSAGE_H
#define HARNESS_MESSAGE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// One sentence without a full stop; empty if nothing went wrong. Longer text is cut off.
typedef struct Message {
  char text[1024];
} Message;

// Writes the sentence and returns false, so that a function that failed can end with
//   return message_fail(message, "%s cannot be read: %s", path, strerror(errno));
__attribute__((format(printf, 2, 3))) bool message_fail(Message *message, const char *format, ...);

// Prints "PROGRAM: sentence" on stderr, after what stdout still holds, and ends the program with
// one of the exit codes of common/check.h.
__attribute__((noreturn, format(printf, 2, 3))) void quit(int code, const char *format, ...);

#ifdef __cplusplus
}
#endif
#endif
