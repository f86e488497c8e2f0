#include "scripts/canvas.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/process/message.h"
#include "harness/process/save_file.h"

// A filled outline, a stroke along an open line, or an ellipse round a centre (one point).
// coverage() computes the part of the pixel at a point that it covers.
typedef struct {
  Line line;
  bool closed;
  double feather;   // width of the soft border, in pixels; of an ellipse, as a part of its radius
  double width[3];  // of a stroke: at its start, middle and end
  Point radius;     // of an ellipse
} Shape;

static struct {
  int width, height;
  double colour[MAX_PIXELS][3];  // red, green, blue, 0..255
  double clip[MAX_PIXELS];       // how much of each pixel may be painted, 0..1
  Point origin;                  // where the drawing's (0, 0) lies
  double mirror;                 // 1, or -1 to draw the left-right mirror image
} canvas;

double clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

static double smooth(double value) {
  value = clamp(value, 0, 1);
  return value * value * (3 - 2 * value);
}

double mix(double a, double b, double part) { return a + (b - a) * part; }

double noise(int n) {
  uint32_t bits = (uint32_t)n;
  bits = (bits ^ (bits >> 16)) * 0x7feb352du;
  bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
  return (bits ^ (bits >> 16)) / 4294967296.0;
}

void place(double x, double y, double mirror) {
  canvas.origin = (Point){x, y};
  canvas.mirror = mirror;
}

static Point to_pixels(double x, double y) {
  return (Point){canvas.origin.x + canvas.mirror * x, canvas.origin.y + y};
}

Line curve(Joining joining, const Point *knots, size_t count) {
  Point all[32];
  int n = 0;
  for (size_t i = 0; i < count; i++) all[n++] = to_pixels(knots[i].x, knots[i].y);
  for (size_t i = count; joining == SYMMETRIC && i-- > 0;)
    if (knots[i].x != 0) all[n++] = to_pixels(-knots[i].x, knots[i].y);

  Line line = {0};
  for (int i = 0; i < (joining == OPEN ? n - 1 : n); i++) {
    Point b = all[i], c = all[(i + 1) % n];
    Point a = joining == OPEN && i == 0 ? b : all[(i + n - 1) % n];
    Point d = joining == OPEN && i == n - 2 ? c : all[(i + 2) % n];
    for (int step = 0; step < CURVE_STEPS; step++) {
      double t = (double)step / CURVE_STEPS, tt = t * t, ttt = tt * t;
      double wa = -ttt + 2 * tt - t, wb = 3 * ttt - 5 * tt + 2;
      double wc = -3 * ttt + 4 * tt + t, wd = ttt - tt;
      line.point[line.count++] = (Point){(wa * a.x + wb * b.x + wc * c.x + wd * d.x) / 2,
                                         (wa * a.y + wb * b.y + wc * c.y + wd * d.y) / 2};
    }
  }
  if (joining == OPEN) line.point[line.count++] = all[n - 1];
  return line;
}

// Distance from p to the border of a filled outline or a stroke, negative inside. A ray from inside
// an outline to the right crosses it an odd number of times.
static double border_distance(const Shape *shape, Point p) {
  const double *width = shape->width;
  double nearest = 1e9, sign = 1;
  double reach = 2 * shape->feather + fmax(width[0], fmax(width[1], width[2]));
  int count = shape->line.count;
  for (int i = shape->closed ? 0 : 1; i < count; i++) {
    Point a = shape->line.point[i], b = shape->line.point[i ? i - 1 : count - 1];
    if (!shape->closed && fabs(2 * p.y - a.y - b.y) > fabs(a.y - b.y) + reach) continue;
    double dx = b.x - a.x, dy = b.y - a.y, squared = dx * dx + dy * dy;
    double part = clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / fmax(squared, 1e-9), 0, 1);
    double ex = p.x - a.x - part * dx, ey = p.y - a.y - part * dy;
    double t = (i - part) / (count - 1), s = 1 - t;
    double here = s * s * width[0] + 2 * s * t * width[1] + t * t * width[2];
    nearest = fmin(nearest, sqrt(ex * ex + ey * ey) - here / 2);
    if (shape->closed && (a.y > p.y) != (b.y > p.y) && p.x < dx * (p.y - a.y) / dy + a.x)
      sign = -sign;
  }
  return sign * nearest;
}

