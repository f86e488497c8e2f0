// The homework from the two images to the picture without red eyes.
#ifndef HW4_RUN_H
#define HW4_RUN_H

#include "harness/hw4/options.h"
#include "harness/judge/sorter.h"

// Loads the images, scores the pixels, lets the sorter sort the scores, and prints the times, what
// the battery did, and the verdict, each judged here. Saves the mended picture only if the image
// was sorted right; returns whether everything was. Errors end the program with a sentence on
// stderr: exit code 2 for unreadable or unfit images, 3 for a failure of device or memory, a crash
// and a hang. The sorter has been started; it is gone afterwards.
bool hw4_run(const Options *options, Sorter *sorter);

#endif
