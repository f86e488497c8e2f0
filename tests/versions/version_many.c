// Many sorts by the version, judged on the device, if environment variables request them. Linked
// with tests/versions/version.c.
#include "tests/unit.h"

#include "common/knobs.h"
#include "common/stages.h"
#include "harness/input/input.h"
#include "harness/measure/measure.h"
#include "harness/verdict/verdict.h"
#include "tests/versions/version.h"

// One sort, judged on the device.
static void sort_and_judge(Workload *arrays, size_t n, int kind, uint64_t seed, bool pairs) {
  if (sort_version.pairs_only && !pairs) return;
  Workload w = *arrays;
  w.n = n;
  w.pairs = pairs;
  if (!pairs) w.positions_in = w.positions_out = NULL;
  workload_draw(&w, kind, seed);
  workload_refresh(&w);
  your_sort(w.keys_in, w.positions_in, w.keys_out, w.positions_out, n);
  const Verdict verdict = verdict_judge(&sort_version, w.snapshot, w.keys_out, w.positions_out, n);
  if (verdict_passes(&verdict)) return;
  char text[512];
  verdict_describe(&verdict, text, sizeof text);
  fail_msg("%s, n = %zu, %s, %s, seed %llu: %s", sort_version.name, n, input_kinds[kind].name,
           pairs ? "pairs" : "keys", (unsigned long long)seed, text);
}

static size_t number_from_environment(const char *name) {
  const char *const text = getenv(name);
  return text == NULL ? 0 : strtoul(text, NULL, 10);
}

// EVERY_N=20000: sorts every n up to that.
TEST(test_every_n) {
  const size_t most = number_from_environment("EVERY_N");
  if (most == 0) skip();
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload arrays = workload_create(&sort_version, most, true, NULL);
  // Downwards, so that scratch memory of one sort is large enough for the next.
  for (size_t n = most + 1; n-- > 0;)
    if (!too_slow(n))
      sort_and_judge(&arrays, n, input_find(n % 3 == 0 ? "few-distinct" : "uniform"), n,
                     n % 2 == 0);
  workload_destroy(&arrays);
}

// REPEATS=200: that many sorts of each of a few sizes, because a race between blocks may show in
// one run of a hundred. The sizes lie beside multiples of all tile sizes in use, among others.
TEST(test_repeats) {
  const size_t repeats = number_from_environment("REPEATS");
  if (repeats == 0) skip();
  static const size_t sizes[] = {4097,   40961,   65535,   143361,  399361,
                                 500009, 1499137, 2999297, 3000001, 8000003};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  knobs_begin(&sort_version);
  stages_begin(&sort_version, false);
  Workload arrays = workload_create(&sort_version, sizes[COUNT - 1], true, NULL);
  for (size_t r = 0; r < repeats; r++)
    for (int s = 0; s < COUNT && !too_slow(sizes[s]); s++) {
      int kind = (int)(r % 16);
      while (!input_kinds[kind].everywhere) kind--;
      sort_and_judge(&arrays, sizes[s], kind, r, true);
      sort_and_judge(&arrays, sizes[s], kind, r, false);
    }
  workload_destroy(&arrays);
}
