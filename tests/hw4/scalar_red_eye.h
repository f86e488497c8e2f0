// A second implementation of the red-eye homework for the tests: pixel by pixel, as it is defined,
// sharing no code with harness/hw4/red_eye.c.
#ifndef TESTS_SCALAR_RED_EYE_H
#define TESTS_SCALAR_RED_EYE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "harness/hw4/image.h"

typedef struct ScalarPixel {
  uint32_t key, position;
} ScalarPixel;

static float scalar_sample(const Image *image, int x, int y, int channel) {
  if (x < 0) x = 0;
  if (y < 0) y = 0;
  if (x > image->width - 1) x = image->width - 1;
  if (y > image->height - 1) y = image->height - 1;
  return (float)image->rgb[((long)y * image->width + x) * 3 + channel];
}

// The mean of the width x height samples from (x0, y0) on; their sum is exact.
static float scalar_mean(const Image *image, int x0, int y0, int width, int height, int channel) {
  uint64_t sum = 0;
  for (int y = y0; y < y0 + height; y++)
    for (int x = x0; x < x0 + width; x++) sum += (uint64_t)scalar_sample(image, x, y, channel);
  return (float)sum / (float)((long)width * height);
}

static float scalar_correlation(const Image *image, const Image *eye, int x, int y, int channel) {
  const int x0 = x - (eye->width - 1) / 2, y0 = y - (eye->height - 1) / 2;
  const float image_mean = scalar_mean(image, x0, y0, eye->width, eye->height, channel);
  const float eye_mean = scalar_mean(eye, 0, 0, eye->width, eye->height, channel);
  float numerator = 0, image_squares = 0, eye_squares = 0;
  for (int j = 0; j < eye->height; j++)
    for (int i = 0; i < eye->width; i++) {
      const float a = scalar_sample(image, x0 + i, y0 + j, channel);
      const float b = scalar_sample(eye, i, j, channel);
      numerator += a * (b - eye_mean);
      image_squares += (a - image_mean) * (a - image_mean);
      eye_squares += (b - eye_mean) * (b - eye_mean);
    }
  const float denominator = sqrtf(image_squares * eye_squares);
  return denominator == 0 ? 0 : numerator / denominator;
}

// One key per pixel, as red_eye_scores().
static void scalar_scores(const Image *image, const Image *eye, uint32_t *keys) {
  const long n = (long)image->width * image->height;
  float *const scores = malloc((size_t)n * sizeof *scores);
  if (scores == NULL) abort();
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    const int x = (int)(i % image->width), y = (int)(i / image->width);
    scores[i] = scalar_correlation(image, eye, x, y, 0) * scalar_correlation(image, eye, x, y, 1) *
                scalar_correlation(image, eye, x, y, 2);
  }
  float smallest = INFINITY;
  for (long i = 0; i < n; i++) smallest = fminf(smallest, scores[i]);
  for (long i = 0; i < n; i++) {
    const float score = scores[i] - smallest;
    memcpy(&keys[i], &score, sizeof score);
    if (score == 0) keys[i] = 0;  // never the bits of -0
  }
  free(scores);
}

static void scalar_remove(Image *image, uint32_t position) {
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      const int from_x = abs(x - (int)(position % (uint32_t)image->width));
      const int from_y = abs(y - (int)(position / (uint32_t)image->width));
      unsigned char *const pixel = image->rgb + ((long)y * image->width + x) * 3;
      if (from_x <= 9 && from_y <= 9) pixel[0] = (unsigned char)((pixel[1] + pixel[2]) / 2);
    }
}

static int scalar_order(const void *a, const void *b) {
  const ScalarPixel *const x = a, *const y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

// Mends the image as HW4 must.
static inline void scalar_mend(Image *image, const Image *eye) {
  const uint32_t n = (uint32_t)image->width * (uint32_t)image->height;
  uint32_t *const keys = malloc(n * sizeof *keys);
  ScalarPixel *const pixels = malloc(n * sizeof *pixels);
  if (keys == NULL || pixels == NULL) abort();
  scalar_scores(image, eye, keys);
  for (uint32_t i = 0; i < n; i++) pixels[i] = (ScalarPixel){keys[i], i};
  qsort(pixels, n, sizeof *pixels, scalar_order);
  for (uint32_t i = n > 40 ? n - 40 : 0; i < n; i++) scalar_remove(image, pixels[i].position);
  free(keys);
  free(pixels);
}

#endif
