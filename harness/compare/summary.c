#include "harness/compare/summary.h"

#include <math.h>
#include <stdio.h>

// ---- the fastest -------------------------------------------------------------------------------

static bool has_time(const Row *row) {
  return row->status == ROW_RIGHT && row->measured.median_ms > 0.0;
}

// The row with the smallest median of a group; `other`, unless NULL, does not count.
static const Row *fastest_but(const Plan *plan, int group, const Row *other) {
  const Row *best = NULL;
  for (size_t i = 0; i < plan->count; i++) {
    const Row *const row = &plan->rows[i];
    if (row->group != group || !has_time(row) || (other != NULL && row == other)) continue;
    if (best == NULL || row->measured.median_ms < best->measured.median_ms) best = row;
  }
  return best;
}

static const Row *baseline_of(const Plan *plan, int group) {
  for (const Row *row = plan->rows; row < plan->rows + plan->count; row++)
    if (row->group == group && row->is_baseline && has_time(row)) return row;
  return NULL;
}

// How many times as fast a row is as a slower one, and how uncertain that is; 0: unknown, because
// one of them ran only once.
static double times_as_fast(const Row *row, const Row *slower, double *uncertainty) {
  const Measurement *const a = &row->measured, *const b = &slower->measured;
  const double ratio = b->median_ms / a->median_ms;
  const bool known = a->repetitions > 1 && b->repetitions > 1;
  *uncertainty = known ? ratio * hypot(a->noise, b->noise) : 0.0;
  return ratio;
}

// "3.97 (+- 0.10)": as many decimals as the uncertainty deserves, two digits of it.
static void write_times(double ratio, double uncertainty, char *text, size_t size) {
  const double digits_of = uncertainty > 0.0 ? uncertainty : ratio / 10.0;
  const int wanted = 1 - (int)floor(log10(digits_of));
  const int decimals = wanted < 0 ? 0 : wanted > 4 ? 4 : wanted;
  if (uncertainty > 0.0)
    snprintf(text, size, "%.*f (+- %.*f)", decimals, ratio, decimals, uncertainty);
  else
    snprintf(text, size, "%.*f", decimals, ratio);
}

bool summary_of_group(const Plan *plan, int group, char *text, size_t size) {
  text[0] = '\0';
  const Row *const fastest = fastest_but(plan, group, NULL);
  const Row *const second = fastest == NULL ? NULL : fastest_but(plan, group, fastest);
  if (second == NULL) return false;
  const Row *const baseline = baseline_of(plan, group);
  const Row *const other = baseline == NULL || baseline == fastest ? second : baseline;
  char name[100], other_name[100], times[64];
  double uncertainty = 0.0;
  const double ratio = times_as_fast(fastest, other, &uncertainty);
  write_times(ratio, uncertainty, times, sizeof times);
  row_label(fastest, name, sizeof name);
  row_label(other, other_name, sizeof other_name);
  const int used = snprintf(text, size, "%s is fastest, %s times %s", name, times, other_name);
  // The next row may be as fast, even where the baseline is far behind.
  const double lead = times_as_fast(fastest, second, &uncertainty) - uncertainty;
  if (uncertainty > 0.0 && lead <= 1.0 && used > 0 && (size_t)used < size) {
    row_label(second, other_name, sizeof other_name);
    snprintf(text + used, size - (size_t)used, "; within the noise %s is as fast", other_name);
  }
  return true;
}

// ---- warnings ----------------------------------------------------------------------------------

static void warn_of_noise(const Comparison *comparison, size_t noisy) {
  const Conditions *const c = &comparison->conditions;
  char load[64] = "unknown";
  if (c->load_average >= 0.0) snprintf(load, sizeof load, "%.2f", c->load_average);
  fprintf(stderr,
          "compare: the noise of %zu %s is above 10%% (\"noisy\"): either something else uses this "
          "machine (load average at the start: %s, CPUs: %d), or the runs are too short or too "
          "few; repeat it, or raise --reps and --time-limit\n",
          noisy, noisy == 1 ? "row" : "rows", load, c->host_threads);
}

// Where nothing could be sorted, the table alone would leave the exit code without a reason.
static void explain_refusals(const Plan *plan) {
  for (size_t i = 0; i < plan->count; i++)
    if (plan->rows[i].status != ROW_REFUSED) return;
  fprintf(stderr, "compare: nothing was sorted: %s %s\n", plan->rows[0].loaded->version->name,
          plan->rows[0].message);
}

static void note_left_out(const Plan *plan) {
  for (size_t i = 0; i < plan->left_out_count; i++)
    fprintf(stderr, "compare: left out at n = %zu: %s (%s)\n", plan->left_out[i].n,
            plan->left_out[i].version->name, plan->left_out[i].reason);
}

void summary_warn(const Comparison *comparison) {
  const Plan *const plan = comparison->plan;
  const Format format = comparison->request->format;
  if (format == FORMAT_CSV || format == FORMAT_MD) note_left_out(plan);
  if (format == FORMAT_CSV && comparison->interrupted)
    fputs("compare: interrupted; the rows are complete\n", stderr);
  explain_refusals(plan);
  size_t noisy = 0, suspicious = 0;
  for (const Row *row = plan->rows; row < plan->rows + plan->count; row++) {
    noisy += row_is_noisy(row);
    suspicious += row_is_suspicious(row, &comparison->conditions);
  }
  if (noisy > 0) warn_of_noise(comparison, noisy);
  if (suspicious > 0)
    fprintf(stderr,
            "compare: %zu %s above 100%% of the copy rate (\"suspicious\"): no sort of data larger "
            "than the caches is faster than one copy of them; distrust the time or the copy rate\n",
            suspicious, suspicious == 1 ? "row is" : "rows are");
}
