// The table for people: a group per input, a line per version, a bar for its ratio.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/compare/compare.h"

// With the longest name of a version, numbers and verdict fill the 80 columns of a terminal.
enum { BAR_CELLS = 12, BASELINE_CELLS = 4, NUMBERS_WIDTH = 62 };

static struct {
  bool color, bars;
  int columns;      // of the terminal, or what fits a page
  int label_width;  // of the first column
  int group;        // that the last row belonged to
} table = {.group = -1};

static const char *paint(const char *escape) { return table.color ? escape : ""; }

static const char *const RED = "\033[1;31m", *const GREEN = "\033[32m", *const CYAN = "\033[36m",
                         *const BOLD = "\033[1m", *const DIM = "\033[2m", *const PLAIN = "\033[0m";

// "1,000,000"
static const char *grouped(size_t n, char text[32]) {
  char digits[24];
  const int length = snprintf(digits, sizeof digits, "%zu", n);
  int at = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
    text[at++] = digits[i];
  }
  text[at] = '\0';
  return text;
}

// At most `digits` significant digits and `most` decimals, never an exponent.
static const char *number(double value, int digits, int most, char text[32]) {
  const int before = value > 0.0 ? (int)floor(log10(value)) + 1 : 1;
  const int decimals = digits - before;
  snprintf(text, 32, "%.*f", decimals < 0 ? 0 : decimals > most ? most : decimals, value);
  return text;
}

static void look_around(const Request *request, const Plan *plan) {
  struct winsize window;
  const bool terminal = isatty(STDOUT_FILENO);
  const char *const columns = getenv("COLUMNS");
  table.color = terminal && !request->no_color;
  table.columns = 120;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0)
    table.columns = window.ws_col;
  else if (columns != NULL && atoi(columns) > 0)
    table.columns = atoi(columns);
  table.label_width = (int)strlen("version");
  for (size_t i = 0; i < plan->count; i++) {
    char label[100];
    row_label(&plan->rows[i], label, sizeof label);
    const int length = (int)strlen(label) + (plan->rows[i].swept ? 2 : 0);
    if (length > table.label_width) table.label_width = length;
  }
  // Better none than a line that wraps.
  table.bars = terminal && table.label_width + NUMBERS_WIDTH + BAR_CELLS + 1 <= table.columns;
}

static void begin(const Conditions *c, const Request *request, const Plan *plan) {
  look_around(request, plan);
  char cuda[64];
  cuda_versions(&c->device, cuda, sizeof cuda);
  printf("%s%s%s (%s backend), driver %s, CUDA %s, copy rate %.4g GB/s\n", paint(BOLD),
         c->device.name, paint(PLAIN), c->device.backend, c->driver, cuda,
         c->copy_bytes_per_second / 1e9);
  printf("clocks: %s; %s; commit %s; seed %llu\n", c->clocks, c->date, c->commit,
         (unsigned long long)request->seed);
  printf("host: %s, usable CPUs: %d\n", c->host_cpu, c->host_threads);
  printf("median of up to %d runs, ended by ", request->plan.max_repetitions);
  if (request->plan.settled_noise > 0.0)
    printf("* noise of the median under %g%%, ", 100.0 * request->plan.settled_noise);
  printf("r runs, t %g s\n", request->plan.max_seconds);
}

static void print_left_out(const Plan *plan, int group) {
  const char *separator = "left out: ";
  for (size_t i = 0; i < plan->left_out_count; i++) {
    const LeftOut *const out = &plan->left_out[i];
    if (out->group != group) continue;
    printf("%s%s%s (%s)", paint(DIM), separator, out->version->name, out->reason);
    separator = ", ";
  }
  if (separator[0] == ',') printf("; naming one runs it if it can%s\n", paint(PLAIN));
}

static void print_group_head(const Row *row, const Request *request) {
  char n[32];
  printf("\n%s%s %s, %s%s\n", paint(BOLD), grouped(row->n, n), row->pairs ? "pairs" : "keys",
         row->source->name, paint(PLAIN));
  const int bar = table.bars ? BAR_CELLS + 1 : 0;
  const char *const stages = "      stages ms";
  const bool has_room = table.label_width + NUMBERS_WIDTH + bar + 11 <= table.columns;
  printf("%s%-*s %8s %6s %6s  %8s %6s %6s %8s%*s %s%s\n", paint(DIM), table.label_width, "version",
         "median ms", "min ms", "noise", "Gkeys/s", "GB/s", "copy", "ratio", bar, "",
         request->plan.stages && has_room ? stages : "", paint(PLAIN));
}

