// Knobs: the run-time tuning parameters that a version declares in sort_version.knobs.
#ifndef COMMON_KNOBS_H
#define COMMON_KNOBS_H

#include "common/your_sort.h"

enum { MAX_KNOBS = 8 };

#ifdef __cplusplus
extern "C" {
#endif

// Called by versions: the present value of the knob `name`. Asking for a knob that the version
// does not declare is a bug in it: reported on stderr, exit code 3.
int knob(const char *name);

// Called by the harness: from now on knob() speaks of `version`, all at their defaults.
void knobs_begin(const SortVersion *version);

// Sets a knob from text: "blockSize=512". Returns true on success; otherwise writes one sentence
// that says what is wrong, and what would be right, into message[message_size].
bool knob_set(const char *assignment, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
