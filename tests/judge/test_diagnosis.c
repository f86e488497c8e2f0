// Is every mistake of tests/sorts/wrong called by its name, with numbers and a place to read on in
// the sentence?
#include "tests/judge/run_sorter.h"

#include "common/check.h"  // for CUDA_CPU
#include "tests/sorts/wrong/mistakes.h"

static const struct {
  const char *name;
  Mistake mistake;
} cases[] = {
#define CASE(name, mistake, meaning) {#name, MISTAKE_##mistake},
    ALL_MISTAKES(CASE)};
enum { CASES = sizeof cases / sizeof *cases };

static void use_mistake(int way) {
  unsetenv("CUDA_CPU_RACECHECK");
  session.knobs[0] = way;
  if (!restart(&session)) fail_msg("%s", session.sorter.failure.text);
}

// The sort goes wrong in about every second process.
static bool goes_wrong_at_times(int i) { return cases[i].mistake == MISTAKE_RACE; }

static int misnamed;

static void expect_name(int i) {
  // As if a large sort had taken a while, so that even a busy machine has time for large sizes.
  Rerun patient = rerun;
  patient.known_n = BATTERY_LARGEST;
  patient.known_seconds = 8.0;
  Battery battery = battery_run(&patient, true, 0);
  for (int tries = 0; battery.outcome == BATTERY_RIGHT && goes_wrong_at_times(i) && tries < 50;
       tries++) {
    use_mistake(i + 1);
    battery = battery_run(&patient, true, 1000);
  }
  const Diagnosis *const d = &battery.diagnosis;
  if (battery.outcome != BATTERY_WRONG)
    fail_msg("%s: outcome %d (%s)", cases[i].name, (int)battery.outcome,
             session.sorter.failure.text);
  if (d->mistake != cases[i].mistake) {
    misnamed++;
    print_error("%s, n = %zu: taken for '%s', not '%s': %s\n", cases[i].name, battery.n,
                mistake_name(d->mistake), mistake_name(cases[i].mistake), d->sentence.text);
  }
  if (strpbrk(d->sentence.text, "0123456789") == NULL ||
      strstr(d->sentence.text, "; see ") == NULL || strchr(d->sentence.text, '\n') != NULL)
    fail_msg("%s: %s", cases[i].name, d->sentence.text);
}

// AddressSanitizer ends a sort that leaves its arrays: no output, no diagnosis. On a GPU, a missing
// barrier need not show.
static bool is_left_out(int i) {
#ifndef CUDA_CPU
  if (strcmp(cases[i].name, "MISSING_BARRIER") == 0 || strcmp(cases[i].name, "ORDER") == 0)
    return true;
#endif
#ifdef __SANITIZE_ADDRESS__
  return cases[i].mistake == MISTAKE_OUTSIDE || strcmp(cases[i].name, "BEYOND_END") == 0;
#else
  (void)i;
  return false;
#endif
}

TEST(test_names) {
  use_sorter(text_of("%s/tests/sorts/wrong/sorter", build_folder()));
  for (int i = 0; i < CASES; i++) {
    if (is_left_out(i)) continue;
    use_mistake(i + 1);
    expect_name(i);
  }
  assert_int_equal(misnamed, 0);
}

// Does every class have a sort?
TEST(test_all_classes) {
  for (Mistake mistake = MISTAKE_OUTSIDE; mistake < MISTAKE_OTHER; mistake++) {
    bool found = false;
    for (int i = 0; i < CASES; i++) found = found || cases[i].mistake == mistake;
    if (!found) fail_msg("no sort for '%s'", mistake_name(mistake));
  }
}

// Does the handout have the heading that the sentence names?
TEST(test_hints) {
  for (Mistake mistake = MISTAKE_OUTSIDE; mistake < MISTAKES; mistake++) {
    char path[128], heading[64], line[512];
    const char *const hint = mistake_hint(mistake);
    if (sscanf(hint, "see %127[^,], \"%63[^\"]\"", path, heading) != 2) fail_msg("%s", hint);
    FILE *const file = fopen(path, "r");
    if (file == NULL) fail_msg("no %s", path);
    bool found = false;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
      line[strcspn(line, "\n")] = '\0';
      found = found || (strncmp(line, "## ", 3) == 0 && strcmp(line + 3, heading) == 0);
    }
    if (file != NULL) fclose(file);
    if (!found) fail_msg("%s has no heading '%s'", path, heading);
  }
}

static int end(void **state) {
  (void)state;
  (void)sorter_end(&session.sorter, 10.0);
  return 0;
}

RUN_TESTS("diagnosis", NULL, end)
