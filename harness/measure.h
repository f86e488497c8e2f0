// Timing one sort on one input, the same way for every version.
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "common/stages.h"
#include "harness/verdict.h"
#include "harness/version_list.h"

// An input on the device, with the arrays that a sort of it needs.
typedef struct Workload {
  size_t n;
  bool pairs;
  unsigned int *snapshot;  // the input: keys that no sort gets to see
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;  // positions: NULL for bare keys
} Workload;

typedef struct Measurement {
  int repetitions;
  double median_ms, min_ms;  // of the whole sort, stage events off
  double noise;              // interquartile range over median
  int stages;
  double stage_ms[MAX_STAGES];  // medians of runs with stage events on
  Verdict verdict;
} Measurement;

// Allocates a workload and draws its input (kind: an index of input_kinds). Ends the program with
// exit code 3 when the device has no room.
Workload workload_create(size_t n, bool pairs, int kind, uint64_t seed);
void workload_destroy(Workload *workload);

// Warms up, judges the result, and only if it is right times `repetitions` runs (and a third as
// many with stages), each on a fresh copy of the input made outside the timed region. When the
// verdict is not a pass, the times are zero. Knobs must have been set (knobs_begin, knob_set).
Measurement measure(const LoadedVersion *version, const Workload *workload, int repetitions);

// The device's copy rate: bytes read plus bytes written per second of a large device-to-device
// copy, median of 9.
double measure_copy_rate(void);

#endif
