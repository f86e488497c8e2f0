#include "harness/hw4/score_progress.h"

#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#include "harness/measure/clock.h"

ScoreProgress score_progress_start(size_t all) {
  const double now = seconds_now();
  return (ScoreProgress){
      .on_terminal = isatty(STDERR_FILENO), .all = all, .start = now, .last = now + 0.5};
}

void score_progress_step(ScoreProgress *progress) {
  if (!progress->on_terminal) return;
  size_t done;
#pragma omp atomic capture
  done = ++progress->done;
  if (omp_get_thread_num() != 0) return;
  const double now = seconds_now();
  if (now - progress->last < 0.5) return;
  progress->last = now;
  progress->shown = true;
  const double left = (now - progress->start) * (double)(progress->all - done) / (double)done;
  fprintf(stderr, "\r\033[K%s: scores, %.0f%%, %d:%02d left", program_invocation_short_name,
          100.0 * (double)done / (double)progress->all, (int)(left / 60.0), (int)left % 60);
  fflush(stderr);
}

void score_progress_end(ScoreProgress *progress) {
  if (progress->shown) fputs("\r\033[K", stderr);
  progress->shown = false;
}
