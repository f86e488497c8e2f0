#include "harness/diagnose/battery.h"

#include <math.h>
#include <stdio.h>

#include "harness/measure/clock.h"

static const double MORE_SECONDS = 1.5;    // for inputs that may be left out
static const double KNOWN_SORTS = 0.25;    // times a known sort: more for a slow sort
static const double MOST_MORE = 10.0;      // but no more than this
static const double SMALL_SECONDS = 60.0;  // for all small sorts
#ifdef CUDA_CPU_CHECK
static const double LARGE_SECONDS = 5.0;  // a sort that is watched: its size is for other builds
#else
static const double LARGE_SECONDS = 100.0;  // for a large sort
#endif

// ALWAYS: unless SMALL_SECONDS have passed. LARGEST: the largest size of the part that is expected
// to end within LARGE_SECONDS. MORE: while there is time.
typedef enum Need { ALWAYS, LARGEST, MORE } Need;

// Inputs that belong together: each size with each kind from `first` to `last`.
typedef struct Part {
  size_t sizes[15];  // ends with END
  TrialKind first, last;
  Need need;
} Part;

#define END SIZE_MAX
// First a size at which a mistake can be named.
#define SMALL \
  { 1000, 0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4096, END }

// From the likely mistakes to the rare ones. 512 blocks of 512 threads and 1024 of 1024, a limit of
// many scans, hold 2^18 and 2^20 elements: one size is above both, so that smaller ones need not be
// sorted too. The smallest are repeated at the end, after larger ones.
static const Part parts[] = {
    {SMALL, TRIAL_RANDOM, TRIAL_RANDOM, ALWAYS},
    {SMALL, TRIAL_RANDOM + 1, TRIAL_REVERSED, ALWAYS},
    {{30000, END}, TRIAL_MIXED, TRIAL_MIXED, ALWAYS},
    {{BATTERY_LARGEST, 300007, 100003, END}, TRIAL_MIXED, TRIAL_MIXED, LARGEST},
    {{30000, 100003, END}, TRIAL_RANDOM, TRIAL_REVERSED, MORE},
    {{33, END}, TRIAL_RANDOM, TRIAL_REVERSED, ALWAYS},
};
enum { PARTS = sizeof parts / sizeof *parts, APPROACH = 100003 };

// A size, and the seconds that its last sort took; 0: none.
typedef struct Timed {
  size_t n;
  double seconds;
} Timed;

typedef struct Progress {
  const Rerun *rerun;
  bool stable;
  uint64_t seed;
  double start, cpu_start;  // cpu_start: -1 if not known
  Timed timed, before;      // of the largest n so far, and of the largest below it
  double large_seconds;     // of the part LARGEST
  size_t sorts;
  int shuffled;     // sorts with threads in another order
  size_t left_out;  // smallest n that takes too long; 0: none
  size_t too_many;  // smallest n that the sort does not take; 0: none
} Progress;

static bool try_one(Progress *p, Battery *battery, size_t n, TrialKind kind);

// A mistake of the largest sort is named sooner where it shows at a smaller size. Returns whether
// one of them is wrong; then it decides the battery's outcome.
static bool is_wrong_below(Progress *p, Battery *battery, size_t n, TrialKind kind) {
  static const size_t smaller[] = {100003, 300007};
  for (size_t i = 0; i < sizeof smaller / sizeof *smaller && smaller[i] < n; i++)
    if (n == BATTERY_LARGEST && !try_one(p, battery, smaller[i], kind)) return true;
  battery->n = n;
  return false;
}

// Sorts one input. False if that is the end.
static bool try_one(Progress *p, Battery *battery, size_t n, TrialKind kind) {
#ifdef __SANITIZE_ADDRESS__  // finds such a write itself, with its line, if there is no guard
  const size_t guard = n == 0 ? BATTERY_GUARD : 0;
#else
  const size_t guard = BATTERY_GUARD;
#endif
  const uint64_t seed = mix64(mix64(p->seed) + p->sorts);
  Trial trial = trial_create(n, guard, seed);
  trial_draw(&trial, kind, seed);
  battery->n = n;
  battery->kind = kind;
  p->sorts++;
  if (!p->rerun->sort(p->rerun->context, &trial)) {
    battery->outcome = BATTERY_ENDED;
  } else if (trial_right(&trial, p->stable)) {
    if (n > battery->largest) battery->largest = n;
  } else if (!is_wrong_below(p, battery, n, kind)) {
    battery->outcome = BATTERY_WRONG;
    battery->diagnosis = diagnose(&trial, kind, p->stable, p->rerun);
  }
  trial_free(&trial);
  return battery->outcome == BATTERY_RIGHT;
}

