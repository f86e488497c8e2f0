#include "harness/compare/output.h"

#include <string.h>

// "blockSize=512;nBits=4", or stages "hist=0.1;scan=0.02".
static void knob_list(const Row *row, char *text, size_t size) {
  const SortKnob *const knobs = row->loaded->version->knobs;
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; knobs[i].name != NULL && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s=%d", i == 0 ? "" : ";", knobs[i].name,
                             row->knobs[i]);
}

static void stage_list(const Row *row, const char *separator, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < row->measured.stages && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s=%.6g", i == 0 ? "" : separator,
                             row->loaded->version->stages[i], row->measured.stage_ms[i]);
}

// ---- csv (RFC 4180) ----------------------------------------------------------------------------

static void field(FILE *to, const char *text) {
  if (strpbrk(text, ",\"\r\n") == NULL) {
    fprintf(to, "%s,", text);
    return;
  }
  fputc('"', to);
  for (; *text != '\0'; text++) {
    if (*text == '"') fputc('"', to);
    fputc(*text, to);
  }
  fputs("\",", to);
}

static void csv_begin(Output *output) {
  fputs(
      "version,n,input,what,knobs,status,verdict,stages_ms,backend,device,date,commit,seed,"
      "baseline,best,repetitions,limit,median_ms,mean_ms,min_ms,noise,gkeys_per_s,"
      "effective_gb_per_s,percent_of_copy_rate,ratio_to_baseline\n",
      output->to);
}

static void csv_row(Output *output, const Row *row) {
  const Conditions *const conditions = &output->comparison->conditions;
  const Request *const request = output->comparison->request;
  FILE *const to = output->to;
  char text[VERDICT_SIZE];
  fprintf(to, "%s,%zu,", row->loaded->version->name, row->n);
  field(to, row->source->name);
  field(to, elements_name(row));
  knob_list(row, text, sizeof text);
  field(to, text);
  field(to, status_name(row->status));
  row_verdict(row, text, sizeof text);
  field(to, text);
  stage_list(row, ";", text, sizeof text);
  field(to, text);
  field(to, conditions->device.backend);
  field(to, conditions->device.name);
  fprintf(to, "%s,%s,%llu,%s,%d,", conditions->date, conditions->commit,
          (unsigned long long)request->seed, request->baseline == NULL ? "" : request->baseline,
          row->best);
  if (row->status != ROW_RIGHT) {
    fputs(",,,,,,,,,\n", to);
    return;
  }
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  fprintf(to, "%d,%s,%.6g,%.6g,%.6g,%.4g,%.6g,%.6g,%.4g,", m->repetitions, limit_name(m->limit),
          m->median_ms, m->mean_ms, m->min_ms, m->noise, rates.gkeys_per_s, rates.gb_per_s,
          rates.percent_of_copy);
  if (row->ratio > 0.0) fprintf(to, "%.4g", row->ratio);
  fputc('\n', to);
}

const OutputFormat csv_format = {.order = ORDER_GIVEN, .begin = csv_begin, .row = csv_row};

// ---- md ----------------------------------------------------------------------------------------

static void cell(FILE *to, const char *text) {
  fputc(' ', to);
  for (; *text != '\0'; text++) {
    if (*text == '|') fputc('\\', to);
    fputc(*text == '\n' ? ' ' : *text, to);
  }
  fputs(" |", to);
}

static void md_begin(Output *output) {
  const Conditions *const c = &output->comparison->conditions;
  char cuda[64];
  cuda_versions(&c->device, cuda, sizeof cuda);
  fprintf(output->to,
          "%s (%s backend), driver %s, CUDA %s, copy rate %.4g GB/s, clocks: %s, host: %s, %s, "
          "commit %s, seed %llu\n\n",
          c->device.name, c->device.backend, c->driver, cuda, c->copy_bytes_per_second / 1e9,
          c->clocks, c->host_cpu, c->date, c->commit,
          (unsigned long long)output->comparison->request->seed);
  fputs(
      "| version | n | input | what | median ms | min ms | noise | runs, ended by | Gkeys/s | GB/s "
      "| copy | ratio | verdict | stages ms |\n"
      "|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|\n",
      output->to);
}

static void md_numbers(FILE *to, const Row *row, const Conditions *conditions) {
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  char noise[32] = "";
  if (m->repetitions > 1) snprintf(noise, sizeof noise, "%.1f%%", 100.0 * m->noise);
  if (row->status == ROW_RIGHT)
    fprintf(to, " %.4f | %.4f | %s | %d, %s | %.4g | %.4g | %.1f%% |", m->median_ms, m->min_ms,
            noise, m->repetitions, limit_name(m->limit), rates.gkeys_per_s, rates.gb_per_s,
            rates.percent_of_copy);
  else
    fputs(" | | | | | | |", to);
  if (row->ratio > 0.0)
    fprintf(to, " %.3g%s |", row->ratio, row->best ? " (best)" : "");
  else
    cell(to, row->best ? "(best)" : "");
}

static void md_row(Output *output, const Row *row) {
  const Conditions *const conditions = &output->comparison->conditions;
  FILE *const to = output->to;
  char text[VERDICT_SIZE], notes[40], verdict[VERDICT_SIZE + 50];
  row_label(row, text, sizeof text);
  fputc('|', to);
  cell(to, text);
  fprintf(to, " %zu |", row->n);
  cell(to, row->source->name);
  cell(to, elements_name(row));
  md_numbers(to, row, conditions);
  row_verdict(row, text, sizeof text);
  row_notes(row, conditions, notes, sizeof notes);
  snprintf(verdict, sizeof verdict, "%s%s%s", text, notes[0] == '\0' ? "" : ", ", notes);
  cell(to, verdict);
  stage_list(row, ", ", text, sizeof text);
  cell(to, text);
  fputc('\n', to);
}

static void md_end(Output *output) {
  const Plan *const plan = output->comparison->plan;
  if (output->comparison->interrupted) {
    fputs("\nInterrupted: the rows above are complete, the others are missing.\n", output->to);
    return;
  }
  for (size_t i = 0; i < plan->count; i++) {
    const Row *const row = &plan->rows[i];
    char text[400];
    if (row->starts_workload && summary_of_group(plan, row->group, text, sizeof text))
      fprintf(output->to, "\n%zu %s, %s: %s.\n", row->n, elements_name(row), row->source->name,
              text);
  }
}

const OutputFormat md_format = {
    .order = ORDER_TIME, .begin = md_begin, .row = md_row, .end = md_end};
