#include "harness/compare/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/process/message.h"

// ---- opening -----------------------------------------------------------------------------------

static Output *add(Outputs *outputs, const Comparison *comparison, Format format) {
  static const OutputFormat *const formats[] = {[FORMAT_TABLE] = &table_format,
                                                [FORMAT_CSV] = &csv_format,
                                                [FORMAT_JSON] = &json_format,
                                                [FORMAT_MD] = &md_format};
  Output *const added = &outputs->open[outputs->count++];
  const RowOrder order = comparison->request->order;
  *added = (Output){.to = stdout,
                    .comparison = comparison,
                    .format = formats[format],
                    .order = order != ORDER_OF_FORMAT ? order : formats[format]->order};
  return added;
}

void outputs_open(Outputs *outputs, const Comparison *comparison) {
  const Request *const request = comparison->request;
  *outputs = (Outputs){.count = 0};
  add(outputs, comparison, request->format)->file.stream = stdout;
  for (int i = 0; i < request->export_count; i++) {
    Message message;
    Output *const added = add(outputs, comparison, request->exports[i].format);
    if (!save_file_open(request->exports[i].path, &added->file, &message)) {
      outputs_drop(outputs);
      quit(EXIT_USAGE, "--export: %s", message.text);
    }
    added->to = added->file.stream;
  }
}

void outputs_begin(Outputs *outputs) {
  for (int i = 0; i < outputs->count; i++) {
    Output *const output = &outputs->open[i];
    output->format->begin(output);
    save_file_flush(&output->file);
  }
}

// ---- rows --------------------------------------------------------------------------------------

static int by_time(const void *a, const void *b) {
  const Row *const left = *(const Row *const *)a, *const right = *(const Row *const *)b;
  const bool left_right = left->status == ROW_RIGHT, right_right = right->status == ROW_RIGHT;
  if (left_right != right_right) return left_right ? -1 : 1;
  const double difference = left->measured.median_ms - right->measured.median_ms;
  if (left_right && difference != 0.0) return difference < 0.0 ? -1 : 1;
  return left < right ? -1 : left > right;
}

static int by_name(const void *a, const void *b) {
  const Row *const left = *(const Row *const *)a, *const right = *(const Row *const *)b;
  const int difference = strcmp(left->loaded->version->name, right->loaded->version->name);
  return difference != 0 ? difference : left < right ? -1 : left > right;
}

static void print_rows(Output *output, const Row *rows, size_t count) {
  const Row **const ordered = MEMORY_CHECK(malloc(count * sizeof(const Row *)));
  for (size_t i = 0; i < count; i++) ordered[i] = &rows[i];
  if (output->order == ORDER_TIME) qsort(ordered, count, sizeof(const Row *), by_time);
  if (output->order == ORDER_NAME) qsort(ordered, count, sizeof(const Row *), by_name);
  for (size_t i = 0; i < count; i++) output->format->row(output, ordered[i]);
  save_file_flush(&output->file);
  free(ordered);
}

static bool wait_for_each_other(const Row *a, const Row *b, RowOrder order) {
  return a->group == b->group && (order != ORDER_GIVEN || a->loaded == b->loaded);
}

static void advance(Output *output, size_t done, bool all) {
  const Plan *const plan = output->comparison->plan;
  while (output->printed < done) {
    const Row *const first = &plan->rows[output->printed];
    size_t end = output->printed + 1;
    while (end < plan->count && wait_for_each_other(first, &plan->rows[end], output->order)) end++;
    if (end > done && !all) return;
    if (end > done) end = done;
    print_rows(output, first, end - output->printed);
    output->printed = end;
  }
}

void outputs_advance(Outputs *outputs, size_t done, bool all) {
  for (int i = 0; i < outputs->count; i++) advance(&outputs->open[i], done, all);
}

// ---- the end -----------------------------------------------------------------------------------

void outputs_end(Outputs *outputs) {
  Message message = {.text = ""};
  for (int i = 0; i < outputs->count; i++) {
    Output *const output = &outputs->open[i];
    if (output->format->end != NULL) output->format->end(output);
    save_file_flush(&output->file);
    Message problem;
    if (i == 0 && output->file.error != 0)
      message_fail(&message, "cannot write to standard output: %s", strerror(output->file.error));
    if (i > 0 && !save_file_commit(&output->file, &problem) && message.text[0] == '\0')
      message_fail(&message, "--export: %.900s", problem.text);
  }
  outputs->count = 0;
  if (message.text[0] != '\0') quit(EXIT_USAGE, "%s", message.text);
}

void outputs_drop(Outputs *outputs) {
  for (int i = 1; i < outputs->count; i++) save_file_drop(&outputs->open[i].file);
  outputs->count = 0;
}

// ---- the fastest -------------------------------------------------------------------------------

static bool has_time(const Row *row) {
  return row->status == ROW_RIGHT && row->measured.median_ms > 0.0;
}

// The row with the smallest median of a group, or of its baseline's rows; `other` does not count.
static const Row *fastest_but(const Plan *plan, int group, bool of_baseline, const Row *other) {
  const Row *best = NULL;
  for (const Row *row = plan->rows; row < plan->rows + plan->count; row++)
    if (row->group == group && !(other != NULL && row == other) && has_time(row) &&
        (row->is_baseline || !of_baseline) &&
        (best == NULL || row->measured.median_ms < best->measured.median_ms))
      best = row;
  return best;
}

// The speed of a row over a slower one's, and how uncertain that is; 0: unknown, because
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
  const Row *const fastest = fastest_but(plan, group, false, NULL);
  const Row *const second = fastest == NULL ? NULL : fastest_but(plan, group, false, fastest);
  if (second == NULL) return false;
  const Row *const baseline = fastest_but(plan, group, true, NULL);
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
