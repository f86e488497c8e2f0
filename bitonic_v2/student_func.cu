// bitonic_v2: the same network as bitonic, with more steps for each trip through a memory.
//
// Build:    make bitonic_v2
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm --set steps=3
// New here: elements stay in registers. A thread holds 4 to 32 of a tile and does the steps whose
//           partners it holds; then the tile goes through shared memory, so that the thread holds
//           the partners of the next ones (tile.cuh). A tile of pairs is sorted as words of 32
//           bits (words.cuh). Beyond the tile a thread takes up to 32 elements from device memory
//           and does up to five steps with them.
// Lesson:   the same remedy at each level of the memory hierarchy: the more steps per visit,
//           the fewer visits. The steps themselves, n log^2 n, remain.
#include "bitonic_v2/tile.cuh"
#include "bitonic_v2/words.cuh"
#include "common/knobs.h"
#include "common/launch.cuh"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

enum { MOST_FAR_STEPS = 5, FAR_THREADS = 128 };

// Each block sorts a tile.
template <int ITEM_BITS, int THREAD_BITS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    sort_key_tiles(Pairs from, Pairs to, size_t n) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS);
  extern __shared__ unsigned int shared[];
  wait_for_previous_kernel();
  const size_t begin = (size_t)blockIdx.x * TILE;
  const unsigned int count = n - begin < TILE ? (unsigned int)(n - begin) : TILE;
  const Pairs tile = {shared, NULL};
  unsigned int key[1 << ITEM_BITS];
  load_window<ITEM_BITS, THREAD_BITS>(key, from_element(from, begin), count);
  sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(key, tile);
  store_neighbours<ITEM_BITS, THREAD_BITS, unsigned int>(from_element(to, begin), key, tile, count);
}

template <int ITEM_BITS, int THREAD_BITS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    sort_pair_tiles(Pairs from, Pairs to, size_t n) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS);
  extern __shared__ unsigned int shared[];
  wait_for_previous_kernel();
  const size_t begin = (size_t)blockIdx.x * TILE;
  const unsigned int count = n - begin < TILE ? (unsigned int)(n - begin) : TILE;
  sort_pairs<ITEM_BITS, THREAD_BITS>(from_element(from, begin), from_element(to, begin), count,
                                     shared);
}

// The last steps of a stage, whose partners lie in the same tile.
template <TILE_PARAMETERS>
static __global__ void __launch_bounds__(1 << THREAD_BITS) do_near_steps(Pairs pairs, size_t n) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS);
  extern __shared__ unsigned int shared[];
  wait_for_previous_kernel();
  const size_t begin = (size_t)blockIdx.x * TILE;
  const unsigned int count = n - begin < TILE ? (unsigned int)(n - begin) : TILE;
  const Pairs own = from_element(pairs, begin), tile = {shared, shared + TILE};
  Item item[1 << ITEM_BITS];
  load_window<ITEM_BITS, THREAD_BITS>(item, own, count);
  order_window<ITEM_BITS>(item, ITEM_BITS);
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
  finish_stage<TILE_ARGUMENTS, THREAD_BITS>(item, tile, columns);
  store_neighbours<TILE_ARGUMENTS>(own, item, tile, count);
}

// STEPS steps of a stage in one visit to device memory; MIRROR_FIRST: its first ones.
template <int STEPS, bool PAIRS, BitonicVisit VISIT>
static __global__ void __launch_bounds__(FAR_THREADS)
    do_far_steps(Pairs pairs, unsigned int n, unsigned int groups, int log_stride) {
  wait_for_previous_kernel();
  const size_t group = global_index();
  if (group < groups)
    visit_group<STEPS, PAIRS, VISIT, false>(pairs, n, (unsigned int)group, log_stride, STEPS);
}

// A tile and its kernels: the first of each two for keys, the other for pairs.
typedef struct TileShape {
  int bits;  // log2 of its elements
  unsigned int threads;
  void (*sort[2])(Pairs, Pairs, size_t);
  void (*near[2])(Pairs, size_t);
} TileShape;

#define SHAPE(items, threads)                                                             \
  {                                                                                       \
    items + threads, 1u << threads,                                                       \
        {sort_key_tiles<items, threads>, sort_pair_tiles<items, threads>}, {              \
      do_near_steps<items, threads, unsigned int>, do_near_steps<items, threads, Element> \
    }                                                                                     \
  }

