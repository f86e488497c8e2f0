// csv and md: a line per row, for spreadsheets and for documents.
#include <string.h>

#include "harness/compare/compare.h"

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

// Notes that are no rows go to stderr, so that stdout stays one table.
static void note_left_out(const Plan *plan) {
  for (size_t i = 0; i < plan->left_out_count; i++)
    fprintf(stderr, "compare: left out at n = %zu: %s (%s)\n", plan->left_out[i].n,
            plan->left_out[i].version->name, plan->left_out[i].reason);
}

// ---- csv (RFC 4180) ----------------------------------------------------------------------------

static void field(const char *text) {
  if (strpbrk(text, ",\"\r\n") == NULL) {
    printf("%s,", text);
    return;
  }
  putchar('"');
  for (; *text != '\0'; text++) {
    if (*text == '"') putchar('"');
    putchar(*text);
  }
  fputs("\",", stdout);
}

static void csv_begin(const Conditions *conditions, const Request *request, const Plan *plan) {
  (void)conditions;
  (void)request;
  puts(
      "version,n,input,what,knobs,status,verdict,stages_ms,backend,device,date,commit,seed,"
      "baseline,"
      "best,repetitions,limit,median_ms,mean_ms,min_ms,noise,gkeys_per_s,effective_gb_per_s,"
      "percent_of_copy_rate,ratio_to_baseline");
  note_left_out(plan);
}

static void csv_row(const Row *row, const Conditions *conditions, const Request *request,
                    const Plan *plan) {
  (void)plan;
  char text[300];
  printf("%s,%zu,", row->loaded->version->name, row->n);
  field(row->source->name);
  field(row->pairs ? "pairs" : "keys");
  knob_list(row, text, sizeof text);
  field(text);
  field(status_name(row->status));
  row_verdict(row, text, sizeof text);
  field(text);
  stage_list(row, ";", text, sizeof text);
  field(text);
  field(conditions->device.backend);
  field(conditions->device.name);
  printf("%s,%s,%llu,%s,%d,", conditions->date, conditions->commit,
         (unsigned long long)request->seed, request->baseline == NULL ? "" : request->baseline,
         row->best);
  if (row->status != ROW_RIGHT) {
    puts(",,,,,,,,,");
    return;
  }
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  printf("%d,%s,%.6g,%.6g,%.6g,%.4g,%.6g,%.6g,%.4g,", m->repetitions, limit_name(m->limit),
         m->median_ms, m->mean_ms, m->min_ms, m->noise, rates.gkeys_per_s, rates.gb_per_s,
         rates.percent_of_copy);
  if (row->ratio > 0.0) printf("%.4g", row->ratio);
  putchar('\n');
}

static void csv_end(const Conditions *conditions, const Request *request, const Plan *plan,
                    bool interrupted) {
  (void)conditions;
  (void)request;
  (void)plan;
  if (interrupted) fputs("compare: interrupted; the rows are complete\n", stderr);
}

const Output csv_output = {csv_begin, csv_row, csv_end};

// ---- md ----------------------------------------------------------------------------------------

static void cell(const char *text) {
  fputs(" ", stdout);
  for (; *text != '\0'; text++) {
    if (*text == '|') putchar('\\');
    putchar(*text == '\n' ? ' ' : *text);
  }
  fputs(" |", stdout);
}

static void md_begin(const Conditions *c, const Request *request, const Plan *plan) {
  char cuda[64];
  cuda_versions(&c->device, cuda, sizeof cuda);
  printf(
      "%s (%s backend), driver %s, CUDA %s, copy rate %.4g GB/s, clocks: %s, host: %s, %s, commit "
      "%s, seed %llu\n\n",
      c->device.name, c->device.backend, c->driver, cuda, c->copy_bytes_per_second / 1e9, c->clocks,
      c->host_cpu, c->date, c->commit, (unsigned long long)request->seed);
  puts(
      "| version | n | input | what | median ms | min ms | noise | runs, ended by | Gkeys/s | GB/s "
      "| copy | ratio | verdict | stages ms |");
  puts("|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|---|");
  note_left_out(plan);
}

static void md_row(const Row *row, const Conditions *conditions, const Request *request,
                   const Plan *plan) {
  (void)request;
  (void)plan;
  char text[300];
  row_label(row, text, sizeof text);
  putchar('|');
  cell(text);
  printf(" %zu |", row->n);
  cell(row->source->name);
  cell(row->pairs ? "pairs" : "keys");
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  if (row->status == ROW_RIGHT)
    printf(" %.4f | %.4f | %.1f%% | %d, %s | %.4g | %.4g | %.1f%% |", m->median_ms, m->min_ms,
           100.0 * m->noise, m->repetitions, limit_name(m->limit), rates.gkeys_per_s,
           rates.gb_per_s, rates.percent_of_copy);
  else
    fputs(" | | | | | | |", stdout);
  if (row->ratio > 0.0)
    printf(" %.3g%s |", row->ratio, row->best ? " (best)" : "");
  else
    cell(row->best ? "(best)" : "");
  row_verdict(row, text, sizeof text);
  cell(text);
  stage_list(row, ", ", text, sizeof text);
  cell(text);
  putchar('\n');
}

static void md_end(const Conditions *conditions, const Request *request, const Plan *plan,
                   bool interrupted) {
  (void)conditions;
  (void)request;
  (void)plan;
  if (interrupted) puts("\nInterrupted: the rows above are complete, the others are missing.");
}

const Output md_output = {md_begin, md_row, md_end};
