// odd_even_cpu: odd-even transposition sort on the CPU, one thread. The reference of odd_even.
//
// Build:    make compare
// Run:      ./compare odd_even odd_even_cpu --n 20000 --keys
// New here: nothing but the processor: the same n steps and the same comparisons as odd_even, one
//           after another.
// Lesson:   what parallel threads buy for the same work, without a better algorithm.
#include "common/host_pairs.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"copy", "steps", NULL};
static const SortKnob knobs[] = {{}};

extern "C" const SortVersion sort_version = {
    .name = "odd_even_cpu",
    .title = "odd-even transposition sort on the CPU, one thread",
    .source = "the parallel sorting article, bubble sort (after Kornerup; Habermann)",
    .stable = true,  // neighbours change places only if the left one is greater
    .max_n = UINT32_MAX,
    .slow_n = 50000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,  // host memory only
    .scratch_per_pair = 0.0,
    .on_host = true,
};

static void exchange_if_greater(HostPairs pairs, size_t i) {
  const unsigned int left = pairs.keys[i], right = pairs.keys[i + 1];
  if (left <= right) return;
  pairs.keys[i] = right;
  pairs.keys[i + 1] = left;
  if (pairs.positions == NULL) return;
  const unsigned int position = pairs.positions[i];
  pairs.positions[i] = pairs.positions[i + 1];
  pairs.positions[i + 1] = position;
}

// Step s compares i with i + 1: for all odd i if s is odd, for all even i if s is even.
//   step 0  [4 2|5 1|3]  ->  [2 4|1 5|3]       step 1  [2|4 1|5 3]  ->  [2|1 4|3 5]
static void sort_by_steps(HostPairs pairs, size_t n) {
  for (size_t step = 0; step < n; step++)
    for (size_t i = step % 2; i + 1 < n; i += 2) exchange_if_greater(pairs, i);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const HostPairs pairs = copy_to_host(d_inputVals, d_inputPos, numElems);
  stage_start("steps");
  sort_by_steps(pairs, numElems);
  stage_stop();
  copy_to_device(d_outputVals, d_outputPos, pairs, numElems);
  host_pairs_free(pairs);
}