// The exponent by which times grow from one size to a larger one: at most 2, as for the slowest
// sorts here, and that also if it is not known.
static double growth(Timed small, Timed large) {
  if (small.n == 0 || large.n <= small.n || small.seconds <= 0.0 || large.seconds <= 0.0)
    return 2.0;
  const double exponent =
      log(large.seconds / small.seconds) / log((double)large.n / (double)small.n);
  return fmin(fmax(exponent, 1.0), 2.0);
}

// Seconds that a sort of n elements may take. None takes longer than a larger one did before.
static double expect(const Progress *p, size_t n) {
  const Rerun *const r = p->rerun;
  Timed known = p->timed, below = p->before;
  if (r->known_n > known.n) {
    below = known;
    known = (Timed){r->known_n, r->known_seconds};
  }
  if (known.n == 0) return 0.0;
  const double ratio = (double)n / (double)known.n;
  if (ratio <= 1.0) return known.seconds * ratio;
  // The steeper part of a sort weighs more at a larger size.
  const double exponent = growth(below, known), margin = exponent > 1.5 ? 2.0 : 1.0;
  return margin * known.seconds * pow(ratio, exponent);
}

static double cpu_seconds(const Progress *p) {
  return p->rerun->cpu_seconds != NULL ? p->rerun->cpu_seconds(p->rerun->context) : -1.0;
}

// Seconds since `start` and `cpu_start`: CPU time where that is less, because on a busy machine
// more time passes. But a sort may also sleep, so that at least a quarter of the time that passes
// counts.
static double seconds_since(const Progress *p, double start, double cpu_start) {
  const double wall = seconds_now() - start, cpu = cpu_seconds(p);
  return cpu < 0.0 || cpu_start < 0.0 ? wall : fmax(fmin(wall, cpu - cpu_start), 0.25 * wall);
}

static bool in_time(const Progress *p, size_t n, Need need) {
  const double used = seconds_since(p, p->start, p->cpu_start);
  const double more = MORE_SECONDS + KNOWN_SORTS * p->rerun->known_seconds;
  switch (need) {
    case LARGEST: return expect(p, n) < LARGE_SECONDS;
    case MORE: return used + expect(p, n) < fmin(more, MOST_MORE);
    default: return used - p->large_seconds < SMALL_SECONDS;
  }
}

static bool is_for(Progress *p, size_t n, TrialKind kind) {
  if (n < p->rerun->min_n || (n < 2 && kind != TRIAL_RANDOM)) return false;
  if (n <= p->rerun->max_n) return true;
  if (p->too_many == 0 || n < p->too_many) p->too_many = n;
  return false;
}

static void note_time(Progress *p, size_t n, double seconds) {
  if (n > p->timed.n) p->before = p->timed;
  if (n >= p->timed.n) p->timed = (Timed){n, seconds};
}

// One input of a part. False if that is the end.
static bool try_input(Progress *p, Battery *battery, size_t n, TrialKind kind, Need need) {
  if (!is_for(p, n, kind)) return true;
  if (!in_time(p, n, need)) {
    if (p->left_out == 0 || n < p->left_out) p->left_out = n;
    return true;
  }
  const double start = seconds_now(), cpu_start = cpu_seconds(p);
  if (!try_one(p, battery, n, kind)) return false;
  note_time(p, n, seconds_since(p, start, cpu_start));
  return true;
}

