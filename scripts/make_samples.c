// make_samples OUTDIR: draws OUTDIR/portrait.ppm (424 x 520), a person whose pupils a camera flash
// has turned red, and OUTDIR/template.ppm (33 x 33), one such eye, for the red-eye removal program.
// The light comes from the upper left. scripts/canvas.h paints.
#include <math.h>
#include <stddef.h>

#include "harness/process/message.h"
#include "scripts/canvas.h"

enum { WIDTH = 424, HEIGHT = 520, TEMPLATE_SIZE = 33 };

enum { SKIN = 0xF3C8A8, SHADE = 0xBC7A58, DEEP = 0x9A553E, LIGHT = 0xFFEAD6, LASH = 0x2A2826 };

// One eye; x grows towards the temple. Near the pupil all but the red itself keeps
// red = (green + blue) / 2, so that removing the red leaves no other mark: the green iris, the
// grey-white of the eye and the grey lashes. There the eye is also the mirror image of the other
// one, so that a single template suits both.
static void draw_eye(double x, double y, double mirror) {
  place(x, y, mirror);
  Line lid = CURVE(OPEN, {-37, 9}, {-28, -3}, {-16, -13}, {0, -16}, {16, -13}, {29, -5}, {43, 0});
  ellipse(2, -14, 46, 26, 0.9, SHADE, 0.5);  // eye socket
  ellipse(-2, 24, 34, 12, 0.9, SHADE, 0.25);
  // The upper lid, its crease, and the lower lid.
  ellipse(3, -22, 26, 5, 0.9, LIGHT, 0.35);
  stroke(CURVE(OPEN, {-33, -8}, {-17, -22}, {3, -27}, {24, -23}, {42, -12}), 0.5, 3, 0.5, 2, DEEP,
         0.7);
  stroke(CURVE(OPEN, {39, 1}, {29, 9}, {16, 15}, {0, 17}, {-16, 15}, {-28, 11}), 0.5, 4, 0.5, 3,
         0xDDA085, 0.8);

  begin_body(CURVE(CLOSED, {-36, 8}, {-28, -3}, {-16, -13}, {0, -16}, {16, -13}, {29, -5}, {39, 1},
                   {29, 9}, {16, 15}, {0, 17}, {-16, 15}, {-28, 11}),
             0xF0F2EE, 0x5E6260, 8, (Point){0, 5});
  ellipse(-36, 9, 9, 6, 0.7, 0xD98C80, 0.9);     // inner corner
  ellipse(0, 0, 17.6, 17.6, 0.12, 0x2C3424, 1);  // rim of the iris
  ellipse(0, 0, 15.8, 15.8, 0.25, 0x6A8054, 1);  // iris
  for (int i = 0; i < 64; i++) {                 // its fibres
    double dy = 2 * noise(i / 2 + 1) - 1, dx = sqrt(1 - dy * dy) * (i % 2 ? 1 : -1);
    Line fibre = CURVE(OPEN, {8 * dx, 8 * dy}, {14 * dx, 14 * dy});
    stroke(fibre, 1.2, 0.8, 0.2, 1, i % 6 < 4 ? 0x9CB484 : 0x4A5C38, 0.5);
  }
  ellipse(0, 8, 10, 6, 0.9, 0xA8C088, 0.45);
  ellipse(0, 0, 11, 11, 0.25, 0xA01820, 0.7);  // the red pupil, brighter inside
  ellipse(0, 0, 9.7, 9.7, 0.15, 0xD81C22, 1);
  ellipse(0, 1, 8, 8, 0.9, 0xFF3A30, 0.9);
  ellipse(mirror * -4, -5, 2.6, 2.6, 0.2, 0xFFFFFF, 1);  // the flash, on the same side
  ellipse(mirror * 5, 6, 1.6, 1.6, 0.6, 0xFFFFFF, 0.6);  // in both eyes
  end_clip();

  stroke(lid, 1, 6, 2, 1.4, LASH, 1);
  for (int i = 0; i < 10; i++) {  // lashes grow longer and lean more towards the temple
    Point root = lid.point[18 + 2 * i];
    double dx = mirror * (1 + 0.6 * i), dy = -4 - 0.2 * i;
    Line lash = {3, {root, {root.x + 0.6 * dx, root.y + 0.4 * dy}, {root.x + dx, root.y + dy}}};
    stroke(lash, 2.6, 1.6, 0.2, 1.2, LASH, 0.85);
  }
  Line brow = CURVE(OPEN, {-33, -37}, {-16, -46}, {10, -52}, {32, -48}, {50, -36});
  stroke(brow, 6, 12, 1, 5, 0x6A4430, 0.8);
  for (int i = 0; i < 72; i++) {  // single hairs, flatter towards the temple
    double hx = brow.point[i / 3].x, thick = 4.5 - 0.045 * i;
    double hy = brow.point[i / 3].y + thick * (1.6 * noise(i + 300) - 0.5);
    Line hair = {2, {{hx, hy}, {hx + mirror * 6, hy - 4.5 + 0.1 * i}}};
    stroke(hair, 1.4, 1.2, 0.3, 1.2, i % 2 ? 0x3C2218 : 0x55331F, 0.5);
  }
}

