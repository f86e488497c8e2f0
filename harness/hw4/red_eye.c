#include "harness/hw4/red_eye.h"

#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/measure/clock.h"
#include "harness/verdict/trial.h"

// Scores must have the same bits on every machine and with any number of threads: each pixel's sums
// are added in float, in the order of the template's rows, by one thread.

// Pixels of a row that are scored together. They are independent, so the compiler puts several into
// a vector register; their sums fit into the first-level cache.
enum { TILE = 64 };

// The template's size, and its extent to the left of and above the pixel.
typedef struct Window {
  size_t width, height, left, above;
} Window;

// One channel of the image, extended on each side by copies of its edge to cover every window.
typedef struct Channel {
  size_t width, height;
  float *pixels;
} Channel;

// One channel of the template, minus its mean.
typedef struct Pattern {
  float *deviations;
  float squares;  // the sum of their squares
} Pattern;

// All memory that scoring needs, allocated at once.
typedef struct Workspace {
  Window window;
  Channel channel;
  Pattern pattern;
  float *scores;
  float *means;  // of each pixel's window
} Workspace;

static void workspace_free(Workspace *work) {
  free(work->channel.pixels);
  free(work->pattern.deviations);
  free(work->scores);
  free(work->means);
}

static Workspace workspace_create(const Image *image, const Image *eye) {
  const size_t width = (size_t)image->width, height = (size_t)image->height;
  Workspace work = {.window = {.width = (size_t)eye->width,
                               .height = (size_t)eye->height,
                               .left = ((size_t)eye->width - 1) / 2,
                               .above = ((size_t)eye->height - 1) / 2}};
  work.channel.width = width + work.window.width - 1;
  work.channel.height = height + work.window.height - 1;
  work.channel.pixels = host_memory(work.channel.width * work.channel.height, sizeof(float));
  work.pattern.deviations = host_memory(work.window.width * work.window.height, sizeof(float));
  work.scores = host_memory(width * height, sizeof(float));
  work.means = host_memory(width * height, sizeof(float));
  return work;
}

// ---- one channel -------------------------------------------------------------------------------

static size_t clamp(size_t value, size_t low, size_t high) {
  return value < low ? low : value > high ? high : value;
}

static void load_channel(Workspace *work, const Image *image, int colour) {
  const Channel *const channel = &work->channel;
  const size_t left = work->window.left, above = work->window.above;
  const size_t width = (size_t)image->width, height = (size_t)image->height;
#pragma omp parallel for schedule(static)
  for (size_t y = 0; y < channel->height; y++) {
    const size_t image_y = clamp(y, above, above + height - 1) - above;
    for (size_t x = 0; x < channel->width; x++) {
      const size_t image_x = clamp(x, left, left + width - 1) - left;
      channel->pixels[y * channel->width + x] =
          (float)image->rgb[(image_y * width + image_x) * 3 + (size_t)colour];
    }
  }
}

static void load_pattern(Pattern *pattern, const Image *eye, int colour) {
  const size_t count = (size_t)eye->width * (size_t)eye->height;
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += eye->rgb[i * 3 + (size_t)colour];
  const float mean = (float)sum / (float)count;
  pattern->squares = 0.0f;
  for (size_t i = 0; i < count; i++) {
    const float deviation = (float)eye->rgb[i * 3 + (size_t)colour] - mean;
    pattern->deviations[i] = deviation;
    pattern->squares += deviation * deviation;
  }
}

// Computes the means of the windows around the pixels of one row. The sums are of integers, so
// their order does not matter. `columns` holds a row of the channel.
static void row_means(const Workspace *work, size_t y, size_t width, int64_t *columns) {
  const Channel *const channel = &work->channel;
  memset(columns, 0, channel->width * sizeof *columns);
  for (size_t row = y; row < y + work->window.height; row++)
    for (size_t x = 0; x < channel->width; x++)
      columns[x] += (int)channel->pixels[row * channel->width + x];
  const float count = (float)(work->window.width * work->window.height);
  int64_t sum = 0;
  for (size_t x = 0; x + 1 < work->window.width; x++) sum += columns[x];
  for (size_t x = 0; x < width; x++) {
    sum += columns[x + work->window.width - 1];
    work->means[y * width + x] = (float)sum / count;
    sum -= columns[x];
  }
}

static void all_means(const Workspace *work, size_t width, size_t height) {
#pragma omp parallel
  {
    int64_t *const columns = host_memory(work->channel.width, sizeof *columns);
#pragma omp for schedule(static)
    for (size_t y = 0; y < height; y++) row_means(work, y, width, columns);
    free(columns);
  }
}

