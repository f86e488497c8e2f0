#include "harness/compare/worker_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/compare/progress.h"
#include "harness/process/printable.h"

// Lines that only add to the one before: empty ones, indented ones, as in the findings of the cpu
// backend, and "==PID==ABORTING", which a sanitizer writes after its summary.
static bool says_nothing(const char *line, size_t length) {
  return length == 0 || line[0] == ' ' || (length > 2 && memcmp(line, "==", 2) == 0);
}

// Remembers the last line of text[length] that says something.
static void remember(WorkerText *to, const char *text, size_t length) {
  for (size_t end = length, start; end > 0; end = start) {
    while (end > 0 && text[end - 1] == '\n') end--;
    start = end;
    while (start > 0 && text[start - 1] != '\n') start--;
    if (says_nothing(text + start, end - start)) continue;
    snprintf(to->last_line, sizeof to->last_line, "%.*s", (int)(end - start), text + start);
    return;
  }
}

bool worker_text_pass_on(WorkerText *text, int from) {
  // A process that escaped from the worker's group may write for ever.
  for (int part = 0; part < 64; part++) {
    char bytes[4096];
    const ssize_t length = read(from, bytes, sizeof bytes);
    if (length < 0) return errno == EINTR || errno == EAGAIN;
    if (length == 0) return false;
    progress_clear();
    printable_text(bytes, (size_t)length);
    fwrite(bytes, 1, (size_t)length, stderr);
    remember(text, bytes, (size_t)length);
  }
  return true;
}
