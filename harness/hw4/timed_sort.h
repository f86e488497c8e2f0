// The timed sort of an image, and whether its time can be true.
#ifndef HW4_TIMED_SORT_H
#define HW4_TIMED_SORT_H

#include "harness/hw4/session.h"

// Keys distributed like those of `trial`, in a rotation of their order: a sort takes as long. No
// earlier run, not even of another process, had these, nor does the answer to one follow from that
// to another: a sort must not find it in memory or in a file. To be freed.
Trial timed_sort_input(const Trial *trial);

// Is the output of a trial right, by a sort of the judge's own?
bool timed_sort_is_right(const Trial *trial, bool stable);

// Sorts a trial in the session's process. Ends the program with exit code 3 if that fails; the
// sentence names memory that was never written, if that is why.
void timed_sort_run(Session *session, Trial *trial, SortTimes *times);

// Checks the time of a right sort by the judge's clock. If the clock contradicts it, such inputs
// are sorted until one has a time that it does not contradict, which replaces *times. False if
// there is none, or if one is sorted wrongly; then *message has the sentence.
//
// Where other programs use the device, each sort waits for its turn, and an honest time is
// contradicted too. That shows in runs of all but the sort: if most of them are so slow, then the
// time by the judge's clock, which is never too short, replaces the sort's own, and *message has a
// sentence on it, else "".
bool timed_sort_check(Session *session, const Trial *trial, SortTimes *times, Message *message);

#endif
