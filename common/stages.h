// Stage timing: a version brackets the steps of its sort, the harness prints their times.
//
//   stage_start("hist");    kernels ...    stage_stop();
//   stage_start("scatter"); kernels ...    stage_stop();
//
// A stage that is entered several times (once per digit) adds up. On the device, CUDA events do
// the timing, so that bracketing costs no synchronisation; even so they take time of their
// own, and the harness switches them off when it times a total.
#ifndef COMMON_STAGES_H
#define COMMON_STAGES_H

#include "common/your_sort.h"

enum { MAX_STAGES = 12 };

#ifdef __cplusplus
extern "C" {
#endif

// Called by versions. The name must be one of sort_version.stages; stages do not nest. An unknown
// name or a missing stop is a bug in the version: reported on stderr, exit code 3.
void stage_start(const char *name);
void stage_stop(void);

// Called by the harness: from now on brackets belong to `version`, with their times at zero;
// while `enabled` is false they cost nothing.
void stages_begin(const SortVersion *version, bool enabled);

// Waits for the device and writes the accumulated milliseconds of each stage, in the order of
// version->stages. Returns how many there are.
int stages_end(double milliseconds[MAX_STAGES]);

// After stages_end: the milliseconds of each single bracket of a stage (an index of
// version->stages), in order, into milliseconds[most]. Returns how many brackets there were, also
// when that is more than `most`.
size_t stages_passes(int stage, double *milliseconds, size_t most);

#ifdef __cplusplus
}
#endif
#endif
