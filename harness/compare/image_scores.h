// compare --image: an image's red-eye scores as keys.
#ifndef HARNESS_COMPARE_IMAGE_SCORES_H
#define HARNESS_COMPARE_IMAGE_SCORES_H

#include "harness/input/input_file.h"

// Runs the program red_eye_scores, which lies beside this one, on "IMAGE,TEMPLATE" and maps what it
// writes. A process of its own: the scores are computed by many threads, and compare forks later,
// which is safe only without threads. Ends the program with EXIT_USAGE or EXIT_DEVICE on a failure.
InputFile image_scores(const char *image_and_template);

#endif
