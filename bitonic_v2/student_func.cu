// bitonic_v2: the same network as bitonic, with more steps for each trip through a memory.
//
// Build:    make bitonic_v2
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set steps=3
// New here: elements stay in registers. A thread holds 16 of a tile of 8,192: four distances of the
//           network are within its registers, five between the lanes of its warp (shuffles), and
//           only the four largest cross shared memory, all four in one trip (tile.cuh). Beyond the
//           tile a thread takes up to 32 elements from device memory and does up to five steps with
//           them.
// Lesson:   the same remedy at each level of the memory hierarchy: the more steps per visit,
//           the fewer visits. The steps themselves, n log^2 n, remain.
#include "bitonic_v2/tile.cuh"
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

enum { MOST_FAR_STEPS = 5, USUAL_FAR_STEPS = 4, FAR_THREADS = 128, TILES = 5 };

static const char *const stages[] = {"tiles", "far", "near", NULL};
static const SortKnob knobs[] = {
    {"tile", 0, 0, TILES, "tile of 256, 1,024, 2,048, 4,096 or 8,192 elements; 0: chosen by n"},
    {"steps", USUAL_FAR_STEPS, 1, MOST_FAR_STEPS, "steps per visit to device memory"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "bitonic_v2",
    .title =
        "bitonic network in registers, shuffles and shared memory, up to five far steps a trip",
    .source = "Batcher, Sorting Networks and Their Applications (1968)",
    .stable = false,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,
    .scratch_per_pair = 0.0,
};

// The block's tile: its elements in device memory, how many there are, and room for all in shared
// memory.
template <TILE_PARAMETERS>
struct Own {
  Pairs from, to, tile;
  unsigned int count;
};

template <TILE_PARAMETERS>
static __device__ __forceinline__ Own<TILE_ARGUMENTS> own_tile(Pairs from, Pairs to, size_t n,
                                                               unsigned int *shared) {
  enum { TILE = 1 << (ITEM_BITS + THREAD_BITS) };
  const size_t begin = (size_t)blockIdx.x * TILE;
  const Own<TILE_ARGUMENTS> own = {
      {from.keys + begin, PAIRS ? from.positions + begin : NULL},
      {to.keys + begin, PAIRS ? to.positions + begin : NULL},
      {shared, shared + TILE},
      n - begin < TILE ? (unsigned int)(n - begin) : (unsigned int)TILE,
  };
  return own;
}

// Each block sorts a tile.
template <TILE_PARAMETERS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    sort_tiles(Pairs from, Pairs to, size_t n) {
  extern __shared__ unsigned int shared[];
  const Own<TILE_ARGUMENTS> own = own_tile<TILE_ARGUMENTS>(from, to, n, shared);
  Element element[1 << ITEM_BITS];
  load_columns<TILE_ARGUMENTS>(element, own.from, own.count);
  to_neighbours<TILE_ARGUMENTS>(element, own.tile, 0);
  sort_tile<TILE_ARGUMENTS>(element, own.tile);
  to_columns<TILE_ARGUMENTS>(element, own.tile, 0);
  store_columns<TILE_ARGUMENTS>(own.to, element, own.count);
}

// The last steps of a stage, whose partners lie in the same tile.
template <TILE_PARAMETERS>
static __global__ void __launch_bounds__(1 << THREAD_BITS) do_near_steps(Pairs pairs, size_t n) {
  extern __shared__ unsigned int shared[];
  const Own<TILE_ARGUMENTS> own = own_tile<TILE_ARGUMENTS>(pairs, pairs, n, shared);
  Element element[1 << ITEM_BITS];
  load_columns<TILE_ARGUMENTS>(element, own.from, own.count);
  finish_tile<TILE_ARGUMENTS>(element, own.tile);
  to_columns<TILE_ARGUMENTS>(element, own.tile, 0);
  store_columns<TILE_ARGUMENTS>(own.to, element, own.count);
}

// STEPS steps of a stage in one visit to device memory; MIRROR: its first ones.
template <int STEPS, bool PAIRS, BitonicVisit VISIT>
static __global__ void __launch_bounds__(FAR_THREADS)
    do_far_steps(Pairs pairs, unsigned int n, unsigned int groups, int log_stride) {
  const size_t group = global_index();
  if (group < groups)
    visit_group<STEPS, PAIRS, VISIT, false>(pairs, n, (unsigned int)group, log_stride, STEPS);
}

template <int STEPS, bool PAIRS>
static void launch_far(Pairs pairs, unsigned int n, int log_stride, bool mirror) {
  const unsigned int groups = bitonic_groups(n, STEPS, log_stride);
  const unsigned int blocks = blocks_for(groups, FAR_THREADS);
  if (mirror)
    do_far_steps<STEPS, PAIRS, MIRROR_FIRST><<<blocks, FAR_THREADS>>>(pairs, n, groups, log_stride);
  else
    do_far_steps<STEPS, PAIRS, ONWARD><<<blocks, FAR_THREADS>>>(pairs, n, groups, log_stride);
  LAUNCH_CHECK();
}

// The steps of `stage` from distance 2^(stage - 1) down to 2^tile_bits, evenly divided among
// visits.
template <bool PAIRS>
static void far_steps(Pairs pairs, unsigned int n, int stage, int tile_bits) {
  int left = stage - tile_bits;
  for (int visits = (left + knob("steps") - 1) / knob("steps"); visits > 0; visits--) {
    const int steps = (left + visits - 1) / visits, log_stride = tile_bits + left - steps;
    const bool mirror = left == stage - tile_bits;
    if (steps == 1) launch_far<1, PAIRS>(pairs, n, log_stride, mirror);
    if (steps == 2) launch_far<2, PAIRS>(pairs, n, log_stride, mirror);
    if (steps == 3) launch_far<3, PAIRS>(pairs, n, log_stride, mirror);
    if (steps == 4) launch_far<4, PAIRS>(pairs, n, log_stride, mirror);
    if (steps == 5) launch_far<5, PAIRS>(pairs, n, log_stride, mirror);
    left -= steps;
  }
}

template <TILE_PARAMETERS>
static void sort_by_tiles(Pairs input, Pairs output, size_t n) {
  enum { TILE_BITS = ITEM_BITS + THREAD_BITS, THREADS = 1 << THREAD_BITS };
  const unsigned int tiles = blocks_for(n, 1 << TILE_BITS);
  const size_t bytes = (sizeof(unsigned int) << TILE_BITS) * (PAIRS ? 2 : 1);
  allow_shared_memory(sort_tiles<TILE_ARGUMENTS>, bytes);
  allow_shared_memory(do_near_steps<TILE_ARGUMENTS>, bytes);
  stage_start("tiles");
  sort_tiles<TILE_ARGUMENTS><<<tiles, THREADS, bytes>>>(input, output, n);
  LAUNCH_CHECK();
  stage_stop();
  for (int stage = TILE_BITS + 1; n > (size_t)1 << (stage - 1); stage++) {
    stage_start("far");
    far_steps<PAIRS>(output, (unsigned int)n, stage, TILE_BITS);
    stage_stop();
    stage_start("near");
    do_near_steps<TILE_ARGUMENTS><<<tiles, THREADS, bytes>>>(output, n);
    LAUNCH_CHECK();
    stage_stop();
  }
}

template <bool PAIRS>
static void sort(Pairs input, Pairs output, size_t n) {
  int tile = knob("tile");
  if (tile == 0) tile = n <= 256 ? 1 : n <= 1024 ? 2 : n <= 2048 ? 3 : n <= 4096 ? 4 : 5;
  if (tile == 1) sort_by_tiles<3, 5, PAIRS>(input, output, n);
  if (tile == 2) sort_by_tiles<3, 7, PAIRS>(input, output, n);
  if (tile == 3) sort_by_tiles<3, 8, PAIRS>(input, output, n);
  if (tile == 4) sort_by_tiles<4, 8, PAIRS>(input, output, n);
  if (tile == 5) sort_by_tiles<4, 9, PAIRS>(input, output, n);
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const Pairs input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (d_inputPos == NULL)
    sort<false>(input, output, numElems);
  else
    sort<true>(input, output, numElems);
}
