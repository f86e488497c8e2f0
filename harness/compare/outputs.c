#include "harness/compare/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "common/check.h"
#include "harness/compare/output_json.h"
#include "harness/compare/output_records.h"
#include "harness/compare/output_table.h"
#include "harness/process/message.h"

// ---- opening -----------------------------------------------------------------------------------

static OpenOutput *add(Outputs *outputs, const Comparison *comparison, Format format) {
  static const OutputFormat *const formats[] = {[FORMAT_TABLE] = &table_format,
                                                [FORMAT_CSV] = &csv_format,
                                                [FORMAT_JSON] = &json_format,
                                                [FORMAT_MD] = &md_format};
  OpenOutput *const added = &outputs->open[outputs->count++];
  const RowOrder order = comparison->request->order;
  *added = (OpenOutput){.output = {.to = stdout, .comparison = comparison},
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
    OpenOutput *const added = add(outputs, comparison, request->exports[i].format);
    if (!save_file_open(request->exports[i].path, &added->file, &message)) {
      outputs_drop(outputs);
      quit(EXIT_USAGE, "--export: %s", message.text);
    }
    added->output.to = added->file.stream;
    for (int j = 1; j < outputs->count - 1; j++) {  // 0 is standard output
      if (!save_file_same(&outputs->open[j].file, &added->file)) continue;
      outputs_drop(outputs);
      quit(EXIT_USAGE, "--export: %s and %s are the same file", request->exports[j - 1].path,
           request->exports[i].path);
    }
  }
}

// Rows appear at once. A failure is kept for the end.
static void flush(OpenOutput *open) { save_file_flush(&open->file); }

void outputs_begin(Outputs *outputs) {
  for (int i = 0; i < outputs->count; i++) {
    OpenOutput *const open = &outputs->open[i];
    open->format->begin(&open->output);
    flush(open);
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

static void print_rows(OpenOutput *open, const Row *rows, size_t count) {
  const Row **const ordered = MEMORY_CHECK(malloc(count * sizeof(const Row *)));
  for (size_t i = 0; i < count; i++) ordered[i] = &rows[i];
  if (open->order == ORDER_TIME) qsort(ordered, count, sizeof(const Row *), by_time);
  if (open->order == ORDER_NAME) qsort(ordered, count, sizeof(const Row *), by_name);
  for (size_t i = 0; i < count; i++) open->format->row(&open->output, ordered[i]);
  flush(open);
  free(ordered);
}

static bool wait_for_each_other(const Row *a, const Row *b, RowOrder order) {
  return a->group == b->group && (order != ORDER_GIVEN || a->loaded == b->loaded);
}

static void advance(OpenOutput *open, size_t done, bool all) {
  const Plan *const plan = open->output.comparison->plan;
  while (open->printed < done) {
    const Row *const first = &plan->rows[open->printed];
    size_t end = open->printed + 1;
    while (end < plan->count && wait_for_each_other(first, &plan->rows[end], open->order)) end++;
    if (end > done && !all) return;
    if (end > done) end = done;
    print_rows(open, first, end - open->printed);
    open->printed = end;
  }
}

void outputs_advance(Outputs *outputs, size_t done, bool all) {
  for (int i = 0; i < outputs->count; i++) advance(&outputs->open[i], done, all);
}

// ---- the end -----------------------------------------------------------------------------------

void outputs_end(Outputs *outputs) {
  Message message = {.text = ""};
  for (int i = 0; i < outputs->count; i++) {
    OpenOutput *const open = &outputs->open[i];
    open->format->end(&open->output);
    flush(open);
    Message problem;
    if (i == 0 && open->file.error != 0)
      message_fail(&message, "cannot write to standard output: %s", strerror(open->file.error));
    if (i > 0 && !save_file_commit(&open->file, &problem) && message.text[0] == '\0')
      message_fail(&message, "--export: %.900s", problem.text);
  }
  outputs->count = 0;
  if (message.text[0] != '\0') quit(EXIT_USAGE, "%s", message.text);
}

void outputs_drop(Outputs *outputs) {
  for (int i = 1; i < outputs->count; i++) save_file_drop(&outputs->open[i].file);
  outputs->count = 0;
}
