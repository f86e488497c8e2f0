// radix_v9: any input. A call of gsort, as cub_ref is one of CUB.
//
// Build:    make radix_v9
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: samples decide. Every way of radix_v5 to radix_v8 is a row of one table (gsort/plan.c),
//           and so are ways for keys that suit none of these: splitters, few values.
// Lesson:   no way is the fastest for all inputs; finding out which one is takes microseconds.
#include "gsort/gsort.h"

#include "common/check.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"sort", NULL};
static const SortKnob knobs[] = {
    {"overwrite", 0, 0, 1, "1: the input is the scratch memory, as the homework allows"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v9",
    .title = "gsort: samples of the keys choose the way",
    .source = "gsort/, in this repository",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 5.1,   // at 520,000; up to 500,000 take 8.4, and 4.5 from 3 million on
    .scratch_per_pair = 9.7,  // at 520,000; 9.2 at 1 million, 8.5 from 8 million on
    .by_gsort = true,
};

static void check(int error) {
  if (error != GSORT_OK) check_fail("gsort: %s", gsort_error_string(error));
}

// A sort is created once for each kind of element, in the warm-up: that takes pinned memory.
static gsort *sort_of(bool pairs) {
  static gsort *sorts[2];
  gsort **const sort = &sorts[pairs];
  if (*sort == NULL) check(gsort_create(sort, GSORT_U32, pairs ? GSORT_VALUE32 : GSORT_KEYS));
  check(gsort_set(*sort, GSORT_OVERWRITE, knob("overwrite")));
  return *sort;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  gsort *const sort = sort_of(d_inputPos != NULL);
  size_t bytes;
  check(gsort_workspace(sort, numElems, &bytes));
  void *const workspace = scratch_alloc(bytes);
  stage_start("sort");
  check(gsort_run(sort, workspace, bytes, d_inputVals, d_outputVals, d_inputPos, d_outputPos,
                  numElems, NULL));
  stage_stop();
  scratch_free(workspace);
}
