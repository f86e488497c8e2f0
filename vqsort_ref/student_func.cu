// vqsort_ref: Highway's vectorised quicksort on one CPU thread.
//
// Build:    make vqsort_ref         (needs libhwy-dev)
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: no algorithm of ours, and CPU code on either backend: how fast one core can be. On a
//           GPU the copies to the host and back are a separate stage.
#include <hwy/contrib/sort/vqsort.h>

#include "common/check.h"
#include "common/host_pairs.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"copy", "sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "vqsort_ref",
    .title = "CPU, one thread: Highway's vectorised quicksort",
    .source =
        "Blacher, Giesen, Sanders, Wassenberg, \"Vectorized and performance-portable Quicksort\" "
        "(2022)",
    .stable = true,  // pairs are sorted as 64-bit values whose lower half is the position
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,  // host memory only
    .scratch_per_pair = 0.0,
    .on_host = true,
};

// A pair as a 64-bit integer, key above position: no two are equal, so there is only one sorted
// order. It keeps the order of equal keys where positions ascend in the input, as they do here.
static void sort_pairs(const hwy::Sorter &sorter, HostPairs pairs, size_t n) {
  uint64_t *const words = (uint64_t *)host_alloc(2 * n);
  for (size_t i = 0; i < n; i++) words[i] = (uint64_t)pairs.keys[i] << 32 | pairs.positions[i];
  sorter(words, n, hwy::SortAscending());
  for (size_t i = 0; i < n; i++) {
    pairs.keys[i] = (unsigned int)(words[i] >> 32);
    pairs.positions[i] = (unsigned int)words[i];
  }
  free(words);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  static const hwy::Sorter sorter;
  const HostPairs pairs = copy_to_host(d_inputVals, d_inputPos, numElems);
  stage_start("sort");
  if (pairs.positions == NULL)
    sorter(pairs.keys, numElems, hwy::SortAscending());
  else
    sort_pairs(sorter, pairs, numElems);
  stage_stop();
  copy_to_device(d_outputVals, d_outputPos, pairs, numElems);
  host_pairs_free(pairs);
}
