// The homework around the sort (Udacity CS344, Problem Set 4): scores the likeness of each pixel to
// the centre of a red eye, and removes the red around the best pixels.
#ifndef HW4_RED_EYE_H
#define HW4_RED_EYE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/hw4/image.h"

enum {
  RED_EYE_PIXELS = 40,     // number of best pixels that are mended
  RED_EYE_PATCH_HALF = 9,  // around each a patch of 19 x 19
};

// Writes one key per pixel (height x width, row by row): the bits of its score as a float >= 0,
// which order like the scores. Score: normalised cross-correlation with the template per channel,
// in a window of the template's size whose coordinates are clamped to the image; the product of
// the three channels, minus the smallest of all. Without memory the program ends with exit code 3.
void red_eye_scores(const Image *image, const Image *eye_template, uint32_t *keys);

// A sort may leave the positions of equal keys in any order. Sorts the positions of those keys that
// equal the first of the last `count`, so that the last `count` positions are the same set after
// every sort: that of a stable one. positions[i] belongs to keys[i], ascending; 1 <= count <= n.
void red_eye_settle_ties(const uint32_t *keys, uint32_t *positions, size_t n, size_t count);

// Replaces red by (green + blue) / 2 in a patch around each of `count` positions (pixel indices),
// clamped to the image.
void red_eye_remove(Image *image, const uint32_t *positions, size_t count);

#endif