// Sizes that a version does not know in advance: small ones, one between the fixed ones, one of
// whole blocks, and one of equal keys only.
static bool try_drawn_sizes(Progress *p, Battery *battery) {
  static const struct {
    size_t first, count, step;
    TrialKind kind;
  } drawn[] = {{34, 8159, 1, TRIAL_RANDOM},
               {34, 8159, 1, TRIAL_SPARSE},
               {8193, 21807, 1, TRIAL_MIXED},
               {5 * 1024, 25, 1024, TRIAL_MIXED},
               {20000, 10000, 1, TRIAL_EQUAL}};
  for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
    const size_t n = drawn[i].first + mix64(~p->seed + i) % drawn[i].count * drawn[i].step;
    if (!try_input(p, battery, n, drawn[i].kind, ALWAYS)) return false;
  }
  return true;
}

// Whether times grow faster than n, and no size is known from which the largest could be judged: a
// quadratic step hides behind the rest of a small sort.
static bool should_approach(const Progress *p) {
  return p->rerun->known_n < APPROACH && p->timed.seconds > 0.01 &&
         growth(p->before, p->timed) > 1.25;
}

// The largest size of a part that is expected to end in time; its sizes descend. What a smaller one
// took may show that a larger one fits.
static bool try_largest(Progress *p, Battery *battery, const Part *part) {
  if (should_approach(p) && !try_input(p, battery, APPROACH, part->first, LARGEST)) return false;
  const size_t left_out = p->left_out;
  size_t done = 0;
  for (int i = 0; part->sizes[i] != END && part->sizes[i] > done; i++) {
    const size_t n = part->sizes[i];
    const double start = seconds_now(), cpu_start = cpu_seconds(p);
    if (!try_input(p, battery, n, part->first, LARGEST)) return false;
    p->large_seconds += seconds_since(p, start, cpu_start);
    if (battery->largest < n) continue;
    done = n;
    p->left_out = left_out;
    i = -1;
  }
  return true;
}

static bool try_part(Progress *p, Battery *battery, const Part *part) {
  if (part->need == LARGEST) return try_largest(p, battery, part);
  for (const size_t *n = part->sizes; *n != END; n++)
    for (TrialKind kind = part->first; kind <= part->last; kind++)
      if (!try_input(p, battery, *n, kind, part->need)) return false;
  return true;
}

// Small sorts with the threads in another order.
static void try_other_order(Progress *p, Battery *battery) {
  static const size_t small[] = {1000, 257};
  static const TrialKind kinds[] = {TRIAL_RANDOM, TRIAL_FEW};
  if (p->rerun->other_order == NULL || !p->rerun->other_order(p->rerun->context)) return;
  battery->other_order = true;
  for (int i = 0; i < 4; i++) {
    if (small[i / 2] > p->rerun->max_n) continue;
    p->shuffled++;
    if (!try_one(p, battery, small[i / 2], kinds[i % 2])) return;
  }
}

static void summarise(const Progress *p, Battery *battery) {
  char rest[128] = "";
  if (p->left_out > 0)
    snprintf(rest, sizeof rest, "; some inputs of %zu pairs and more left out, to save time",
             p->left_out);
  else if (p->too_many > 0)
    snprintf(rest, sizeof rest, "; %zu pairs and more left out, the version is for at most %zu",
             p->too_many, p->rerun->max_n);
  char order[64] = "";
  if (p->shuffled > 0)
    snprintf(order, sizeof order, ", %d of them with threads in another order", p->shuffled);
  message_fail(&battery->summary, "Battery: %zu sorts of %zu to %zu pairs in %.2f s%s%s", p->sorts,
               p->rerun->min_n, battery->largest, seconds_now() - p->start, order, rest);
}

Battery battery_run(const Rerun *rerun, bool stable, uint64_t seed) {
  Battery battery = {.outcome = BATTERY_RIGHT};
  Progress p = {.rerun = rerun, .stable = stable, .seed = seed, .start = seconds_now()};
  p.cpu_start = cpu_seconds(&p);
  for (int i = 0; i < PARTS && try_part(&p, &battery, &parts[i]);) i++;
  if (battery.outcome == BATTERY_RIGHT) (void)try_drawn_sizes(&p, &battery);
  if (battery.outcome == BATTERY_RIGHT) try_other_order(&p, &battery);
  summarise(&p, &battery);
  return battery;
}
