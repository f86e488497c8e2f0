#include "harness/compare/output.h"

#include <jansson.h>
#include <math.h>

// The state is the array of rows.
static void begin(Output *output) { output->state = json_array(); }

static json_t *knobs_json(const Row *row) {
  json_t *const knobs = json_object();
  for (int i = 0; row->loaded->version->knobs[i].name != NULL; i++)
    json_object_set_new(knobs, row->loaded->version->knobs[i].name, json_integer(row->knobs[i]));
  return knobs;
}

static json_t *stages_json(const Row *row) {
  json_t *const stages = json_object();
  for (int i = 0; i < row->measured.stages; i++)
    json_object_set_new(stages, row->loaded->version->stages[i],
                        json_real(row->measured.stage_ms[i]));
  return stages;
}

// Without the stages that have more passes than were kept.
static json_t *passes_json(const Row *row) {
  json_t *const stages = json_object();
  for (int i = 0; i < row->measured.stages; i++) {
    const StagePasses *const passes = &row->measured.passes[i];
    if (passes->count > MAX_PASSES) continue;
    json_t *const times = json_array();
    for (size_t pass = 0; pass < passes->count; pass++)
      json_array_append_new(times, json_real(passes->ms[pass]));
    json_object_set_new(stages, row->loaded->version->stages[i], times);
  }
  return stages;
}

// json_real refuses what JSON cannot express.
static void set_real(json_t *object, const char *key, double value) {
  json_t *const real = json_real(value);
  json_object_set_new(object, key, real != NULL ? real : json_null());
}

static void add_row(Output *output, const Row *row) {
  const Conditions *const conditions = &output->comparison->conditions;
  char verdict[VERDICT_SIZE];
  row_verdict(row, verdict, sizeof verdict);
  json_t *const json = json_pack(
      "{s:s, s:b, s:I, s:s, s:s, s:o, s:s, s:s, s:b}", "version", row->loaded->version->name,
      "cpu_code", row->loaded->version->on_host, "n", (json_int_t)row->n, "input",
      row->source->name, "what", elements_name(row), "knobs", knobs_json(row), "status",
      status_name(row->status), "verdict", verdict, "best", row->best);
  json_array_append_new(output->state, json);
  if (row->status != ROW_RIGHT) return;
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  json_object_set_new(json, "repetitions", json_integer(m->repetitions));
  json_object_set_new(json, "limit", json_string(limit_name(m->limit)));
  set_real(json, "median_ms", m->median_ms);
  set_real(json, "mean_ms", m->mean_ms);
  set_real(json, "min_ms", m->min_ms);
  set_real(json, "noise", m->repetitions > 1 ? m->noise : NAN);
  json_object_set_new(json, "noisy", json_boolean(row_is_noisy(row)));
  json_object_set_new(json, "suspicious", json_boolean(row_is_suspicious(row, conditions)));
  set_real(json, "gkeys_per_s", rates.gkeys_per_s);
  set_real(json, "effective_gb_per_s", rates.gb_per_s);
  set_real(json, "percent_of_copy_rate", rates.percent_of_copy);
  json_object_set_new(json, "ratio_to_baseline",
                      row->ratio > 0.0 ? json_real(row->ratio) : json_null());
  if (output->comparison->request->counts)
    json_object_set_new(
        json, "counts",
        json_pack("{s:f, s:f, s:f, s:f, s:f}", "bytes", m->counts.bytes, "requests",
                  m->counts.requests, "sectors", m->counts.sectors, "bank_conflicts",
                  m->counts.conflicts, "atomics", m->counts.atomics));
  json_object_set_new(json, "stages_ms", stages_json(row));
  json_object_set_new(json, "passes_ms", passes_json(row));
}

static json_t *left_out_json(const Plan *plan) {
  json_t *const all = json_array();
  for (size_t i = 0; i < plan->left_out_count; i++)
    json_array_append_new(
        all, json_pack("{s:s, s:I, s:s}", "version", plan->left_out[i].version->name, "n",
                       (json_int_t)plan->left_out[i].n, "reason", plan->left_out[i].reason));
  return all;
}

static json_t *device_json(const Conditions *c) {
  return json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:I, s:s, s:i}", "name", c->device.name,
                   "backend", c->device.backend, "driver", c->driver, "clocks", c->clocks,
                   "driver_version", c->device.driver_version, "runtime_version",
                   c->device.runtime_version, "global_memory_bytes",
                   (json_int_t)c->device.global_memory, "cache_bytes", (json_int_t)c->cache_bytes,
                   "host_cpu", c->host_cpu, "host_threads", c->host_threads);
}

static void end(Output *output) {
  const Comparison *const comparison = output->comparison;
  const Conditions *const c = &comparison->conditions;
  const Request *const request = comparison->request;
  json_t *const record = json_pack(
      "{s:i, s:o, s:f, s:s, s:s, s:I, s:[i,i,i,i], s:i, s:f, s:f, s:s?, s:b, s:o, s:o}", "schema",
      1, "device", device_json(c), "copy_gb_per_s", c->copy_bytes_per_second / 1e9, "date", c->date,
      "commit", c->commit, "seed", (json_int_t)request->seed, "offsets", request->offsets[0],
      request->offsets[1], request->offsets[2], request->offsets[3], "repetitions",
      request->plan.max_repetitions, "noise_limit", request->plan.settled_noise, "time_limit_s",
      request->plan.max_seconds, "baseline", request->baseline, "interrupted",
      comparison->interrupted, "rows", (json_t *)output->state, "left_out",
      left_out_json(comparison->plan));
  set_real(record, "load_average", c->load_average >= 0.0 ? c->load_average : NAN);
  json_dumpf(record, output->to, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  fputc('\n', output->to);
  json_decref(record);
}

const OutputFormat json_format = {.order = ORDER_GIVEN, .begin = begin, .row = add_row, .end = end};
