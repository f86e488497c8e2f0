// Timing one sort on one input, the same way for every version.
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "common/stages.h"
#include "harness/verdict.h"
#include "harness/version_list.h"

// An input on the device, with the arrays that a sort of it needs, n elements each.
typedef struct Workload {
  size_t n;
  bool pairs;
  unsigned int *snapshot;  // the input: keys that no sort gets to see
  unsigned int *keys_in, *positions_in, *keys_out, *positions_out;  // positions: NULL for bare keys
} Workload;

// When to stop timing.
typedef struct MeasurePlan {
  int max_repetitions;   // at least 1
  double settled_noise;  // a median whose noise is under this has settled, and no further run
                         // starts; 0: never
  double max_seconds;    // no further run starts after that; one always takes place
  bool stages;           // also time the stages, in runs of their own
} MeasurePlan;

// Why no more runs were timed.
typedef enum MeasureLimit {
  LIMIT_NOISE,        // the noise of the median is under settled_noise
  LIMIT_REPETITIONS,  // max_repetitions
  LIMIT_TIME,         // max_seconds
} MeasureLimit;

enum {
  MIN_REPETITIONS = 5,  // fewer say nothing of noise
  MAX_PASSES = 64,      // of a stage: when it has more, their single times are not kept
};

// The single brackets of a stage in one run.
typedef struct StagePasses {
  size_t count;           // may be more than MAX_PASSES; then ms holds nothing of use
  double ms[MAX_PASSES];  // in order
} StagePasses;

typedef struct Measurement {
  int repetitions;
  MeasureLimit limit;
  double median_ms, mean_ms, min_ms;  // of the whole sort, stage events off
  double noise;  // of the median: half of its 95% confidence interval over itself; from
                 // fewer than MIN_REPETITIONS runs, half of their range
  int stages;    // 0 when they were not timed
  double stage_ms[MAX_STAGES];     // medians of runs with stage events on
  StagePasses passes[MAX_STAGES];  // of the last of these runs
  Verdict verdict;
} Measurement;

// Bytes on the device that each element takes when a version sorts it: the workload's arrays, the
// verdict's scratch and the version's (nothing for it if that is unknown). Both scratches count,
// so that neither is given up for the other and allocated anew inside a timing.
double workload_bytes_per_element(const SortVersion *version, bool pairs);

// Bytes that come on top and hardly grow with n: every allocation is rounded up to 2 MB on a GPU,
// code is loaded at its first launch, versions have counters and tables per multiprocessor.
#define WORKLOAD_FIXED_BYTES 64e6

// Allocates the arrays of a workload. Ends the program with exit code 3 when the device has no
// room. Then the input is drawn (kind: an index of input_kinds), or loaded: key i is
// keys[i mod count], on the host.
Workload workload_create(size_t n, bool pairs);
void workload_draw(Workload *workload, int kind, uint64_t seed);
void workload_load(Workload *workload, const unsigned int *keys, size_t count);
void workload_destroy(Workload *workload);

// Warms up, judges the result, and only if it is right times runs (and a third as many with
// stages), each on a fresh copy of the input made outside the timed region. When the verdict is not
// a pass, the times are zero. Knobs must have been set (knobs_begin, knob_set).
Measurement measure(const LoadedVersion *version, const Workload *workload, MeasurePlan plan);

// The noise of the median of `count` ascending times, as Measurement.noise.
double noise_of_median(const double *ascending_times, int count);

// The device's copy rate: bytes read plus bytes written per second of a large device-to-device
// copy, median of 9.
double measure_copy_rate(void);

#endif
