// std_sort_ref: C++'s own sort on one CPU thread: std::sort for keys, std::stable_sort for pairs.
//
// Build:    make std_sort_ref
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: no algorithm of ours, and CPU code on either backend. On a GPU the copies to the host
//           and back are a separate stage.
#include <algorithm>

#include "common/check.h"
#include "common/host_pairs.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"copy", "sort", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "std_sort_ref",
    .title = "CPU, one thread: std::sort for bare keys, std::stable_sort for pairs",
    .source = "the C++ standard library",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 10000000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,  // host memory only
    .scratch_per_pair = 0.0,
    .on_host = true,
};

// std::stable_sort moves elements, so key and position must be in one element.
typedef struct Element {
  unsigned int key, position;
} Element;

static bool by_key(Element a, Element b) { return a.key < b.key; }

static void sort_pairs(HostPairs pairs, size_t n) {
  Element *const elements = (Element *)host_alloc(2 * n);
  for (size_t i = 0; i < n; i++) elements[i] = {pairs.keys[i], pairs.positions[i]};
  std::stable_sort(elements, elements + n, by_key);
  for (size_t i = 0; i < n; i++) {
    pairs.keys[i] = elements[i].key;
    pairs.positions[i] = elements[i].position;
  }
  free(elements);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const HostPairs pairs = copy_to_host(d_inputVals, d_inputPos, numElems);
  stage_start("sort");
  if (pairs.positions == NULL)
    std::sort(pairs.keys, pairs.keys + numElems);
  else
    sort_pairs(pairs, numElems);
  stage_stop();
  copy_to_device(d_outputVals, d_outputPos, pairs, numElems);
  host_pairs_free(pairs);
}