static void draw_background(void) {
  ellipse(0, 260, 9999, 9999, 0, 0x405880, 1);
  ellipse(-82, 170, 420, 480, 1, 0xB4CCDA, 1);
  for (int i = 0; i < 160; i += 10) {  // party lights, out of focus
    double radius = 14 + 24 * noise(i + 7), x = 424 * noise(i + 8) - 212, y = 400 * noise(i + 9);
    ellipse(x, y, radius, radius, 0.15, i % 3 ? 0xFFF0CC : 0xE2F4FF, 0.1 + 0.15 * noise(i + 10));
  }
}

// A lock of hair between an outer and an inner guide: a body, and strands that follow both.
static void draw_lock(int strands, int seed, Line outer, Line inner) {
  static const int tones[] = {0x2A170F, 0x3A2116, 0x5E3823, 0x784A2C, 0x9C6A40, 0xC08C58};
  Line body = outer;
  for (int i = inner.count - 1; i >= 0; i--) body.point[body.count++] = inner.point[i];
  stroke(inner, 6, 8, 4, 14, 0x6A3A28, 0.5);  // shadow on the skin
  fill(body, 2, 0x452718, 1);
  for (int n = seed; n < seed + 4 * strands; n += 4) {
    double across = noise(n), drift = 0.16 * (noise(n + 1) - 0.5), start = noise(n + 2) * 0.6;
    double shine = 1 - fabs(start - 0.2) * 4;  // light catches the hair where the lock bends
    int first = (int)(start * outer.count), last = first + outer.count / 2;
    Line strand = {0};
    for (int k = first; k <= last && k < outer.count; k++) {
      Point a = outer.point[k], b = inner.point[k];
      double part = clamp(across + drift * k / outer.count, 0.02, 0.98);
      strand.point[strand.count++] = (Point){mix(a.x, b.x, part), mix(a.y, b.y, part)};
    }
    int tone = (int)clamp(noise(n + 3) * (4 + 2 * shine) - 0.6 * across, 0, 5);
    stroke(strand, 0.3, 3.5, 0.3, 1.6, tones[tone], 0.45);
  }
}

static void draw_face(void) {
  begin_body(CURVE(SYMMETRIC, {0, 96}, {58, 104}, {98, 145}, {112, 210}, {110, 275}, {100, 335},
                   {77, 386}, {44, 420}, {0, 432}),
             SKIN, 0xB06A48, 48, (Point){-12, -8});
  ellipse(-16, 165, 80, 50, 0.95, LIGHT, 0.6);   // forehead
  ellipse(-62, 318, 40, 26, 0.95, LIGHT, 0.35);  // cheeks
  ellipse(-64, 322, 42, 30, 0.95, 0xEE8F7C, 0.45);
  ellipse(64, 322, 42, 30, 0.95, 0xE6846F, 0.45);
  ellipse(0, 408, 26, 14, 0.95, LIGHT, 0.4);    // chin
  ellipse(0, 334, 34, 12, 0.9, 0xB06E52, 0.6);  // shadow of the nose
  ellipse(0, 401, 30, 8, 0.9, SHADE, 0.7);      // shadow of the lips, then the lips
  fill(CURVE(SYMMETRIC, {0, 365}, {8, 361.5}, {26, 362}, {52, 358}, {28, 370}, {0, 375}), 2,
       0xB65F5A, 1);
  fill(CURVE(SYMMETRIC, {0, 375}, {28, 370}, {50, 359}, {34, 381}, {14, 391}, {0, 393}), 2,
       0xCC7870, 1);
  ellipse(-4, 383, 22, 5, 0.9, 0xF6C0B4, 0.7);
  for (int side = -1; side <= 1; side += 2) {
    place(WIDTH / 2, 0, side);
    Line bridge = CURVE(OPEN, {22, 212}, {13, 245}, {14, 285}, {24, 318});
    Line nose_wing = CURVE(OPEN, {21, 305}, {27, 315}, {26, 326}, {17, 329});
    Line smile = CURVE(OPEN, {0, 375}, {28, 370}, {51, 358.5}, {58, 353});
    stroke(bridge, 2, 10, 9, 18, SHADE, side > 0 ? 0.45 : 0.25);
    stroke(nose_wing, 0.5, 4, 1, 3, DEEP, 0.6);
    ellipse(11, 329, 7, 3.4, 0.5, 0x6A3024, 0.85);  // nostril
    stroke(smile, 2.5, 2.5, 1, 2, 0x6E2C2C, 0.9);
  }
  ellipse(-3, 270, 8, 52, 0.95, LIGHT, 0.7);
  ellipse(-3, 314, 15, 13, 0.95, LIGHT, 0.7);
  end_clip();
}

