#include "harness/compare/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/check.h"

// With the longest name of a version, numbers and verdict fill the 80 columns of a terminal.
enum { BAR_CELLS = 12, BASELINE_CELLS = 4, NUMBERS_WIDTH = 62 };

typedef struct Table {
  FILE *to;
  bool color, bars;
  bool wraps;       // long sentences: on a terminal, or if COLUMNS is set
  int columns;      // of the terminal, or what fits a page
  int label_width;  // of the first column
  int group;        // of the last row; -1: none yet
  int used;         // columns of the line that is being written
} Table;

static const char *const RED = "\033[1;31m", *const GREEN = "\033[32m", *const YELLOW = "\033[33m",
                         *const CYAN = "\033[36m", *const BOLD = "\033[1m", *const DIM = "\033[2m",
                         *const PLAIN = "\033[0m";

static const char *paint(const Table *table, const char *escape) {
  return table->color ? escape : "";
}

// ---- the head ----------------------------------------------------------------------------------

static Table *make_table(FILE *to, const Request *request, const Plan *plan) {
  Table *const table = MEMORY_CHECK(calloc(1, sizeof *table));
  *table = (Table){.to = to, .columns = 120, .label_width = (int)strlen("version"), .group = -1};
  struct winsize window;
  const bool terminal = isatty(fileno(to));
  const char *const columns = getenv("COLUMNS");
  table->color = terminal && !request->no_color;
  if (terminal && ioctl(fileno(to), TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    table->columns = window.ws_col;
  else if (columns != NULL && strtol(columns, NULL, 10) > 0)
    table->columns = (int)strtol(columns, NULL, 10);
  table->wraps = terminal || columns != NULL;
  for (size_t i = 0; i < plan->count; i++) {
    char label[100];
    row_label(&plan->rows[i], label, sizeof label);
    const int length = (int)strlen(label) + (plan->rows[i].swept ? 2 : 0);
    if (length > table->label_width) table->label_width = length;
  }
  // No bars rather than a line that wraps.
  table->bars = terminal && table->label_width + NUMBERS_WIDTH + BAR_CELLS + 1 <= table->columns;
  return table;
}

static void begin(Output *output) {
  const Conditions *const c = &output->comparison->conditions;
  const Request *const request = output->comparison->request;
  Table *const table = make_table(output->to, request, output->comparison->plan);
  output->state = table;
  FILE *const to = output->to;
  char cuda[64];
  cuda_versions(&c->device, cuda, sizeof cuda);
  fprintf(to, "%s%s%s (%s backend), driver %s, CUDA %s, copy rate %.4g GB/s\n", paint(table, BOLD),
          c->device.name, paint(table, PLAIN), c->device.backend, c->driver, cuda,
          c->copy_bytes_per_second / 1e9);
  fprintf(to, "clocks: %s; %s; commit %s; seed %llu\n", c->clocks, c->date, c->commit,
          (unsigned long long)request->seed);
  fprintf(to, "host: %s, usable CPUs: %d", c->host_cpu, c->host_threads);
  if (c->load_average >= 0.0) fprintf(to, ", load average %.2f", c->load_average);
  fprintf(to, "\ntimes: median of up to %d runs; fewer ", request->plan.max_repetitions);
  if (request->plan.settled_noise > 0.0)
    fprintf(to, "once its noise is under %g%%, or ", 100.0 * request->plan.settled_noise);
  fprintf(to, "after %g s\n", request->plan.max_seconds);
  const unsigned char *const o = request->offsets;
  if (o[0] + o[1] + o[2] + o[3] > 0)
    fprintf(to, "arrays: %d, %d, %d and %d elements behind an aligned address\n", o[0], o[1], o[2],
            o[3]);
}

static void print_group_head(const Table *table, const Row *row, const Request *request) {
  char n[32];
  fprintf(table->to, "\n%s%s %s, %s%s\n", paint(table, BOLD), number_grouped(row->n, n),
          elements_name(row), row->source->name, paint(table, PLAIN));
  const int bar = table->bars ? BAR_CELLS + 1 : 0;
  const char *const stages = "      stages ms";
  const bool has_room = table->label_width + NUMBERS_WIDTH + bar + 11 <= table->columns;
  fprintf(table->to, "%s%-*s %9s %6s %5s %4s %7s %5s %5s %8s%*s%s%s\n", paint(table, DIM),
          table->label_width, "version", "median ms", "min ms", "noise", "runs", "Gkeys/s", "GB/s",
          "copy", "ratio", bar, "", request->plan.stages && has_room ? stages : "",
          paint(table, PLAIN));
}

// ---- a row -------------------------------------------------------------------------------------

static void print_numbers(const Table *table, const Row *row, const Conditions *conditions) {
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  char text[6][32], noise[32] = "-", ratio[40] = "-";
  if (m->repetitions > 1) number_percent(100.0 * m->noise, noise);
  if (row->ratio > 0.0)
    snprintf(ratio, sizeof ratio, "%sx", number_short(row->ratio, 3, 5, text[5]));
  fprintf(
      table->to, "%9s %6s %s%5s%s %4d %7s %5s %5s %8s", number_short(m->median_ms, 5, 4, text[0]),
      number_short(m->min_ms, 5, 4, text[1]), row_is_noisy(row) ? paint(table, YELLOW) : "", noise,
      row_is_noisy(row) ? paint(table, PLAIN) : "", m->repetitions,
      number_short(rates.gkeys_per_s, 3, 5, text[2]), number_short(rates.gb_per_s, 4, 3, text[3]),
      number_percent(rates.percent_of_copy, text[4]), ratio);
}

// Eighths of cells; the baseline fills BASELINE_CELLS, and a tip marks a bar that is cut off.
static void print_bar(const Table *table, double ratio) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double cells = ratio * BASELINE_CELLS;
  const bool more = cells > BAR_CELLS;
  const int parts = more ? 8 * (BAR_CELLS - 1) : (int)(cells * 8.0 + 0.5);
  fprintf(table->to, " %s", paint(table, CYAN));
  for (int i = 0; i < parts / 8; i++) fputs("█", table->to);
  fputs(more ? "▶" : eighths[parts % 8], table->to);
  const int used = parts / 8 + (more || parts % 8 != 0);
  fprintf(table->to, "%s%*s", paint(table, PLAIN), BAR_CELLS - used, "");
}

// Prints a piece of text after the numbers, or on the next line if it does not fit.
static void print_piece(Table *table, const char *text, const char *color) {
  const int indent = table->label_width + 2, length = 2 + (int)strlen(text);
  if (table->used + length > table->columns) {
    fprintf(table->to, "\n%*s", indent, "");
    table->used = indent;
  }
  fprintf(table->to, "  %s%s%s", paint(table, color), text,
          color[0] == '\0' ? "" : paint(table, PLAIN));
  table->used += length;
}

static void print_stages(Table *table, const Row *row) {
  for (int i = 0; i < row->measured.stages; i++) {
    char text[120], ms[32];
    snprintf(text, sizeof text, "%s %s", row->loaded->version->stages[i],
             number_short(row->measured.stage_ms[i], 3, 4, ms));
    print_piece(table, text, "");
  }
}

static void print_counts(Table *table, const Row *row) {
  const CudaCpuCounts *const counts = &row->measured.counts;
  const double n = row->n > 0 ? (double)row->n : 1.0;
  const double requests = counts->requests > 0.0 ? counts->requests : 1.0;
  const struct {
    const char *name;
    double value;
  } numbers[] = {{"bytes", counts->bytes / n},
                 {"sectors/request", counts->sectors / requests},
                 {"bank conflicts", counts->conflicts / n},
                 {"atomics", counts->atomics / n}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[80], value[32];
    snprintf(text, sizeof text, "%s %s", numbers[i].name,
             number_short(numbers[i].value, 3, 2, value));
    print_piece(table, text, "");
  }
}

static void print_array(FILE *to, const char *name, const unsigned int *array, size_t n) {
  fprintf(to, "    %-10s", name);
  for (size_t i = 0; i < n; i++) fprintf(to, " %u", array[i]);
  fputc('\n', to);
}

static void print_arrays(FILE *to, const Row *row) {
  if (row->status != ROW_RIGHT && row->status != ROW_WRONG) return;
  print_array(to, "before:", row->printed.before, row->n);
  print_array(to, "after:", row->printed.after, row->n);
  if (row->pairs) print_array(to, "positions:", row->printed.positions, row->n);
}

// Prints a sentence after the label. What does not fit goes on below, word by word.
static void print_sentence(const Table *table, const char *text) {
  enum { LEAST_WIDTH = 24 };  // on a narrower place words would stand alone
  const int indent = table->label_width + 1;
  int left = table->wraps && table->columns - indent >= LEAST_WIDTH ? table->columns - indent : -1;
  if (left < 0) {
    fputs(text, table->to);
    return;
  }
  for (bool first = true; *text != '\0'; first = false) {
    const int length = (int)strcspn(text, " ");
    if (!first && length + 1 > left) {
      fprintf(table->to, "\n%*s", indent, "");
      left = table->columns - indent;
      first = true;
    }
    fprintf(table->to, "%s%.*s", first ? "" : " ", length, text);
    left -= length + (first ? 0 : 1);
    text += length + (text[length] == ' ');
  }
}

static void print_line(Table *table, const Row *row, const Comparison *comparison) {
  const Conditions *const conditions = &comparison->conditions;
  char label[112], name[100], verdict[VERDICT_SIZE], notes[40];
  row_label(row, name, sizeof name);
  snprintf(label, sizeof label, "%s%s", name, row->best ? " <" : "");
  fprintf(table->to, "%s%-*s%s ", row->best ? paint(table, BOLD) : "", table->label_width, label,
          paint(table, PLAIN));
  row_verdict(row, verdict, sizeof verdict);
  if (row->status != ROW_RIGHT) {
    fputs(paint(table, RED), table->to);
    print_sentence(table, verdict);
    fprintf(table->to, "%s\n", paint(table, PLAIN));
    return;
  }
  print_numbers(table, row, conditions);
  if (table->bars) print_bar(table, row->ratio);
  fprintf(table->to, " %s%s%s", paint(table, GREEN), verdict, paint(table, PLAIN));
  table->used = table->label_width + NUMBERS_WIDTH + (table->bars ? BAR_CELLS + 1 : 0);
  row_notes(row, conditions, notes, sizeof notes);
  if (notes[0] != '\0') print_piece(table, notes, YELLOW);
  print_stages(table, row);
  if (comparison->request->counts) print_counts(table, row);
  fputc('\n', table->to);
}

// ---- groups ------------------------------------------------------------------------------------

static void print_left_out(const Table *table, const Plan *plan, int group) {
  const char *separator = "left out: ";
  for (size_t i = 0; i < plan->left_out_count; i++) {
    const LeftOut *const out = &plan->left_out[i];
    if (out->group != group) continue;
    fprintf(table->to, "%s%s%s (%s)", paint(table, DIM), separator, out->version->name,
            out->reason);
    separator = ", ";
  }
  if (separator[0] == ',')
    fprintf(table->to, "; naming one runs it if it can%s\n", paint(table, PLAIN));
}

// The last group is complete, and groups before `next` have no rows.
static void end_groups(Table *table, const Plan *plan, int next) {
  char text[400];
  if (table->group >= 0 && summary_of_group(plan, table->group, text, sizeof text))
    fprintf(table->to, "%s%s%s\n", paint(table, BOLD), text, paint(table, PLAIN));
  for (int group = table->group < 0 ? 0 : table->group; group < next; group++)
    print_left_out(table, plan, group);
}

static void print_row(Output *output, const Row *row) {
  const Comparison *const comparison = output->comparison;
  Table *const table = output->state;
  if (row->group != table->group) {
    end_groups(table, comparison->plan, row->group);
    print_group_head(table, row, comparison->request);
    table->group = row->group;
  }
  print_line(table, row, comparison);
  if (comparison->request->print) print_arrays(output->to, row);
}

static void end(Output *output) {
  const Plan *const plan = output->comparison->plan;
  Table *const table = output->state;
  bool swept = false;
  const Row *baseline = NULL;
  for (size_t i = 0; i < plan->count; i++) {
    swept = swept || plan->rows[i].swept;
    if (plan->rows[i].is_baseline) baseline = &plan->rows[i];
  }
  if (output->comparison->interrupted) {
    fputs("\ninterrupted: the rows above are complete, the others are missing\n", output->to);
  } else {
    end_groups(table, plan, table->group + 1);
    fputs("\nGB/s: each element read once and written once; copy: share of the copy rate\n",
          output->to);
    if (baseline != NULL)
      fprintf(output->to, "ratio: how many times as fast as %s\n", baseline->loaded->version->name);
    if (output->comparison->request->counts)
      fputs("bytes, bank conflicts, atomics: per element, counted\n", output->to);
    if (swept) fputs("<: the best of its sweep\n", output->to);
  }
  free(table);
}

const OutputFormat table_format = {
    .order = ORDER_TIME, .begin = begin, .row = print_row, .end = end};
