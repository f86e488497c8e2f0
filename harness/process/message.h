// Error messages for the user: how the functions of harness/ return them, and how a program ends
// with one. Text from elsewhere is made printable before it reaches a terminal.
#ifndef HARNESS_MESSAGE_H
#define HARNESS_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// One line: a sentence without a full stop, or the end of one where the function says so.
typedef struct Message {
  char text[1024];
  bool out_of_memory;  // of the host: the program ends with EXIT_DEVICE, not EXIT_USAGE
} Message;

// Writes the sentence, and sets out_of_memory to false. Of a longer text the beginning and the end
// are kept, because a sentence about a path ends with the reason. Control characters become '?'.
__attribute__((format(printf, 2, 3))) void message_write(Message *message, const char *format, ...);
__attribute__((format(printf, 2, 0))) void message_write_list(Message *message, const char *format,
                                                              va_list arguments);

// Writes the sentence and returns false, so that a failing function can end with
//   return message_fail(message, "%s cannot be read: %s", path, strerror(errno));
// A macro, so that an analyser of one file sees that it returns false.
#define message_fail(...) (message_write(__VA_ARGS__), message_false())
static inline bool message_false(void) { return false; }

// Writes "does not fit into memory", sets out_of_memory and returns false.
bool message_out_of_memory(Message *message);

// The exit code that belongs to a message about input: EXIT_USAGE or EXIT_DEVICE.
int message_code(const Message *message);

// Prints "PROGRAM: sentence" on stderr, after the buffered output of stdout, and ends the program
// with one of the exit codes of common/check.h.
__attribute__((noreturn, format(printf, 2, 3))) void quit(int code, const char *format, ...);

// ---- text from elsewhere: file names, a version's strings and output ----------------------------

// Replaces control characters other than line feed and tab by '?', in place: the bytes below 0x20,
// 0x7f, and the control characters U+0080 to U+009F of UTF-8. Valid UTF-8 stays valid.
void printable_text(char *text, size_t length);

// printable_text() for one line of text, which ends with '\0': line feeds and tabs become '?', too.
void printable_line(char *text);

// Copies a line into to[size], cut off where it does not fit: control characters become '?', and
// each byte that is not part of valid UTF-8 becomes \xNN, so that JSON can hold the line.
void printable_utf8(const char *from, char *to, size_t size);

#ifdef __cplusplus
}
#endif
#endif
