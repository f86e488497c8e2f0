// compare's output: a table for people, JSON for programs.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/compare.h"
#include "harness/input.h"

void print_table_header(const Conditions *c, const Request *request) {
  printf("%s, %s backend, driver CUDA %d.%d, runtime CUDA %d.%d, copy rate %.0f GB/s\n",
         c->device.name, c->device.backend, c->device.driver_version / 1000,
         c->device.driver_version % 1000 / 10, c->device.runtime_version / 1000,
         c->device.runtime_version % 1000 / 10, c->copy_bytes_per_second / 1e9);
  printf(
      "%s, commit %s, seed %llu; median of %d runs, stages timed apart; ratio: %s's time over this "
      "one's\n\n",
      c->date, c->commit, (unsigned long long)request->seed, request->repetitions,
      request->baseline);
  printf("%-16s %11s %-12s %-5s %10s %10s %6s %9s %6s  %s\n", "version", "n", "input", "what",
         "median ms", "min ms", "noise", "Gkeys/s", "ratio", "stages ms");
}

void print_table_row(const Row *row) {
  const Measurement *const m = &row->measured;
  printf("%-16s %11zu %-12s %-5s ", row->version->name, row->n, input_kinds[row->kind].name,
         row->pairs ? "pairs" : "keys");
  if (!verdict_passes(&m->verdict)) {
    char text[512];
    verdict_describe(&m->verdict, text, sizeof text);
    printf("%s\n", text);
    return;
  }
  printf("%10.4f %10.4f %5.1f%% %9.3f ", m->median_ms, m->min_ms, 100.0 * m->noise,
         (double)row->n / m->median_ms / 1e6);
  if (row->ratio > 0.0)
    printf("%6.3f ", row->ratio);
  else
    printf("%6s ", "-");
  for (int i = 0; i < m->stages; i++) printf(" %s %.4f", row->version->stages[i], m->stage_ms[i]);
  printf("\n");
}

static json_t *row_json(const Row *row, const Conditions *conditions) {
  const Measurement *const m = &row->measured;
  json_t *const stages = json_object(), *const knobs = json_object();
  for (int i = 0; i < m->stages; i++)
    json_object_set_new(stages, row->version->stages[i], json_real(m->stage_ms[i]));
  for (int i = 0; row->version->knobs[i].name != NULL; i++)
    json_object_set_new(knobs, row->version->knobs[i].name, json_integer(row->knobs[i]));
  char text[512];
  verdict_describe(&m->verdict, text, sizeof text);
  json_t *const json =
      json_pack("{s:s, s:I, s:s, s:s, s:o, s:s}", "version", row->version->name, "n",
                (json_int_t)row->n, "input", input_kinds[row->kind].name, "what",
                row->pairs ? "pairs" : "keys", "knobs", knobs, "verdict", text);
  if (!verdict_passes(&m->verdict)) {
    json_decref(stages);
    return json;
  }
  // The least traffic that a sort can do: every element read once and written once.
  const double bytes = 2.0 * (double)row->n * (row->pairs ? 8.0 : 4.0);
  const double rate = bytes / (m->median_ms * 1e-3);
  json_object_set_new(json, "repetitions", json_integer(m->repetitions));
  json_object_set_new(json, "median_ms", json_real(m->median_ms));
  json_object_set_new(json, "min_ms", json_real(m->min_ms));
  json_object_set_new(json, "noise", json_real(m->noise));
  json_object_set_new(json, "gkeys_per_s", json_real((double)row->n / m->median_ms / 1e6));
  json_object_set_new(json, "effective_gb_per_s", json_real(rate / 1e9));
  json_object_set_new(json, "percent_of_copy_rate",
                      json_real(100.0 * rate / conditions->copy_bytes_per_second));
  json_object_set_new(json, "ratio_to_baseline",
                      row->ratio > 0.0 ? json_real(row->ratio) : json_null());
  json_object_set_new(json, "stages_ms", stages);
  return json;
}

void print_json(const Conditions *c, const Request *request, const Row *rows, size_t row_count) {
  json_t *const all = json_array();
  for (size_t i = 0; i < row_count; i++) json_array_append_new(all, row_json(&rows[i], c));
  json_t *const record = json_pack(
      "{s:i, s:{s:s, s:s, s:i, s:i, s:I}, s:f, s:s, s:s, s:I, s:i, s:s, s:o}", "schema", 1,
      "device", "name", c->device.name, "backend", c->device.backend, "driver_version",
      c->device.driver_version, "runtime_version", c->device.runtime_version, "global_memory_bytes",
      (json_int_t)c->device.global_memory, "copy_gb_per_s", c->copy_bytes_per_second / 1e9, "date",
      c->date, "commit", c->commit, "seed", (json_int_t)request->seed, "repetitions",
      request->repetitions, "baseline", request->baseline, "rows", all);
  json_dumpf(record, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  putchar('\n');
  json_decref(record);
}