// Correlates the windows around `count` neighbouring pixels with the pattern. `pixels` points to
// the window of the first, `pitch` is the channel's width.
static void correlate_tile(const float *restrict pixels, size_t pitch, const Window *window,
                           const Pattern *pattern, const float *restrict means, size_t count,
                           float *restrict correlations) {
  float numerators[TILE] = {0}, squares[TILE] = {0};
  const float *deviation = pattern->deviations;
  for (size_t row = 0; row < window->height; row++)
    for (size_t column = 0; column < window->width; column++, deviation++) {
      const float *const restrict pixel = pixels + row * pitch + column;
      for (size_t i = 0; i < count; i++) {
        const float difference = pixel[i] - means[i];
        numerators[i] += pixel[i] * *deviation;
        squares[i] += difference * difference;
      }
    }
  for (size_t i = 0; i < count; i++) {
    const float denominator = sqrtf(squares[i] * pattern->squares);
    correlations[i] = denominator == 0.0f ? 0.0f : numerators[i] / denominator;
  }
}

// The line on a terminal that shows the time left, for images that take longer than a second.
typedef struct Progress {
  size_t done, all;    // tiles
  double start, last;  // seconds_now(): of the start, and of the last line
} Progress;

// Any thread may call it; the first one writes, at most twice a second.
static void progress_step(Progress *progress) {
  size_t done;
#pragma omp atomic capture
  done = ++progress->done;
  if (omp_get_thread_num() != 0 || !isatty(STDERR_FILENO)) return;
  const double now = seconds_now();
  if (now - progress->last < 0.5 || now - progress->start < 1.0) return;
  progress->last = now;
  const int left = (int)((now - progress->start) * (double)(progress->all - done) / (double)done);
  fprintf(stderr, "\r\033[K%s: scores, %.0f%%, %d:%02d left", program_invocation_short_name,
          100.0 * (double)done / (double)progress->all, left / 60, left % 60);
}

// Multiplies every score by the channel's correlation.
static void score_channel(const Workspace *work, size_t width, size_t height, Progress *progress) {
  const size_t tiles = (width + TILE - 1) / TILE;
  const size_t pitch = work->channel.width;
#pragma omp parallel for collapse(2) schedule(static)
  for (size_t y = 0; y < height; y++)
    for (size_t tile = 0; tile < tiles; tile++) {
      const size_t x = tile * TILE;
      const size_t count = width - x < TILE ? width - x : TILE;
      float correlations[TILE];
      correlate_tile(work->channel.pixels + y * pitch + x, pitch, &work->window, &work->pattern,
                     work->means + y * width + x, count, correlations);
      for (size_t i = 0; i < count; i++) work->scores[y * width + x + i] *= correlations[i];
      progress_step(progress);
    }
}

// ---- all scores --------------------------------------------------------------------------------

// Subtracts the smallest score: the bits of floats >= 0 are in the order of the floats.
static void make_keys(const float *scores, size_t count, uint32_t *keys) {
  float smallest = scores[0];
  for (size_t i = 1; i < count; i++) smallest = scores[i] < smallest ? scores[i] : smallest;
  for (size_t i = 0; i < count; i++) {
    const float score = scores[i] - smallest + 0.0f;  // -0, whose bits would come last, becomes 0
    memcpy(&keys[i], &score, sizeof score);
  }
}

void red_eye_scores(const Image *image, const Image *eye_template, uint32_t *keys) {
  enum { MOST_THREADS = 1024 };  // OpenMP's runtime keeps a table of them on the stack
  if (omp_get_max_threads() > MOST_THREADS) omp_set_num_threads(MOST_THREADS);
  const size_t width = (size_t)image->width, height = (size_t)image->height;
  Workspace work = workspace_create(image, eye_template);
  for (size_t i = 0; i < width * height; i++) work.scores[i] = 1.0f;
  Progress progress = {.all = 3 * height * ((width + TILE - 1) / TILE), .start = seconds_now()};
  for (int colour = 0; colour < 3; colour++) {
    load_channel(&work, image, colour);
    load_pattern(&work.pattern, eye_template, colour);
    all_means(&work, width, height);
    score_channel(&work, width, height, &progress);
  }
  if (progress.last > 0.0) fputs("\r\033[K", stderr);
  make_keys(work.scores, width * height, keys);
  workspace_free(&work);
}

// ---- the best pixels ---------------------------------------------------------------------------

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

void red_eye_settle_ties(const uint32_t *keys, uint32_t *positions, size_t n, size_t count) {
  size_t first = n - count, end = first;
  while (first > 0 && keys[first - 1] == keys[n - count]) first--;
  while (end < n && keys[end] == keys[n - count]) end++;
  qsort(positions + first, end - first, sizeof *positions, ascending);
}

void red_eye_remove(Image *image, const uint32_t *positions, size_t count) {
  const int half = RED_EYE_PATCH_HALF;
  for (size_t i = 0; i < count; i++) {
    const int x = (int)(positions[i] % (uint32_t)image->width);
    const int y = (int)(positions[i] / (uint32_t)image->width);
    const int right = x < image->width - half ? x + half : image->width - 1;
    const int bottom = y < image->height - half ? y + half : image->height - 1;
    for (int row = y > half ? y - half : 0; row <= bottom; row++)
      for (int column = x > half ? x - half : 0; column <= right; column++) {
        unsigned char *const pixel =
            image->rgb + ((size_t)row * (size_t)image->width + (size_t)column) * 3;
        pixel[0] = (unsigned char)((pixel[1] + pixel[2]) / 2);
      }
  }
}