static void draw_portrait(void) {
  place(WIDTH / 2, 0, 1);
  draw_background();
  ellipse(0, 400, 90, 130, 0.1, 0x321C12, 1);  // hair behind the neck
  begin_body(
      CURVE(SYMMETRIC, {0, 360}, {50, 370}, {52, 430}, {62, 462}, {100, 485}, {90, 530}, {0, 540}),
      0xE3B08E, SHADE, 40, (Point){-10, 0});
  ellipse(6, 410, 84, 52, 0.6, 0x96573F, 0.75);  // shadow of the chin
  end_clip();
  begin_body(CURVE(SYMMETRIC, {0, 496}, {36, 488}, {64, 468}, {110, 476}, {160, 492}, {200, 530},
                   {204, 580}, {0, 590}),
             0x2F7480, 0x173F4A, 40, (Point){-20, 6});
  end_clip();
  // The ribbed collar.
  Line collar = CURVE(OPEN, {-66, 470}, {-36, 496}, {0, 505}, {36, 496}, {66, 470});
  stroke(collar, 17, 17, 17, 2, 0x3B8591, 1);
  for (int i = 0; i < collar.count; i++) {
    double x = collar.point[i].x, y = collar.point[i].y;
    Line rib = {2, {{x, y - 9}, {mix(x, WIDTH / 2, 0.1), y + 9}}};
    stroke(rib, 1, 2, 1, 2, 0x1F5560, 0.6);
  }
  for (int side = -1; side <= 1; side += 2) {
    place(WIDTH / 2, 0, side);
    draw_lock(300, 3000 + 2000 * side,
              CURVE(OPEN, {0, 50}, {122, 130}, {140, 260}, {155, 370}, {143, 450}, {156, 545}),
              CURVE(OPEN, {0, 60}, {20, 200}, {46, 330}, {47, 400}, {61, 460}, {64, 545}));
    begin_body(CURVE(CLOSED, {104, 248}, {118, 238}, {130, 248}, {129, 275}, {121, 300}, {110, 312},
                     {102, 300}),
               0xEDB595, SHADE, 10, (Point){-3, 0});
    stroke(CURVE(OPEN, {110, 254}, {120, 249}, {123, 262}, {118, 285}, {111, 296}), 1, 5, 1, 3,
           DEEP, 0.8);
    end_clip();
  }
  draw_face();
  draw_eye(150, 250, -1);
  draw_eye(274, 250, 1);
  place(WIDTH / 2, 0, 1);
  draw_lock(240, 7000, CURVE(OPEN, {-36, 33}, {-96, 60}, {-132, 128}, {-141, 215}, {-134, 290}),
            CURVE(OPEN, {-37, 108}, {-66, 126}, {-94, 168}, {-110, 220}, {-116, 262}));
  draw_lock(300, 9000,
            CURVE(OPEN, {-38, 33}, {10, 26}, {98, 60}, {134, 128}, {142, 215}, {134, 290}),
            CURVE(OPEN, {-37, 108}, {-10, 116}, {40, 132}, {86, 166}, {109, 212}, {116, 262}));
}

int main(int argc, char **argv) {
  if (argc != 2) quit(EXIT_UNWRITABLE, "give one argument, the existing directory to write into");
  start_picture(TEMPLATE_SIZE, TEMPLATE_SIZE);
  ellipse(0, 0, 99, 99, 0, SKIN, 1);
  draw_eye(TEMPLATE_SIZE / 2, TEMPLATE_SIZE / 2, 1);
  write_ppm(argv[1], "template.ppm");

  start_picture(WIDTH, HEIGHT);
  draw_portrait();
  write_ppm(argv[1], "portrait.ppm");
  return 0;
}
