// The sort of the image's scores: its runs, and whether its time can be true.
#ifndef HW4_TIMED_SORT_H
#define HW4_TIMED_SORT_H

#include "harness/hw4/session.h"

// The same keys in another order, which no earlier run, not even of another process, had: a sort
// must not find its answer in memory or in a file. To be freed by the caller.
Trial timed_sort_input(const Trial *trial);

// Sorts the trial. Ends the program if the sorter fails or keeps scratch memory.
void timed_sort_run(const Session *session, Trial *trial, SortTimes *times);

bool timed_sort_is_right(const Trial *trial, bool stable);

// A time that this process's clock contradicts again and again is not a time: returns false and the
// sentence. Runs the sort again while in doubt; *times is then that of the most credible run.
bool timed_sort_check(const Session *session, const Trial *trial, SortTimes *times,
                      Message *message);

#endif
