// How far the battery goes: a sort that is right up to 2^18 or 2^20 elements only never passes, and
// where the largest size would take too long, battery.largest says how far it got. The sorts are
// functions of the host.
#include "tests/unit.h"

#include <time.h>

#include "harness/diagnose/battery.h"

typedef struct Fake {
  bool (*wrong_at)(size_t n,
                   bool equal);  // keys stay where they are; of equal keys, two change places
  size_t limit;                  // elements that are sorted; the others stay where they are
  size_t largest;                // elements that it was asked for
  bool quadratic;  // takes 50 ms for 30,000 elements; more than 30,000 take no time, so that the
                   // test ends
  size_t second;   // the first size beyond 30,000 that it was asked for
} Fake;

static bool sort(void *context, Trial *trial) {
  Fake *const fake = context;
  TrialReference reference = trial_reference(trial);
  const size_t bytes = trial->n * sizeof(uint32_t);
  const bool equal =
      trial->n > 1 && memcmp(trial->keys, trial->keys + 1, bytes - sizeof(uint32_t)) == 0;
  const bool wrong = fake->wrong_at != NULL && fake->wrong_at(trial->n, equal);
  const size_t sorted =
      wrong ? 0 : (trial->n < fake->limit ? trial->n : fake->limit) * sizeof(uint32_t);
  memcpy(trial->after[KEYS_IN], trial->keys, bytes);
  memcpy(trial->after[POSITIONS_IN], trial->positions, bytes);
  memcpy(trial->after[KEYS_OUT], trial->keys, bytes);
  memcpy(trial->after[POSITIONS_OUT], trial->positions, bytes);
  memcpy(trial->after[KEYS_OUT], reference.keys, sorted);
  memcpy(trial->after[POSITIONS_OUT], reference.positions, sorted);
  if (wrong && equal) trial->after[POSITIONS_OUT][0] = reference.positions[1];
  if (wrong && equal) trial->after[POSITIONS_OUT][1] = reference.positions[0];
  trial->outside.found = false;
  trial_reference_free(&reference);
  if (trial->n > fake->largest) fake->largest = trial->n;
  if (trial->n > 30000 && fake->second == 0) fake->second = trial->n;
  const double size = (double)trial->n / 30000.0;
  const struct timespec pause = {0, (long)(50e6 * size * size)};
  if (fake->quadratic && trial->n <= 30000) nanosleep(&pause, NULL);
  return true;
}

static bool restart(void *context) { return context != NULL; }

static Battery run(Fake *fake, double known_seconds) {
  const Rerun rerun = {.sort = sort,
                       .restart = restart,
                       .context = fake,
                       .max_n = fake->wrong_at != NULL ? 30000 : 2 * BATTERY_LARGEST,
                       .known_n = known_seconds > 0.0 ? 220480 : 0,
                       .known_seconds = known_seconds};
  return battery_run(&rerun, true, 1);
}

TEST(test_limits) {
  static const size_t limits[] = {1 << 18, (1 << 20) - 1, (1 << 20) + 2048};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    for (int slow = 0; slow < 2; slow++) {
      Fake fake = {.limit = limits[i]};
      const Battery battery = run(&fake, slow ? 2.0 : 0.0);
      assert_int_equal(battery.outcome, BATTERY_WRONG);
      assert_int_equal(battery.n, limits[i] <= 1 << 18 ? 300007 : BATTERY_LARGEST);
      // Without a known sort there are 10 seconds for the diagnosis: too few on a busy machine.
      if (slow && limits[i] <= 1 << 20)
        expect_part(battery.diagnosis.sentence.text, text_of("wrong above n = %zu: ", limits[i]));
    }
}

static bool between_fixed_sizes(size_t n, bool equal) { return !equal && n > 8192 && n < 30000; }
static bool whole_blocks(size_t n, bool equal) { return !equal && n > 4096 && n % 1024 == 0; }
static bool many_equal_keys(size_t n, bool equal) { return equal && n >= 20000 && n < 30000; }

TEST(test_drawn_sizes) {
  bool (*const wrong_at[])(size_t, bool) = {between_fixed_sizes, whole_blocks, many_equal_keys};
  for (size_t i = 0; i < sizeof wrong_at / sizeof *wrong_at; i++) {
    Fake fake = {.limit = SIZE_MAX, .wrong_at = wrong_at[i]};
    assert_int_equal(run(&fake, 2.0).outcome, BATTERY_WRONG);
  }
}

TEST(test_right_sorts) {
  const struct {
    double known_seconds;  // of 220,480 elements
    size_t largest;
  } cases[] = {{0.0, BATTERY_LARGEST},
               {2.0, BATTERY_LARGEST},
               {20.0, BATTERY_LARGEST},
               {100.0, 100003},
               {400.0, 30000}};
  // The image took far longer than 30,000 elements do here: times are expected to grow as n^2. In
  // the third case, 300,007 elements show that they do not.
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Fake fake = {.limit = SIZE_MAX};
    const Battery battery = run(&fake, cases[i].known_seconds);
    assert_int_equal(battery.outcome, BATTERY_RIGHT);
    assert_int_equal(battery.largest, cases[i].largest);
    assert_int_equal(fake.largest, cases[i].largest);
  }
}

// Before the largest size one in between shows how times grow, if the picture was too small for
// that.
TEST(test_quadratic_sorts) {
  Fake fake = {.limit = SIZE_MAX, .quadratic = true};
  assert_int_equal(run(&fake, 0.0).outcome, BATTERY_RIGHT);
  assert_int_equal(fake.second, 100003);
  fake = (Fake){.limit = SIZE_MAX, .quadratic = true};
  assert_int_equal(run(&fake, 2.0).outcome, BATTERY_RIGHT);
  assert_int_equal(fake.second, BATTERY_LARGEST);
}

RUN_TESTS("battery, sizes", NULL, NULL)
