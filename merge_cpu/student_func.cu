// merge_cpu: recursive merge sort on the host: sequential, with OpenMP sections, with OpenMP tasks.
//
// Build:    make merge_cpu
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set mode=2
// New here: (after the bottom-up merge slides) both halves of an array are sorted at the same time.
//           Mode 2 forks a pair of threads at each level that is switched on; mode 3 starts one
//           team and hands it tasks, which idle threads pick up. Why: the recursion is the only
//           parallelism here; each merge still runs on one thread.
// Lesson:   forking where the program splits ties the threads to the shape of the recursion. Tasks
//           do not, and still end at the last merge, which reads all n elements alone.
#include <omp.h>
#include <string.h>

#include "common/host_pairs.h"
#include "common/knobs.h"
#include "common/stages.h"
#include "common/your_sort.h"

enum { SEQUENTIAL = 1, SECTIONS = 2, TASKS = 3 };

static const char *const stages[] = {"copy", "sort", NULL};
static const SortKnob knobs[] = {
    {"mode", TASKS, SEQUENTIAL, TASKS, "1: sequential; 2: parallel sections; 3: tasks"},
    {"cutoff", 10000, 2, 100000000, "elements: shorter parts are sorted sequentially"},
    {"levels", 1, 1, 6, "nested levels at which mode 2 forks: up to 2^levels threads"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "merge_cpu",
    .title = "recursive merge sort on the CPU: sequential, OpenMP sections or OpenMP tasks",
    .source = "the bottom-up merge slides, CPU part",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 10000000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,  // host memory only
    .scratch_per_pair = 0.0,
    .on_host = true,
};

// to[begin..end) = the sorted runs from[begin..middle) and from[middle..end), merged. Of equal keys
// the left run's goes first: stable.
//   from [2 5 | 1 5 7]  ->  to [1 2 5 5 7]
static void merge(HostPairs from, HostPairs to, size_t begin, size_t middle, size_t end) {
  size_t i = begin, j = middle;
  for (size_t k = begin; k < end; k++) {
    const bool left = j == end || (i < middle && from.keys[i] <= from.keys[j]);
    const size_t next = left ? i++ : j++;
    to.keys[k] = from.keys[next];
    if (to.positions != NULL) to.positions[k] = from.positions[next];
  }
}

// All three sort the range begin..end of `a` into `b`; at the call both hold the same elements
// there. The halves are sorted into `a`, and the merge writes to `b`: no copying back.
static void sort_sequential(HostPairs a, HostPairs b, size_t begin, size_t end) {
  if (end - begin < 2) return;
  const size_t middle = begin + (end - begin) / 2;
  sort_sequential(b, a, begin, middle);
  sort_sequential(b, a, middle, end);
  merge(a, b, begin, middle, end);
}

static void sort_sections(HostPairs a, HostPairs b, size_t begin, size_t end, size_t cutoff) {
  if (end - begin < cutoff) {
    sort_sequential(a, b, begin, end);
    return;
  }
  const size_t middle = begin + (end - begin) / 2;
  // Two sections keep two threads busy; a team of all cores would leave the others idle. Below the
  // active levels the region's team is the calling thread alone.
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    sort_sections(b, a, begin, middle, cutoff);
#pragma omp section
    sort_sections(b, a, middle, end, cutoff);
  }
  merge(a, b, begin, middle, end);
}

static void sort_tasks(HostPairs a, HostPairs b, size_t begin, size_t end, size_t cutoff) {
  if (end - begin < cutoff) {
    sort_sequential(a, b, begin, end);
    return;
  }
  const size_t middle = begin + (end - begin) / 2;
#pragma omp task
  sort_tasks(b, a, begin, middle, cutoff);
#pragma omp task
  sort_tasks(b, a, middle, end, cutoff);
#pragma omp taskwait  // both halves must be sorted before they are merged
  merge(a, b, begin, middle, end);
}

static void merge_sort(HostPairs a, HostPairs b, size_t n) {
  const int mode = knob("mode");
  const size_t cutoff = (size_t)knob("cutoff");
  if (mode == SEQUENTIAL || n < cutoff) {
    sort_sequential(a, b, 0, n);
  } else if (mode == SECTIONS) {
    const int levels_before = omp_get_max_active_levels();
    omp_set_max_active_levels(knob("levels"));
    sort_sections(a, b, 0, n, cutoff);
    omp_set_max_active_levels(levels_before);
  } else {
#pragma omp parallel
#pragma omp single  // one thread descends; the others wait for tasks
    sort_tasks(a, b, 0, n, cutoff);
  }
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const HostPairs a = copy_to_host(d_inputVals, d_inputPos, n);
  const HostPairs b = host_pairs_alloc(n, d_inputPos != NULL);

  stage_start("sort");
  memcpy(b.keys, a.keys, n * sizeof *b.keys);
  if (b.positions != NULL) memcpy(b.positions, a.positions, n * sizeof *b.positions);
  merge_sort(a, b, n);
  stage_stop();

  copy_to_device(d_outputVals, d_outputPos, b, n);

  host_pairs_free(a);
  host_pairs_free(b);
}
