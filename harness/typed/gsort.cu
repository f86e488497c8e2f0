// gsort for keys of any type, by its C interface. The input is not overwritten.
#include "gsort/gsort.h"

#include "harness/typed/typed.h"

static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version =
    typed_sort("gsort", "a sample of the keys chooses the way", "gsort/, in this repository", knobs,
               1.5);  // at most; gsort/README.md

static void check(int error) {
  if (error != GSORT_OK) check_fail("gsort: %s", gsort_error_string(error));
}

// A sort is created once, in the warm-up: that takes pinned memory.
static gsort *sort_of(bool pairs) {
  static gsort *sorts[2];
  const int value = sizeof(Value) == 8 ? GSORT_VALUE64 : GSORT_VALUE32;
  if (sorts[pairs] == NULL)
    check(gsort_create(&sorts[pairs], GSORT_U32 + KEY_TYPE, pairs ? value : GSORT_KEYS));
  return sorts[pairs];
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
