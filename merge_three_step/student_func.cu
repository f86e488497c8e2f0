// merge_three_step: merge sort whose merges are shared out in three ways, by how large they are.
//
// Build:    make merge_three_step
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set splitterDistance=512
// New here: the merges of one level are independent, but their number halves from level to level
//           while their size doubles. Step 1, very many tiny ones: a thread each, serial merge.
//           Step 2, fewer and larger: a block each; every element finds its place by binary
//           search in the other run, in shared memory. Step 3, few and huge: every 256th element
//           is a splitter; between neighbours of the sorted splitters lie at most 256 + 256
//           elements, and each such piece is merged by a block, so that one merge fills all SMs.
//           (blockSerial = 1, copyBack = 1: step 1 as the article prints it.)
// Lesson:   the three steps are one idea at three sizes: how much work a thread gets. The remaining
//           cost is the number of levels: each one reads, searches and writes everything.
#include "common/check.h"
#include "common/knobs.h"
#include "common/merge_by_rank.cuh"
#include "common/pairs.cuh"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"serial", "block", "splitter", NULL};
static const SortKnob knobs[] = {
    {"serialUntil", 16, 1, 256, "step 1 ends when runs have at least this many elements"},
    {"blockUntil", 2048, 2, 4096,
     "step 2 merges two runs only while both fit in this many elements"},
    {"splitterDistance", 256, 16, 1024, "step 3: elements from one splitter to the next"},
    {"blockSize", 256, 32, 1024, "threads per block of the splitters and of a piece"},
    {"blockSerial", 256, 1, 1024, "threads per block of step 1; the article has 1"},
    {"copyBack", 0, 0, 1, "1: step 1 copies each level back, as the article does"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "merge_three_step",
    .title = "merge sort: a thread, a block, or pieces between splitters for each merge",
    .source = "the parallel sorting article, merge sort",
    .stable = true,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.1,  // the cuts
    .scratch_per_pair = 0.1,
};

// The part of `pairs` from element i on.
static __device__ __forceinline__ Pairs pairs_from(Pairs pairs, size_t i) {
  const Pairs rest = {pairs.keys + i, pairs.positions == NULL ? NULL : pairs.positions + i};
  return rest;
}

// ---- step 1: a thread per merge -----------------------------------------------------------------

static __global__ void merge_by_threads(Pairs from, Pairs to, size_t n, size_t width) {
  const Runs runs = runs_of_pair(global_index(), width, n);
  if (runs.begin < n) merge_serially(from, to, runs);
}

// ---- step 2: a block per merge ------------------------------------------------------------------

// The block merges left[0 .. lefts) and right[0 .. rights) to `to`; `tile` is shared memory for
// all their keys. Of equal keys those from the left go first.
static __device__ void merge_in_block(Pairs left, unsigned int lefts, Pairs right,
                                      unsigned int rights, Pairs to, unsigned int *tile) {
  const unsigned int count = lefts + rights;
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x)
    tile[i] = i < lefts ? left.keys[i] : right.keys[i - lefts];
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += blockDim.x) {
    const unsigned int place = place_in_merge(tile, lefts, count, i);
    to.keys[place] = tile[i];
    if (to.positions != NULL)
      to.positions[place] = i < lefts ? left.positions[i] : right.positions[i - lefts];
  }
}

static __global__ void merge_by_blocks(Pairs from, Pairs to, size_t n, size_t width) {
  extern __shared__ unsigned int tile[];  // both runs
  const Runs runs = runs_of_pair(blockIdx.x, width, n);
  merge_in_block(pairs_from(from, runs.begin), (unsigned int)(runs.middle - runs.begin),
                 pairs_from(from, runs.middle), (unsigned int)(runs.end - runs.middle),
                 pairs_from(to, runs.begin), tile);
}

// ---- step 3: a block per piece of a merge -------------------------------------------------------

// Where two runs are cut: the number of elements of each run before the cut.
typedef struct Cut {
  unsigned int left, right;
} Cut;

