// The homework from the two images to the picture without red eyes.
#ifndef HW4_RUN_H
#define HW4_RUN_H

#include "harness/hw4/options.h"
#include "harness/version_list.h"

// Loads the images, scores the pixels, sorts the scores with the version, and prints its times and
// the verdict. Saves the mended picture only if the sort was right, and returns whether it was.
// Errors end the program with a sentence on stderr: exit code 2 for unreadable or unfit images, 3
// for a failure of device or memory.
bool hw4_run(const Options *options, const LoadedVersion *version);

#endif