// By size; the last is for n from MANY on.
static const TileShape shapes[] = {SHAPE(2, 5), SHAPE(2, 6), SHAPE(3, 6), SHAPE(4, 6),
                                   SHAPE(4, 7), SHAPE(4, 8), SHAPE(4, 9), SHAPE(5, 8)};
enum { SHAPES = sizeof shapes / sizeof *shapes, MANY = 1 << 22 };

static const char *const stages[] = {"tiles", "far", "near", NULL};
static const SortKnob knobs[] = {
    {"tile", 0, 0, SHAPES, "shape of the tile, a row of `shapes` (1-based); 0: chosen by n"},
    {"steps", 0, 0, MOST_FAR_STEPS, "steps per visit to device memory; 0: 5 for keys, 4 for pairs"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "bitonic_v2",
    .title = "bitonic network in registers and shared memory, up to five far steps a trip",
    .source = "Batcher, Sorting Networks and Their Applications (1968)",
    .stable = false,
    .max_n = UINT32_MAX,
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0.0,
    .scratch_per_pair = 0.0,
};

template <int STEPS, bool PAIRS>
static void launch_far(Pairs pairs, unsigned int n, int log_stride, bool mirror) {
  const unsigned int groups = bitonic_groups(n, STEPS, log_stride);
  launch_overlapped(
      mirror ? do_far_steps<STEPS, PAIRS, MIRROR_FIRST> : do_far_steps<STEPS, PAIRS, ONWARD>,
      blocks_for(groups, FAR_THREADS), FAR_THREADS, 0, pairs, n, groups, log_stride);
}

// The steps of `stage` from distance 2^(stage - 1) down to 2^tile_bits, evenly divided among
// visits.
template <bool PAIRS>
static void far_steps(Pairs pairs, unsigned int n, int stage, int tile_bits) {
  const int most = knob("steps") != 0 ? knob("steps") : PAIRS ? 4 : 5;
  int left = stage - tile_bits;
  for (int visits = (left + most - 1) / most; visits > 0; visits--) {
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

// Bytes of shared memory for `arrays` arrays of a tile's size.
static size_t shared_bytes(const TileShape *shape, int arrays) {
  return (size_t)arrays * sizeof(unsigned int) << shape->bits;
}

// The smallest tile that holds n elements, or the largest that fits into shared memory, for whose
// limit the driver is asked only above what every device has.
static const TileShape *choose_shape(size_t n, int arrays) {
  int row = knob("tile") - 1;
  if (row < 0 && n >= MANY) row = SHAPES - 1;
  if (row < 0)
    for (row = 0; row < SHAPES - 2 && n > (size_t)1 << shapes[row].bits;) row++;
  while (shared_bytes(&shapes[row], arrays) > 48 * 1024 &&
         shared_bytes(&shapes[row], arrays) > dynamic_shared_limit())
    row--;
  return &shapes[row];
}

template <bool PAIRS>
static void sort(Pairs input, Pairs output, size_t n) {
  const int sort_arrays = PAIRS ? 3 : 1, near_arrays = PAIRS ? 2 : 1;  // words, keys, positions
  const TileShape *const shape = choose_shape(n, sort_arrays);
  const unsigned int tiles = blocks_for(n, 1 << shape->bits);
  const size_t bytes = shared_bytes(shape, sort_arrays);
  const size_t near_bytes = shared_bytes(shape, near_arrays);
  allow_shared_memory(shape->sort[PAIRS], bytes);
  stage_start("tiles");
  launch_overlapped(shape->sort[PAIRS], tiles, shape->threads, bytes, input, output, n);
  stage_stop();
  if (tiles > 1) allow_shared_memory(shape->near[PAIRS], near_bytes);
  for (int stage = shape->bits + 1; n > (size_t)1 << (stage - 1); stage++) {
    stage_start("far");
    far_steps<PAIRS>(output, (unsigned int)n, stage, shape->bits);
    stage_stop();
    stage_start("near");
    launch_overlapped(shape->near[PAIRS], tiles, shape->threads, near_bytes, output, n);
    stage_stop();
  }
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
