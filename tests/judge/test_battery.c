// No right sort is accused: every version that was built, with a quick one the battery from several
// seeds. BATTERY_SEEDS asks for more.
#include <glob.h>

#include "tests/judge/run_sorter.h"

static int seeds_for(const char *name) {
  const char *const asked = getenv("BATTERY_SEEDS");
  if (asked != NULL) return atoi(asked);
  return strcmp(name, "std_sort_ref") == 0 ? 20 : 1;
}

static void check(const char *path) {
  use_sorter(path);
  const SortVersion *const d = &session.description.version;
  Rerun with = rerun;
  const uint64_t fit = d->slow_n != 0 ? d->slow_n : d->max_n;
  if (d->pairs_only) with.min_n = 1;  // as HW4 does
  if (fit < with.max_n) with.max_n = (size_t)fit;
  for (int seed = 0; seed < seeds_for(d->name); seed++) {
    enum { MOST = 30000 };  // of the drawn sizes; once with larger ones is enough
    if (seed > 0 && with.max_n > MOST) with.max_n = MOST;
    if (seed > 0) use_sorter(path);  // the threads were in another order at last
    const Battery battery = battery_run(&with, d->stable, (uint64_t)seed);
    if (battery.outcome != BATTERY_RIGHT)
      fail_msg("%s, seed %d, n = %zu, %s: %s%s", d->name, seed, battery.n,
               trial_kind_names[battery.kind], battery.diagnosis.sentence.text,
               session.sorter.failure.text);
    if (seed == 0) print_message("# %s: %s\n", d->name, battery.summary.text);
  }
}

TEST(test_right_sorts) {
  glob_t paths;
  assert_int_equal(glob(text_of("%s/*/sorter", build_folder()), 0, NULL, &paths), 0);
  assert_true(paths.gl_pathc > 0);
  for (size_t i = 0; i < paths.gl_pathc; i++) check(paths.gl_pathv[i]);
  globfree(&paths);
  assert_true(sorter_end(&session.sorter, 10.0));
}

RUN_TESTS("battery", NULL, NULL)
