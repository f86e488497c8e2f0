#include "harness/battery.h"

#include <math.h>
#include <stdio.h>

#include "harness/clock.h"

static const double BUDGET_SECONDS = 1.5;
enum { ALWAYS = 33 };  // sizes up to this one are never left out

// First a size at which a mistake shows its nature; the smallest at the end once more, after larger
// ones.
static const size_t sizes[] = {
    1000, 0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 4096, 30000, BATTERY_LARGEST, 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct Progress {
  const Rerun *rerun;
  bool stable;
  uint64_t seed;
  double start;
  size_t timed_n;  // the largest n so far, and the least seconds that one of its sorts took
  double timed_seconds;
  size_t sorts, largest;
  int shuffled;     // sorts with threads in another order
  size_t left_out;  // smallest n that takes too long; 0: none
  size_t too_many;  // smallest n that the sort does not take; 0: none
} Progress;

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
  if (n > p->largest) p->largest = n;
  if (!p->rerun->sort(p->rerun->context, &trial)) {
    battery->outcome = BATTERY_ENDED;
  } else {
    TrialReference reference = trial_reference(&trial);
    if (!trial_right(&trial, &reference, p->stable)) {
      battery->outcome = BATTERY_WRONG;
      battery->diagnosis = diagnose(&trial, kind, p->stable, p->rerun);
    }
    trial_reference_free(&reference);
  }
  trial_free(&trial);
  return battery->outcome == BATTERY_RIGHT;
}

// Seconds that a sort of n elements may take, by the largest one so far: some sorts are quadratic.
static double expect(const Progress *p, size_t n) {
  const double ratio = p->timed_n > 0 && n > p->timed_n ? (double)n / (double)p->timed_n : 1.0;
  return p->timed_seconds * ratio * ratio;
}

// All inputs of a size.
static bool try_size(Progress *p, Battery *battery, size_t n) {
  const TrialKind kinds = n < 2 ? 1 : TRIAL_KINDS;
  double expected = expect(p, n), least = 1e9;
  for (TrialKind kind = 0; kind < kinds; kind++) {
    const double now = seconds_now();
    if (n > ALWAYS && now - p->start + expected > BUDGET_SECONDS) {
      if (p->left_out == 0 || n < p->left_out) p->left_out = n;
      break;
    }
    if (!try_one(p, battery, n, kind)) return false;
    expected = seconds_now() - now;
    least = fmin(least, expected);
  }
  if (least < 1e9 && n > p->timed_n) {
    p->timed_n = n;
    p->timed_seconds = least;
  }
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

static void summarise(const Progress *p, Message *summary) {
  char rest[128] = "";
  if (p->left_out > 0)
    snprintf(rest, sizeof rest, "; some of %zu pairs and more left out, they take too long",
             p->left_out);
  else if (p->too_many > 0)
    snprintf(rest, sizeof rest, "; %zu pairs and more left out, the version is for at most %zu",
             p->too_many, p->rerun->max_n);
  char order[64] = "";
  if (p->shuffled > 0)
    snprintf(order, sizeof order, ", %d of them with threads in another order", p->shuffled);
  message_fail(summary, "Battery: %zu sorts of %zu to %zu pairs in %.2f s%s%s", p->sorts,
               p->rerun->min_n, p->largest, seconds_now() - p->start, order, rest);
}

Battery battery_run(const Rerun *rerun, bool stable, uint64_t seed) {
  Battery battery = {.outcome = BATTERY_RIGHT};
  Progress p = {.rerun = rerun, .stable = stable, .seed = seed, .start = seconds_now()};
  for (size_t i = 0; i < SIZES; i++) {
    if (sizes[i] > rerun->max_n) {
      if (p.too_many == 0) p.too_many = sizes[i];
      continue;
    }
    if (sizes[i] >= rerun->min_n && !try_size(&p, &battery, sizes[i])) break;
  }
  if (battery.outcome == BATTERY_RIGHT) try_other_order(&p, &battery);
  summarise(&p, &battery.summary);
  return battery;
}
