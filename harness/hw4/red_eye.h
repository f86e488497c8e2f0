// The homework around the sort (Udacity CS344, Problem Set 4): how much does each pixel look like
// the centre of a red eye, and how is the red taken out of the best ones.
#ifndef HW4_RED_EYE_H
#define HW4_RED_EYE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/hw4/image.h"

enum {
  RED_EYE_PIXELS = 40,     // so many best pixels are mended
  RED_EYE_PATCH_HALF = 9,  // each in a patch of 19 x 19
};

// Writes one key per pixel (height x width, row by row): the bits of its score as a float >= 0,
// which order like the scores. Score: normalised cross-correlation with the template per channel,
// in a window of the template's size whose coordinates are clamped to the image; the product of
// the three channels, minus the smallest of all. Returns false only when memory runs out.
bool red_eye_scores(const Image *image, const Image *eye_template, uint32_t *keys);

// The result of a sort may have equal keys in any order. Reorders those positions whose key equals
// that of the first of the last `count`, such that the last `count` are the same from every sort
// (those that a stable sort would leave there). positions[i] belongs to keys[i], ascending;
// 1 <= count <= n.
void red_eye_settle_ties(const uint32_t *keys, uint32_t *positions, size_t n, size_t count);

// Around each of `count` positions (pixel indices), in a patch clamped to the image, red becomes
// (green + blue) / 2.
void red_eye_remove(Image *image, const uint32_t *positions, size_t count);

#endif
