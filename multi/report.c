#include "multi/report.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "common/your_sort.h"
#include "harness/process/save_file.h"

// Milliseconds of the stage with this name; 0 if the way has none or it was not timed.
static double stage_ms(const Row *row, const char *name) {
  for (int s = 0; row->way->stages[s] != NULL; s++)
    if (strcmp(row->way->stages[s], name) == 0) return row->stage_ms[s];
  return 0.0;
}

static double gkeys_per_s(const Row *row) {
  return row->median_ms > 0.0 ? (double)row->n / row->median_ms * 1e-6 : 0.0;
}

// Gigabytes per second received from other ranks by the rank that received most; 0: not timed.
static double exchange_gb_per_s(const Row *row) {
  const double ms = stage_ms(row, "exchange"), bytes = row->pairs ? 8.0 : 4.0;
  return ms > 0.0 ? bytes * (double)row->received / ms * 1e-6 : 0.0;
}

// The largest share over the average one.
static double balance(const Row *row, int ranks) {
  return row->n > 0 ? (double)row->judgement.largest * ranks / (double)row->n : 1.0;
}

// Throughput of the copies in percent of bare copies; each element is copied in and out twice.
static double percent_of_copies(const Row *row) {
  if (row->baselines.copy_bytes_per_second <= 0.0 || row->median_ms <= 0.0) return 0.0;
  const double bytes = 4.0 * (row->pairs ? 8.0 : 4.0) * (double)row->n;
  return 100.0 * bytes / row->baselines.copy_bytes_per_second / (1e-3 * row->median_ms);
}

// ---- table --------------------------------------------------------------------------------------

// A second line: what was measured beside the whole sort.
static void write_details(FILE *to, const Row *row) {
  const char *before = "     ";
  for (int s = 0; row->way->stages[s] != NULL; s++) {
    if (row->stage_ms[s] <= 0.0) continue;
    fprintf(to, "%s%s %.3f", before, row->way->stages[s], row->stage_ms[s]);
    before = ", ";
  }
  if (exchange_gb_per_s(row) > 0.0)
    fprintf(to, "; exchange %.3g GB/s a rank", exchange_gb_per_s(row));
  if (row->baselines.share_ms > 0.0)
    fprintf(to, "%sone device: its share %.3f", before, row->baselines.share_ms);
  if (row->baselines.all_ms > 0.0)
    fprintf(to, ", everything %.3f (%.2fx)", row->baselines.all_ms,
            row->baselines.all_ms / row->median_ms);
  if (row->baselines.thrust_nccl_ms > 0.0)
    fprintf(to, "; Thrust and NCCL: %.3f (%.2fx)", row->baselines.thrust_nccl_ms,
            row->baselines.thrust_nccl_ms / row->median_ms);
  if (percent_of_copies(row) > 0.0)
    fprintf(to, "%sbare copies %.3g GB/s in + out, the sort reaches %.2g%%", before,
            row->baselines.copy_bytes_per_second / 1e9, percent_of_copies(row));
  if (*before == ',' || row->baselines.share_ms > 0.0 || percent_of_copies(row) > 0.0)
    fprintf(to, "\n");
}

static void write_row(FILE *to, const Row *row, int ranks) {
  fprintf(to, "%-14s %-6s %13llu ", row->input, row->pairs ? "pairs" : "keys",
          (unsigned long long)row->n);
  if (row->repetitions == 0) {
    fprintf(to, "%s\n", row->judgement.text);
    return;
  }
  fprintf(to, "%11.3f %7.1f%% %10.4g %9.3f  %s\n", row->median_ms, 100.0 * row->noise,
          gkeys_per_s(row), balance(row, ranks), row->judgement.text);
  write_details(to, row);
}

static void write_table(FILE *to, const Report *report) {
  const Conditions *const c = &report->conditions;
  fprintf(to, "%s on %d rank%s, each with %s (%s backend), transport %s; times in ms\n\n",
          sort_version.name, report->world->ranks, report->world->ranks == 1 ? "" : "s",
          c->device.name, c->device.backend, report->transport);
  fprintf(to, "%-14s %-6s %13s %11s %8s %10s %9s  %s\n", "input", "what", "n", "median", "noise",
          "Gkeys/s", "balance", "verdict");
  for (int i = 0; i < report->count; i++) write_row(to, &report->rows[i], report->world->ranks);
}

// ---- csv ----------------------------------------------------------------------------------------

