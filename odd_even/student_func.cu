// odd_even: odd-even transposition sort: bubble sort whose comparisons do not wait for each other.
//
// Build:    make compare
// Run:      ./compare odd_even --n 20000 --set odd_even.stepsPerLaunch=32
// New here: bubble sort carries one element along, and each comparison needs the one before it.
//           Here a step compares every element with one neighbour, the next step with the other,
//           so that all n/2 comparisons of a step are independent: O(n) steps, not O(n^2). A step
//           needs all of the step before it, and only the end of a kernel makes all blocks wait
//           for each other: one launch per step. (stepsPerLaunch = s > 1: a block fetches s extra
//           elements on both sides and does s steps per launch.)
// Lesson:   fewer steps are not less work. The work is still O(n^2): a million keys take
//           5 x 10^11 comparisons, however many threads share them.
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

enum { TILE_PER_THREAD = 8 };  // elements of a block's tile, when it does several steps

static const char *const stages[] = {"steps", NULL};
static const SortKnob knobs[] = {
    {"blockSize", 128, 32, 512, "threads per block; a tile has 8 elements per thread"},
    {"stepsPerLaunch", 1, 1, 60, "1: a launch per step; more: steps on a tile in shared memory"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "odd_even",
    .title = "odd-even transposition sort: n steps of independent neighbour exchanges",
    .source = "the parallel sorting article, bubble sort (after Kornerup; Habermann)",
    .stable = true,  // neighbours change places only if the left one is greater
    .max_n = UINT32_MAX,
    .slow_n = 50000,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,
    .scratch_per_pair = 0.0,
};

static __device__ __forceinline__ void exchange_if_greater(Pairs pairs, size_t i, size_t j) {
  const unsigned int key_i = pairs.keys[i], key_j = pairs.keys[j];
  if (key_i <= key_j) return;
  pairs.keys[i] = key_j;
  pairs.keys[j] = key_i;
  if (pairs.positions == NULL) return;
  const unsigned int position_i = pairs.positions[i];
  pairs.positions[i] = pairs.positions[j];
  pairs.positions[j] = position_i;
}

// Step s compares i with i + 1: for all odd i if s is odd, for all even i if s is even.
//   step 0  [4 2|5 1|3]  ->  [2 4|1 5|3]       step 1  [2|4 1|5 3]  ->  [2|1 4|3 5]
static __global__ void do_step(Pairs pairs, size_t n, size_t step) {
  const size_t i = 2 * global_index() + step % 2;
  if (i + 1 < n) exchange_if_greater(pairs, i, i + 1);
}

// Does `steps` steps, from first_step on, on a tile in shared memory.
//
//   tile of 8, 2 steps   [. . | o o o o | . .]   all are fetched; the four o are written
//
// The elements beyond the tile are missing, and each step carries the error one element further in.
// So afterwards only the core, `steps` elements away from either side, is right.
static __global__ void do_steps(Pairs from, Pairs to, size_t n, size_t first_step,
                                unsigned int steps) {
  extern __shared__ unsigned int tile_keys[];  // TILE_PER_THREAD per thread, then the positions
  const unsigned int tile = TILE_PER_THREAD * blockDim.x, core = tile - 2 * steps;
  const Pairs shared = {tile_keys, from.positions == NULL ? NULL : tile_keys + tile};
  // Tile element j is array element begin + j - steps. In block 0 the first `steps` do not exist.
  const size_t begin = (size_t)blockIdx.x * core;
  const unsigned int first = begin == 0 ? steps : 0;
  const unsigned int last = n - begin < core + steps ? (unsigned int)(n - begin) + steps : tile;

  for (unsigned int j = first + threadIdx.x; j < last; j += blockDim.x)
    move_pair(shared, j, from, begin + j - steps);
  __syncthreads();
  for (size_t step = first_step; step < first_step + steps; step++) {
    // j has the parity of the index in the array, or the opposite one.
    const unsigned int odd = (unsigned int)((begin + steps + step) % 2);
    for (unsigned int j = 2 * threadIdx.x + odd; j + 1 < last; j += 2 * blockDim.x)
      if (j >= first) exchange_if_greater(shared, j, j + 1);
    __syncthreads();
  }
  for (unsigned int j = steps + threadIdx.x; j < steps + core && j < last; j += blockDim.x)
    move_pair(to, begin + j - steps, shared, j);
}

static void sort_by_single_steps(Pairs pairs, size_t n) {
  const int block_size = knob("blockSize");
  for (size_t step = 0; step < n; step++) {
    do_step<<<blocks_for(n / 2 + 1, block_size), block_size>>>(pairs, n, step);
    LAUNCH_CHECK();
  }
}

// Returns the one of `from` and `to` that holds the result.
static Pairs sort_by_tiles(Pairs from, Pairs to, size_t n, size_t steps_per_launch) {
  const int block_size = knob("blockSize"), tile = TILE_PER_THREAD * block_size;
  const size_t tile_bytes = (size_t)tile * (from.positions == NULL ? 1 : 2) * sizeof(unsigned int);
  for (size_t step = 0; step < n; step += steps_per_launch) {
    const int steps = (int)(n - step < steps_per_launch ? n - step : steps_per_launch);
    do_steps<<<blocks_for(n, tile - 2 * steps), block_size, tile_bytes>>>(from, to, n, step,
                                                                          (unsigned int)steps);
    LAUNCH_CHECK();
    swap_pairs(&from, &to);
  }
  return from;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems, steps_per_launch = (size_t)knob("stepsPerLaunch");
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  stage_start("steps");
  if (steps_per_launch == 1) {
    copy_pairs(output, input, n);
    sort_by_single_steps(output, n);
  } else {
    copy_pairs(output, sort_by_tiles(input, output, n, steps_per_launch), n);
  }
  stage_stop();
}
