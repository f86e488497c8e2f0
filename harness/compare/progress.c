#include "harness/compare/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/measure/clock.h"

static bool shown;

// A row's time, roughly and in no unit: a constant and its elements.
static double cost(const Row *row) {
  return row->status == ROW_REFUSED ? 0.0 : 2e5 + (double)row->n;
}

void progress_show(const Plan *plan, size_t row) {
  static double start, last;
  static size_t last_row;
  const double now = seconds_now();
  if (start == 0.0) start = now;
  if (row >= plan->count || !isatty(STDERR_FILENO)) return;
  if (shown && row == last_row && now - last < 1.0) return;
  last = now;
  last_row = row;
  double done = 0.0, all = 0.0;
  for (size_t i = 0; i < plan->count; i++) {
    all += cost(&plan->rows[i]);
    if (i < row) done += cost(&plan->rows[i]);
  }
  char label[100], left[40] = "";
  row_label(&plan->rows[row], label, sizeof label);
  if (done > 0.0) {
    const double seconds = (now - start) * (all - done) / done;
    snprintf(left, sizeof left, ", %d:%02d left", (int)(seconds / 60.0), (int)fmod(seconds, 60.0));
  }
  // ?7: a line that is too long is cut off; wrapped, only its end could be overwritten.
  fprintf(stderr, "\r\033[K\033[?7l%zu/%zu %s, %zu %s %s%s\033[?7h", row + 1, plan->count, label,
          plan->rows[row].n, plan->rows[row].source->name, elements_name(&plan->rows[row]), left);
  fflush(stderr);
  shown = true;
}

void progress_clear(void) {
  if (shown) fputs("\r\033[K", stderr);
  shown = false;
}
