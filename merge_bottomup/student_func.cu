// merge_bottomup: bottom-up merge sort whose kernel launches the merges itself.
//
// Build:    make merge_bottomup
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set parentBlock=32
// New here: (after the bottom-up merge slides) no recursion: sorted runs of 1, 2, 4, .. keys are
//           merged in pairs, a kernel per width, a thread per pair. Many small pairs: the thread
//           merges its pair itself. Few large ones: it launches a child kernel with one thread for
//           each element. Why: the recursion of merge_cpu does not fit a GPU's small stacks.
// Lesson:   launching from the device saves the way back to the host, not the launch: it pays only
//           where one launch merges tens of thousands of elements.
#include "common/check.h"
#include "common/knobs.h"
#include "common/merge_by_rank.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"serial", "merge", NULL};
static const SortKnob knobs[] = {
    {"parentBlock", 16, 1, 1024,
     "threads per block of the parent kernel, each with a pair of runs"},
    {"childBlock", 256, 32, 1024, "threads per block of the child kernel; each places one element"},
    {"childFrom", 32768, 1, 1 << 30, "elements per run from which a pair gets a child kernel"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "merge_bottomup",
    .title = "bottom-up merge sort, a thread per pair of runs; large pairs get a child kernel each",
    .source = "the bottom-up merge slides, GPU part",
    .stable = true,
    .max_n = UINT32_MAX - 1,  // at most 2^31 - 1 pairs, which is how many blocks a grid can have
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,
    .scratch_per_pair = 0.0,
};

// The child ("mergeKernel" on the slides): a thread per element of the two runs finds its place by
// binary search in the other run.
static __global__ void merge_by_rank(Pairs from, Pairs to, Runs runs) {
  const size_t i = global_index();
  if (i >= runs.end - runs.begin) return;
  const unsigned int place =
      place_in_merge(from.keys + runs.begin, (unsigned int)(runs.middle - runs.begin),
                     (unsigned int)(runs.end - runs.begin), (unsigned int)i);
  move_pair(to, runs.begin + place, from, runs.begin + i);
}

// The parent ("mergeSort_coordinate" on the slides): a thread per pair of runs of `width` elements,
// for pairs first_pair and up. child_block 0: it merges the pair; otherwise it launches a child.
//
// The children are fired and forgotten: launches into a block's default stream would run one after
// another. The host's next kernel starts only when this grid is complete, and a grid is complete
// only when all its children are: that is all the synchronisation a pass needs.
static __global__ void coordinate_merges(Pairs from, Pairs to, size_t n, size_t width,
                                         size_t first_pair, size_t pairs, unsigned int child_block,
                                         unsigned int *launch_error) {
  if (global_index() >= pairs) return;
  const Runs runs = runs_of_pair(first_pair + global_index(), width, n);
  if (child_block == 0) {
    merge_serially(from, to, runs);
    return;
  }
  const size_t blocks = (runs.end - runs.begin + child_block - 1) / child_block;
  merge_by_rank<<<(unsigned int)blocks, child_block, 0, cudaStreamFireAndForget>>>(from, to, runs);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) atomicCAS(launch_error, 0u, (unsigned int)error);  // keep the first
}

// One pass: merges the runs of `width` elements in pairs. The device holds a limited number of
// unfinished launches (2,048 unless set otherwise) and refuses more, so pairs that get children are
// launched in slices of at most that many.
static void merge_pass(Pairs from, Pairs to, size_t n, size_t width, bool children,
                       unsigned int *d_launch_error) {
  const int parent_block = knob("parentBlock");
  const unsigned int child_block = children ? (unsigned int)knob("childBlock") : 0;
  const size_t pairs = (n + 2 * width - 1) / (2 * width);
  size_t slice = pairs;
  if (children) CUDA_CHECK(cudaDeviceGetLimit(&slice, cudaLimitDevRuntimePendingLaunchCount));
  for (size_t first = 0; first < pairs; first += slice) {
    const size_t count = pairs - first < slice ? pairs - first : slice;
    coordinate_merges<<<blocks_for(count, parent_block), parent_block>>>(
        from, to, n, width, first, count, child_block, d_launch_error);
    LAUNCH_CHECK();
  }
}

// Only the device knows of a child launch that it refused: reads its flag, and fails if it is set.
static void check_children(const unsigned int *d_launch_error) {
  unsigned int error;
  CUDA_CHECK(cudaMemcpy(&error, d_launch_error, sizeof error, cudaMemcpyDeviceToHost));
  check_cuda((cudaError_t)error, "child kernel launch", __FILE__, __LINE__);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems, child_from = (size_t)knob("childFrom");
  unsigned int *const d_launch_error = (unsigned int *)scratch_alloc(sizeof *d_launch_error);
  CUDA_CHECK(cudaMemsetAsync(d_launch_error, 0, sizeof *d_launch_error, 0));

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  for (size_t width = 1; width < n; width *= 2) {
    const bool children = width >= child_from;
    stage_start(children ? "merge" : "serial");
    merge_pass(from, to, n, width, children, d_launch_error);
    stage_stop();
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of passes the result is in the inputs

  if (n > child_from) check_children(d_launch_error);
  scratch_free(d_launch_error);
}
