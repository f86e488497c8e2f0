// Timing one sort on one input, the same way for every version.
#ifndef HARNESS_MEASURE_H
#define HARNESS_MEASURE_H

#include "common/stages.h"
#include "cuda_cpu/include/cuda_cpu/counts.h"
#include "harness/verdict/verdict.h"
#include "harness/versions/version_list.h"
#include "harness/measure/workload.h"

// When to stop timing.
typedef struct MeasurePlan {
  int max_repetitions;   // at least 1
  double settled_noise;  // stop when the noise of the median is less; 0: never for this reason
  double max_seconds;    // start no further run after this time; one run always takes place
  bool stages;           // also time the stages, in separate runs
} MeasurePlan;

// Why timing stopped.
typedef enum MeasureLimit {
  LIMIT_NOISE,        // the noise of the median is less than settled_noise
  LIMIT_REPETITIONS,  // max_repetitions
  LIMIT_TIME,         // max_seconds
} MeasureLimit;

enum {
  MIN_REPETITIONS = 5,  // noise is not estimated from fewer runs
  MAX_PASSES = 64,      // single times of a stage are kept for up to this many passes
};

// The single brackets of a stage in one run.
typedef struct StagePasses {
  size_t count;           // if more than MAX_PASSES, ms is undefined
  double ms[MAX_PASSES];  // in order
} StagePasses;

typedef struct Measurement {
  int repetitions;
  MeasureLimit limit;
  double median_ms, mean_ms, min_ms;  // of the whole sort
  double noise;                       // of the median: noise_of_median()
  double late_ms;               // the device still worked this long after every run; 0: times count
  int stages;                   // 0 if they were not timed
  double stage_ms[MAX_STAGES];  // medians
  StagePasses passes[MAX_STAGES];  // of the last run that timed stages
  Verdict verdict;
  CudaCpuCounts counts;  // of the last run; zero but in a COUNT build
  Message outside;  // workload_whole()'s clause, if the version wrote outside its arrays; or empty
} Measurement;

// Warms up, times runs with stage events off, if the plan asks for stages a third as many runs with
// events on, and ends with one run on the workload's own input. Each run sorts another input of the
// same kind (workload_vary()), with poisoned outputs, and is judged: the first and the last in
// full, the others by verdict_quick(); all that is outside the timed region. A loaded input is
// preceded by a run on uniform keys, which is judged too. The first wrong run
// ends it: then the verdict is no pass, and the times are zero or void. So they are if `outside` is
// not empty. Knobs must have been set
// (common/knobs.h). A run after which the device still works (in a stream that does not wait for
// the default one) does not count and is repeated; after 100 such runs in a row, or 10 in
// max_seconds, the measurement ends, with `late_ms` set and the times void. A version that keeps
// scratch memory, or a CUDA failure, ends the program with exit code 3.
Measurement measure(const LoadedVersion *version, const Workload *workload, MeasurePlan plan);

// Relative noise of the median of `count` >= 1 ascending times: half of its 95% confidence interval
// over the median. For up to 10 times that interval is their whole range.
double noise_of_median(const double *ascending_times, int count);

// The device's copy rate: bytes read plus bytes written per second by a large device-to-device
// copy, median of 9.
double measure_copy_rate(void);

#endif
