// Command-line pieces: the text KNOB=VALUE that --set takes.
#ifndef HARNESS_KNOB_OPTION_H
#define HARNESS_KNOB_OPTION_H

#include "common/your_sort.h"
#include "harness/process/message.h"

#ifdef __cplusplus
extern "C" {
#endif

// Sets a knob of `version`, the one of knobs_begin(), from text such as "blockSize=512". Returns
// false and a sentence with the valid names or values if the text is malformed, the version has no
// such knob, or the value is out of range.
bool knob_option(const SortVersion *version, const char *assignment, Message *message);

#ifdef __cplusplus
}
#endif
#endif