// A thread per splitter, for all merges of the level. One binary search finds the splitter's place
// in the other run, which is the cut through that run. The place also gives the number of the other
// run's splitters (its elements 0, distance, 2 * distance, ..) before this one, and so the index of
// this splitter among all sorted splitters.
//
//   left [1 4 6 8], right [2 3 5 7], distance 2: splitters 1 6 | 2 5
//   places in the other run  0 3 | 1 2     splitters before  0+0 1+2 | 0+1 1+1
//   sorted 1 2 5 6, cuts (0,0) (1,0) (2,2) (2,3): pieces [1|] [4|2 3] [|5] [6 8|7]
static __global__ void cut_at_splitters(const unsigned int *keys, Cut *cuts, size_t n, size_t width,
                                        unsigned int distance, unsigned int per_run,
                                        size_t splitters) {
  const size_t splitter = global_index();
  if (splitter >= splitters) return;
  const size_t run = splitter / per_run, first_of_pair = run / 2 * 2 * per_run;
  const unsigned int own_rank = (unsigned int)(splitter % per_run), own = own_rank * distance;
  const Runs runs = runs_of_pair(run / 2, width, n);
  const unsigned int lefts = (unsigned int)(runs.middle - runs.begin);
  const unsigned int rights = (unsigned int)(runs.end - runs.middle);
  const unsigned int *const left = keys + runs.begin, *const right = keys + runs.middle;
  const bool is_left = run % 2 == 0;
  const unsigned int other = is_left ? count_before(right, rights, left[own], false)
                                     : count_before(left, lefts, right[own], true);
  const unsigned int others_before = other / distance + (other % distance != 0);
  const Cut cut = {is_left ? own : other, is_left ? other : own};
  cuts[first_of_pair + own_rank + others_before] = cut;
}

// A block per piece, from its cut to the next one, or to the end of the two runs.
static __global__ void merge_pieces(Pairs from, Pairs to, const Cut *cuts, size_t n, size_t width,
                                    unsigned int per_run) {
  extern __shared__ unsigned int tile[];  // a piece: twice the splitters' distance at most
  const size_t piece = blockIdx.x, pair = piece / per_run / 2, next = piece + 1;
  const Runs runs = runs_of_pair(pair, width, n);
  const bool last = next == gridDim.x || next == (pair + 1) * 2 * per_run;
  const Cut all = {(unsigned int)(runs.middle - runs.begin),
                   (unsigned int)(runs.end - runs.middle)};
  const Cut begin = cuts[piece], end = last ? all : cuts[next];
  merge_in_block(pairs_from(from, runs.begin + begin.left), end.left - begin.left,
                 pairs_from(from, runs.middle + begin.right), end.right - begin.right,
                 pairs_from(to, runs.begin + begin.left + begin.right), tile);
}

// ---- all levels ---------------------------------------------------------------------------------

static void merge_between_splitters(Pairs from, Pairs to, Cut *d_cuts, size_t n, size_t width) {
  const int block_size = knob("blockSize"), distance = knob("splitterDistance");
  const unsigned int per_run = blocks_for(width, distance);
  const size_t splitters = n / width * per_run + blocks_for(n % width, distance);
  cut_at_splitters<<<blocks_for(splitters, block_size), block_size>>>(
      from.keys, d_cuts, n, width, (unsigned int)distance, per_run, splitters);
  LAUNCH_CHECK();
  const size_t piece_bytes = 2 * (size_t)distance * sizeof(unsigned int);
  merge_pieces<<<(unsigned int)splitters, block_size, piece_bytes>>>(from, to, d_cuts, n, width,
                                                                     per_run);
  LAUNCH_CHECK();
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems, block_size = (size_t)knob("blockSize");
  const int block_serial = knob("blockSerial");
  const size_t serial_until = (size_t)knob("serialUntil"), block_until = (size_t)knob("blockUntil");

  Pairs from = {d_inputVals, d_inputPos}, to = {d_outputVals, d_outputPos};
  size_t width = 1;
  stage_start("serial");
  for (; width < n && width < serial_until; width *= 2) {
    const size_t merges = (n + 2 * width - 1) / (2 * width);
    const int threads = merges > INT32_MAX ? 256 : block_serial;  // the largest grid
    merge_by_threads<<<blocks_for(merges, threads), threads>>>(from, to, n, width);
    LAUNCH_CHECK();
    if (knob("copyBack") == 1)
      copy_pairs(from, to, n);
    else
      swap_pairs(&from, &to);
  }
  stage_stop();

  stage_start("block");
  for (; width < n && 2 * width <= block_until; width *= 2) {
    const unsigned int merges = blocks_for(n, (int)(2 * width));
    const unsigned int threads = (unsigned int)(2 * width < block_size ? 2 * width : block_size);
    merge_by_blocks<<<merges, threads, 2 * width * sizeof(unsigned int)>>>(from, to, n, width);
    LAUNCH_CHECK();
    swap_pairs(&from, &to);
  }
  stage_stop();

  stage_start("splitter");
  // One splitter per run of at least `width` elements, and one more per splitterDistance elements.
  const size_t most_splitters = n / width + n / (size_t)knob("splitterDistance") + 1;
  Cut *const d_cuts = (Cut *)scratch_alloc(most_splitters * sizeof *d_cuts);
  for (; width < n; width *= 2) {
    merge_between_splitters(from, to, d_cuts, n, width);
    swap_pairs(&from, &to);
  }
  const Pairs output = {d_outputVals, d_outputPos};
  copy_pairs(output, from, n);  // after an even number of levels the result is in the inputs
  stage_stop();
  scratch_free(d_cuts);
}
