// One line on stderr while an image is scored, only on a terminal: how far it is, and the time
// left.
#ifndef HW4_SCORE_PROGRESS_H
#define HW4_SCORE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ScoreProgress {
  bool on_terminal, shown;
  size_t done, all;    // parts of the work
  double start, last;  // seconds_now: of the start, and of the last line
} ScoreProgress;

ScoreProgress score_progress_start(size_t all);

// A part is done; any thread may call it. Only the first thread of OpenMP writes the line, at most
// twice a second, and not in the first second, in which most images are done.
void score_progress_step(ScoreProgress *progress);

// Removes the line.
void score_progress_end(ScoreProgress *progress);

#endif
