// Stage timing: a version brackets the steps of its sort, the harness reports their times.
//
//   stage_start("hist");    kernels ...    stage_stop();
//   stage_start("scatter"); kernels ...    stage_stop();
//
// The times of a stage that is entered several times (once per digit) add up. CUDA events do the
// timing, so brackets do not synchronise. But events take time themselves, so the harness switches
// them off when it times a total.
#ifndef COMMON_STAGES_H
#define COMMON_STAGES_H

#include "common/your_sort.h"

enum { MAX_STAGES = 12 };

#ifdef __cplusplus
extern "C" {
#endif

// Called by versions. The name must be one of sort_version.stages; stages do not nest. An unknown
// name, a missing start or a missing stop is a bug in the version: reported on stderr, exit code 3.
void stage_start(const char *name);
void stage_stop(void);

// Called by the harness: makes `version` the one whose stages are timed, and resets all times. If
// `enabled` is false, brackets are checked but not timed.
void stages_begin(const SortVersion *version, bool enabled);

// Waits for the device and writes the accumulated milliseconds of each stage, in the order of
// version->stages. Returns the number of stages.
int stages_end(double milliseconds[MAX_STAGES]);

// After stages_end: writes the milliseconds of each single bracket of a stage (an index of
// version->stages), in order, at most `most` of them. Returns the number of brackets, even if it is
// greater.
size_t stages_passes(int stage, double *milliseconds, size_t most);

#ifdef __cplusplus
}
#endif
#endif