// Eighths of cells; the baseline fills BASELINE_CELLS, and a tip says that there is more.
static void print_bar(double ratio) {
  static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double cells = ratio * BASELINE_CELLS;
  const bool more = cells > BAR_CELLS;
  const int parts = more ? 8 * (BAR_CELLS - 1) : (int)(cells * 8.0 + 0.5);
  printf(" %s", paint(CYAN));
  for (int i = 0; i < parts / 8; i++) fputs("█", stdout);
  fputs(more ? "▶" : eighths[parts % 8], stdout);
  const int used = parts / 8 + (more || parts % 8 != 0);
  printf("%s%*s", paint(PLAIN), BAR_CELLS - used, "");
}

// "hist 0.0123  scan 0.004": behind the numbers if it fits, else in lines below.
static void print_stages(const Row *row) {
  const int indent = table.label_width + 2;
  int used = table.label_width + NUMBERS_WIDTH + (table.bars ? BAR_CELLS + 1 : 0);
  for (int i = 0; i < row->measured.stages; i++) {
    char text[120], ms[32];
    const int length = snprintf(text, sizeof text, "  %s %s", row->loaded->version->stages[i],
                                number(row->measured.stage_ms[i], 3, 4, ms));
    if (used + length > table.columns) {
      printf("\n%*s", indent, "");
      used = indent;
    }
    fputs(text, stdout);
    used += length;
  }
}

static void print_array(const char *what, const unsigned int *array, size_t n) {
  printf("    %-10s", what);
  for (size_t i = 0; i < n; i++) printf(" %u", array[i]);
  putchar('\n');
}

static void print_arrays(const Row *row) {
  if (row->status != ROW_RIGHT && row->status != ROW_WRONG) return;
  print_array("before:", row->printed.before, row->n);
  print_array("after:", row->printed.after, row->n);
  if (row->pairs) print_array("positions:", row->printed.positions, row->n);
}

static void print_numbers(const Row *row, const Conditions *conditions) {
  const Measurement *const m = &row->measured;
  const Rates rates = row_rates(row, conditions);
  char text[5][32], noise[32] = "-", ratio[40] = "-";
  if (m->repetitions > 1) snprintf(noise, sizeof noise, "%.1f%%", 100.0 * m->noise);
  if (row->ratio > 0.0) snprintf(ratio, sizeof ratio, "%sx", number(row->ratio, 3, 5, text[4]));
  printf("%8s %7s %6s%c %8s %6s %5.1f%% %8s", number(m->median_ms, 5, 4, text[0]),
         number(m->min_ms, 5, 4, text[1]), noise, "*rt"[m->limit],
         number(rates.gkeys_per_s, 3, 6, text[2]), number(rates.gb_per_s, 4, 4, text[3]),
         rates.percent_of_copy, ratio);
}

static void print_row(const Row *row, const Conditions *conditions, const Request *request,
                      const Plan *plan) {
  if (row->group != table.group) {
    if (table.group >= 0) print_left_out(plan, table.group);
    for (int group = table.group + 1; group < row->group; group++) print_left_out(plan, group);
    print_group_head(row, request);
    table.group = row->group;
  }
  char label[112], name[100];
  row_label(row, name, sizeof name);
  snprintf(label, sizeof label, "%s%s", name, row->best ? " <" : "");
  printf("%s%-*s%s ", row->best ? paint(BOLD) : "", table.label_width, label, paint(PLAIN));
  char verdict[300];
  row_verdict(row, verdict, sizeof verdict);
  if (row->status != ROW_RIGHT) {
    printf("%s%s%s\n", paint(RED), verdict, paint(PLAIN));
  } else {
    print_numbers(row, conditions);
    if (table.bars) print_bar(row->ratio);
    printf(" %s%s%s", paint(GREEN), verdict, paint(PLAIN));
    print_stages(row);
    putchar('\n');
  }
  if (request->print) print_arrays(row);
}

static void end(const Conditions *conditions, const Request *request, const Plan *plan,
                bool interrupted) {
  (void)conditions;
  bool swept = false;
  const Row *baseline = NULL;
  for (size_t i = 0; i < plan->count; i++) {
    swept = swept || plan->rows[i].swept;
    if (plan->rows[i].is_baseline) baseline = &plan->rows[i];
  }
  if (interrupted) {
    puts("\ninterrupted: the rows above are complete, the others are missing");
    return;
  }
  if (plan->count > 0) print_left_out(plan, table.group);
  puts("\nGB/s: each element read once and written once; copy: share of the device's copy rate");
  if (baseline != NULL)
    printf("ratio: how many times as fast as %s\n", baseline->loaded->version->name);
  if (swept) puts("<: the best of its sweep");
  (void)request;
}

const Output table_output = {begin, print_row, end};
