// Sorts that photographs do not contain: small and awkward sizes, all 32 bits, equal keys, other
// positions than 0, 1, .. n - 1; outputs poisoned, arrays guarded; all in one process, so that no
// call is the first.
#ifndef HARNESS_BATTERY_H
#define HARNESS_BATTERY_H

#include "harness/diagnose/diagnosis.h"

enum {
  // Elements of the largest sort: three blocks of 1024 and some more than 2^20, so that a sort
  // that rounds its limit up fails too.
  BATTERY_LARGEST = (1 << 20) + 3 * 1024 + 11,
  BATTERY_GUARD = 4096  // elements before and behind each array
};

typedef enum BatteryOutcome {
  BATTERY_RIGHT,
  BATTERY_WRONG,
  BATTERY_ENDED  // the sort crashed or hung: Rerun.sort returned false
} BatteryOutcome;

typedef struct Battery {
  BatteryOutcome outcome;
  size_t n;             // of the sort that failed
  TrialKind kind;       // and its input
  bool other_order;     // and whether the threads ran in another order
  size_t largest;       // of the sorts that were right
  Diagnosis diagnosis;  // of a wrong sort
  Message summary;      // a line on what was sorted
} Battery;

// Sorts all of them, up to rerun->max_n elements, through rerun->sort: inputs of up to 30,000
// elements, unless they take longer than a minute; BATTERY_LARGEST elements in runs of different
// kinds, unless that is expected to take longer than 100 s (5 s in CHECK builds), then 300,007 or
// 100,003 (battery.largest tells); other keys while a second and a half, or a quarter of a known
// sort more (rerun->known_seconds), has not passed. The summary names the sizes that were left out.
// Then some small ones in another order of threads, where rerun->other_order can do that: a missing
// barrier may show only there. Time is CPU time on a busy machine. The inputs depend on the seed
// alone, and so do five of the sizes.
//
// On the cpu backend the battery of most versions takes 0.1 to 1.7 s (two idle cores of an AMD
// EPYC, elapsed, medians of 3: radix_v1 and radix_v4 1.7, radix_level2 1.6, radix_v3 1.1, radix_v2
// and radix_v7 0.7). The sort of BATTERY_LARGEST, five times as large as the sample image, takes
// four fifths of the CPU time or more for slow versions. It is not left out to save time, because
// some published solutions are right up to 2^20 elements only.
Battery battery_run(const Rerun *rerun, bool stable, uint64_t seed);

#endif
