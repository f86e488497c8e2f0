// A canvas for scripts/make_samples.c: smooth curves, and three ways to paint them.
//
// Only + - * / and sqrt are used, which IEEE 754 rounds the same way everywhere, so every machine
// writes the same bytes; exp, sin or pow may differ in the last bit between C libraries.
#ifndef SCRIPTS_CANVAS_H
#define SCRIPTS_CANVAS_H

#include <stddef.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF  // a fused multiply-add rounds differently; gcc -std=c17 has it off
#endif

enum { MAX_PIXELS = 424 * 520, MAX_POINTS = 128, CURVE_STEPS = 6 };

typedef struct {
  double x, y;
} Point;

typedef struct {
  int count;
  Point point[MAX_POINTS];
} Line;

// ---- numbers ------------------------------------------------------------------------------------

double clamp(double value, double low, double high);
double mix(double a, double b, double part);  // a for part 0, b for part 1

// A fixed pseudo-random number in 0..1 for each n: no seed, no state.
double noise(int n);

// ---- the canvas ---------------------------------------------------------------------------------

// Begins a picture of width x height <= MAX_PIXELS pixels, without a clip.
void start_picture(int width, int height);

// Where the drawing's (0, 0) lies, in pixels; mirror is 1, or -1 to draw the left-right mirror
// image.
void place(double x, double y, double mirror);

// ---- lines --------------------------------------------------------------------------------------

// A smooth (Catmull-Rom) curve through up to 32 knots. SYMMETRIC: the knots are the right half of a
// closed outline, from top to bottom; the left half is added.
typedef enum { OPEN, CLOSED, SYMMETRIC } Joining;
#define CURVE(joining, ...) \
  curve(joining, (const Point[]){__VA_ARGS__}, sizeof((const Point[]){__VA_ARGS__}) / sizeof(Point))
Line curve(Joining joining, const Point *knots, size_t count);

// ---- painting -----------------------------------------------------------------------------------
// Colours are 0xRRGGBB; an opacity of 1 hides the colours below. `feather` is the width of the soft
// border, in pixels; of an ellipse, as a part of its radius.

void fill(Line outline, double feather, int colour, double opacity);

// `start`, `middle` and `end` are its widths in pixels along its length.
void stroke(Line line, double start, double middle, double end, double feather, int colour,
            double opacity);

void ellipse(double x, double y, double radius_x, double radius_y, double feather, int colour,
             double opacity);

// Fills the outline, shaded from its border inwards to `depth` pixels so that it appears round; the
// light shifts the unshaded middle. Until end_clip, painting stays inside the outline.
void begin_body(Line outline, int colour, int shade, double depth, Point light);
void end_clip(void);

// ---- files --------------------------------------------------------------------------------------

enum { EXIT_UNWRITABLE = 2 };

// Writes the picture to DIRECTORY/NAME (harness/process/save_file.h); a failure ends the program
// with EXIT_UNWRITABLE and a sentence. A little grey grain keeps any area from being flat, where a
// normalised correlation means nothing.
void write_ppm(const char *directory, const char *name);

#endif
