// bitonic: a sorting network, for arrays of any size.
//
// Build:    make bitonic
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set steps=1
// New here: which elements are compared does not depend on the data, so that all comparisons of a
//           step are independent and no thread waits for the result of another. The article's
//           kernel sorts one small array: each of its blocks compares with parts that only other
//           blocks hold. Here far partners meet in device memory, and blocks wait for each other
//           at the end of a kernel. Near partners meet in shared memory. Each visit to either
//           memory does up to three steps at once (common/block_bitonic.cuh). textbook = 1 is the
//           article's form, corrected (textbook.cuh).
// Lesson:   regular work suits GPUs, but n log^2 n of it is too much: 2^23 keys take 276 steps over
//           all of them, where a radix sort takes four passes.
#include "bitonic/textbook.cuh"
#include "common/block_bitonic.cuh"
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

static const char *const stages[] = {"tiles", "far", "near", NULL};
static const SortKnob knobs[] = {
    {"tileBits", 12, 5, 14, "a block's tile has 2^tileBits elements (halved until it fits)"},
    {"steps", 3, 1, MAX_BITONIC_STEPS, "steps of the network per visit to memory"},
    {"blockTile", 512, 32, 1024, "threads per block on tiles in shared memory"},
    {"blockFar", 256, 32, 1024, "threads per block of steps in device memory"},
    {"textbook", 0, 0, 1, "1: the article's form: partner = index ^ distance, step by step"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "bitonic",
    .title = "bitonic sorting network: near partners in shared memory, far ones in device memory",
    .source = "the parallel sorting article, bitonic sort",
    .stable = false,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,
    .scratch_per_pair = 0.0,
};

// Each block sorts a tile.
template <int STEPS, bool PAIRS>
static __global__ void __launch_bounds__(1024)
    sort_tiles(Pairs from, Pairs to, size_t n, unsigned int tile_size) {
  extern __shared__ unsigned int shared[];  // tile_size keys, then positions
  const Pairs tile = {shared, shared + tile_size};
  const size_t begin = (size_t)blockIdx.x * tile_size;
  const unsigned int count = n - begin < tile_size ? (unsigned int)(n - begin) : tile_size;
  fetch_tile<PAIRS>(tile, from, begin, count);
  block_bitonic_sort<STEPS, PAIRS>(tile, count);
  store_tile<PAIRS>(to, begin, tile, count);
}

// One visit to device memory: STEPS steps of a stage, the first one included if `mirror`.
template <int STEPS, bool PAIRS>
static __global__ void __launch_bounds__(1024)
    do_far_steps(Pairs pairs, unsigned int n, unsigned int groups, int log_stride, bool mirror) {
  const size_t group = global_index();
  if (group >= groups) return;
  if (mirror)
    visit_group<STEPS, PAIRS, MIRROR_FIRST, false>(pairs, n, (unsigned int)group, log_stride,
                                                   STEPS);
  else
    visit_group<STEPS, PAIRS, ONWARD, false>(pairs, n, (unsigned int)group, log_stride, STEPS);
}

// The last `left` steps of a stage: partners lie in the same tile.
template <int STEPS, bool PAIRS>
static __global__ void __launch_bounds__(1024)
    do_near_steps(Pairs pairs, size_t n, unsigned int tile_size, int left) {
  extern __shared__ unsigned int shared[];
  const Pairs tile = {shared, shared + tile_size};
  const size_t begin = (size_t)blockIdx.x * tile_size;
  const unsigned int count = n - begin < tile_size ? (unsigned int)(n - begin) : tile_size;
  fetch_tile<PAIRS>(tile, pairs, begin, count);
  block_bitonic_finish<STEPS, PAIRS>(tile, count, left);
  store_tile<PAIRS>(pairs, begin, tile, count);
}

// Stages 1 to tileBits on tiles; then stage after stage, from its farthest partners to its nearest.
//   tileBits 12, steps 3, stage 16: far 16 15 14, far 13 12 11, near 10 9 .. 1
template <int STEPS, bool PAIRS>
static void sort_by_network(Pairs input, Pairs output, unsigned int n) {
  int tile_bits = knob("tileBits");
  while (1u << tile_bits > tile_that_fits(1u << tile_bits, PAIRS)) tile_bits--;
  const unsigned int tile_size = 1u << tile_bits, tiles = blocks_for(n, (int)tile_size);
  const int block_tile = knob("blockTile"), block_far = knob("blockFar");
  const size_t bytes = tile_bytes(tile_size, PAIRS);
  allow_shared_memory(sort_tiles<STEPS, PAIRS>, bytes);
  allow_shared_memory(do_near_steps<STEPS, PAIRS>, bytes);

  stage_start("tiles");
  sort_tiles<STEPS, PAIRS><<<tiles, block_tile, bytes>>>(input, output, n, tile_size);
  LAUNCH_CHECK();
  stage_stop();
  for (int stage = tile_bits + 1; (uint64_t)1 << (stage - 1) < n; stage++) {
    int left = stage;
    stage_start("far");
    for (; left > tile_bits; left -= STEPS) {
      const unsigned int groups = bitonic_groups(n, STEPS, left - STEPS);
      do_far_steps<STEPS, PAIRS><<<blocks_for(groups, block_far), block_far>>>(
          output, n, groups, left - STEPS, left == stage);
      LAUNCH_CHECK();
    }
    stage_stop();
    stage_start("near");
    do_near_steps<STEPS, PAIRS><<<tiles, block_tile, bytes>>>(output, n, tile_size, left);
    LAUNCH_CHECK();
    stage_stop();
  }
}

template <bool PAIRS>
static void sort_with_knobs(Pairs input, Pairs output, unsigned int n) {
  const int steps = knob("steps");
  if (steps == 1) sort_by_network<1, PAIRS>(input, output, n);
  if (steps == 2) sort_by_network<2, PAIRS>(input, output, n);
  if (steps == 3) sort_by_network<3, PAIRS>(input, output, n);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  const int block_tile = knob("blockTile");
  if (knob("textbook") == 1 && d_inputPos == NULL)
    sort_by_textbook<false>(input, output, numElems, block_tile);
  else if (knob("textbook") == 1)
    sort_by_textbook<true>(input, output, numElems, block_tile);
  else if (d_inputPos == NULL)
    sort_with_knobs<false>(input, output, (unsigned int)numElems);
  else
    sort_with_knobs<true>(input, output, (unsigned int)numElems);
}