static void write_csv(FILE *to, const Report *report) {
  fprintf(to,
          "version,backend,device,ranks,transport,way,input,what,n,verdict,repetitions,median_ms,"
          "min_ms,noise,gkeys_per_s,balance,exchange_gb_per_s,share_ms,all_ms,"
          "thrust_nccl_ms,percent_of_copies\n");
  for (int i = 0; i < report->count; i++) {
    const Row *const row = &report->rows[i];
    fprintf(to,
            "%s,%s,\"%s\",%d,%s,%s,\"%s\",%s,%llu,\"%s\",%d,%.6g,%.6g,%.4g,%.6g,%.4f,%.4g,%.6g,"
            "%.6g,%.6g,%.4g\n",
            sort_version.name, report->conditions.device.backend, report->conditions.device.name,
            report->world->ranks, report->transport, row->way->name, row->input,
            row->pairs ? "pairs" : "keys", (unsigned long long)row->n, row->judgement.text,
            row->repetitions, row->median_ms, row->min_ms, row->noise, gkeys_per_s(row),
            balance(row, report->world->ranks), exchange_gb_per_s(row), row->baselines.share_ms,
            row->baselines.all_ms, row->baselines.thrust_nccl_ms, percent_of_copies(row));
  }
}

// ---- json ---------------------------------------------------------------------------------------

// A number, or null where nothing was measured.
static json_t *measured(double value) { return value > 0.0 ? json_real(value) : json_null(); }

static json_t *row_json(const Row *row, int ranks) {
  json_t *const json =
      json_pack("{s:s, s:s, s:s, s:I, s:b, s:s, s:i, s:f}", "way", row->way->name, "input",
                row->input, "what", row->pairs ? "pairs" : "keys", "n", (json_int_t)row->n, "right",
                row->judgement.right, "verdict", row->judgement.text, "repetitions",
                row->repetitions, "balance", balance(row, ranks));
  json_t *const stages = json_object();
  for (int s = 0; row->way->stages[s] != NULL; s++)
    if (row->stage_ms[s] > 0.0)
      json_object_set_new(stages, row->way->stages[s], json_real(row->stage_ms[s]));
  json_object_set_new(json, "stages_ms", stages);
  json_object_set_new(json, "median_ms", measured(row->median_ms));
  json_object_set_new(json, "min_ms", measured(row->min_ms));
  json_object_set_new(json, "noise", row->repetitions > 1 ? json_real(row->noise) : json_null());
  json_object_set_new(json, "gkeys_per_s", measured(gkeys_per_s(row)));
  json_object_set_new(json, "received_elements", json_integer((json_int_t)row->received));
  json_object_set_new(json, "exchange_gb_per_s", measured(exchange_gb_per_s(row)));
  json_object_set_new(json, "one_device_share_ms", measured(row->baselines.share_ms));
  json_object_set_new(json, "one_device_all_ms", measured(row->baselines.all_ms));
  json_object_set_new(json, "thrust_nccl_ms", measured(row->baselines.thrust_nccl_ms));
  json_object_set_new(json, "copy_gb_per_s", measured(row->baselines.copy_bytes_per_second / 1e9));
  json_object_set_new(json, "percent_of_copies", measured(percent_of_copies(row)));
  return json;
}

static void write_json(FILE *to, const Report *report) {
  const Conditions *const c = &report->conditions;
  json_t *const rows = json_array();
  for (int i = 0; i < report->count; i++)
    json_array_append_new(rows, row_json(&report->rows[i], report->world->ranks));
  json_t *const device =
      json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:I, s:s, s:i}", "name", c->device.name, "backend",
                c->device.backend, "driver", c->driver, "clocks", c->clocks, "driver_version",
                c->device.driver_version, "runtime_version", c->device.runtime_version,
                "global_memory_bytes", (json_int_t)c->device.global_memory, "host_cpu", c->host_cpu,
                "host_threads", c->host_threads);
  json_t *const record =
      json_pack("{s:i, s:s, s:s, s:o, s:i, s:i, s:s, s:i, s:i, s:s, s:s, s:I, s:I, s:o}", "schema",
                3, "program", "multi_sort", "version", sort_version.name, "device", device, "ranks",
                report->world->ranks, "ranks_of_this_machine", report->world->local_ranks,
                "transport", report->transport, "chunks", report->request->chunks, "digit_bits",
                report->request->digit_bits, "date", c->date, "commit", c->commit, "seed",
                (json_int_t)report->request->seed, "device_memory_limit",
                (json_int_t)report->request->device_memory, "rows", rows);
  json_dumpf(record, to, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
  fputc('\n', to);
  json_decref(record);
}

bool report_check(const Request *request, Message *message) {
  for (int i = 0; i < request->export_count; i++) {
    SaveFile file;
    if (!save_file_open(request->exports[i].path, &file, message)) return false;
    save_file_drop(&file);
  }
  return true;
}

bool report_write(const Report *report, Message *message) {
  static void (*const writers[])(FILE *, const Report *) = {write_table, write_csv, write_json};
  writers[report->request->format](stdout, report);
  for (int i = 0; i < report->request->export_count; i++) {
    const Export *const export = &report->request->exports[i];
    SaveFile file;
    if (!save_file_open(export->path, &file, message)) return false;
    writers[export->format](file.stream, report);
    if (!save_file_commit(&file, message)) return false;
  }
  return true;
}