static double coverage(const Shape *shape, Point p) {
  if (shape->line.count > 1) return smooth(0.5 - border_distance(shape, p) / shape->feather);
  double u = (p.x - shape->line.point[0].x) / shape->radius.x;
  double v = (p.y - shape->line.point[0].y) / shape->radius.y;
  double pixel = 0.7 / fmin(shape->radius.x, shape->radius.y);  // no stairs even without feather
  return smooth((1 + pixel - sqrt(u * u + v * v)) / (2 * pixel + shape->feather));
}

static void paint(const Shape *shape, int colour, double opacity) {
  double left = 1e9, right = 0, top = 1e9, bottom = 0;
  double reach = shape->feather + 2 + fmax(shape->radius.x, shape->radius.y) +
                 fmax(shape->width[0], fmax(shape->width[1], shape->width[2]));
  for (int i = 0; i < shape->line.count; i++) {
    left = fmin(left, shape->line.point[i].x - reach);
    right = fmax(right, shape->line.point[i].x + reach);
    top = fmin(top, shape->line.point[i].y - reach);
    bottom = fmax(bottom, shape->line.point[i].y + reach);
  }
  for (int y = (int)fmax(top, 0); y < fmin(bottom, canvas.height); y++)
    for (int x = (int)fmax(left, 0); x < fmin(right, canvas.width); x++) {
      double part = canvas.clip[y * canvas.width + x], *pixel = canvas.colour[y * canvas.width + x];
      if (part > 0) part *= opacity * coverage(shape, (Point){x, y});
      for (int c = 0; c < 3; c++) pixel[c] = mix(pixel[c], colour >> (16 - 8 * c) & 255, part);
    }
}

void fill(Line outline, double feather, int colour, double opacity) {
  paint(&(Shape){.line = outline, .closed = true, .feather = feather}, colour, opacity);
}

void stroke(Line line, double start, double middle, double end, double feather, int colour,
            double opacity) {
  Shape shape = {.line = line, .feather = feather, .width = {start, middle, end}};
  paint(&shape, colour, opacity);
}

void ellipse(double x, double y, double radius_x, double radius_y, double feather, int colour,
             double opacity) {
  Line centre = {1, {to_pixels(x, y)}};
  Shape shape = {.line = centre, .feather = feather, .radius = {radius_x, radius_y}};
  paint(&shape, colour, opacity);
}

void end_clip(void) {
  for (int i = 0; i < canvas.width * canvas.height; i++) canvas.clip[i] = 1;
}

void start_picture(int width, int height) {
  canvas.width = width;
  canvas.height = height;
  end_clip();
}

void begin_body(Line outline, int colour, int shade, double depth, Point light) {
  fill(outline, 1.4, shade, 1);
  Shape inside = {.line = outline, .closed = true, .feather = 1.4};
  for (int i = 0; i < canvas.width * canvas.height; i++)
    canvas.clip[i] = coverage(&inside, (Point){i % canvas.width, i / canvas.width});
  for (int i = 0; i < outline.count; i++) {
    outline.point[i].x += light.x;
    outline.point[i].y += light.y;
  }
  fill(outline, 2 * depth, colour, 1);
}

void write_ppm(const char *directory, const char *name) {
  char path[4096];
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  if (length < 0 || length >= (int)sizeof path)
    quit(EXIT_UNWRITABLE, "the path is too long: %s", directory);
  SaveFile file;
  Message message;
  if (!save_file_open(path, &file, &message)) quit(EXIT_UNWRITABLE, "%s", message.text);
  fprintf(file.stream, "P6\n%d %d\n255\n", canvas.width, canvas.height);
  for (int i = 0; i < canvas.width * canvas.height; i++) {
    double grain = 3 * (noise(i) - noise(-i));
    for (int c = 0; c < 3; c++)
      putc((int)(clamp(canvas.colour[i][c] + grain, 0, 255) + 0.5), file.stream);
  }
  // A failed write leaves its mark on the stream; the commit reports it.
  if (!save_file_commit(&file, &message)) quit(EXIT_UNWRITABLE, "%s", message.text);
}
