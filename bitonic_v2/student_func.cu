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
#include "bitonic_v2/words.cuh"
#include "common/check.h"
#include "common/knobs.h"
#include "common/pairs.cuh"
#include "common/stages.h"
#include "common/your_sort.h"

enum { MOST_FAR_STEPS = 5, USUAL_FAR_STEPS = 4, FAR_THREADS = 128, MOST_TILE_BITS = 14 };

static const char *const stages[] = {"tiles", "far", "near", NULL};
static const SortKnob knobs[] = {
    {"tile", 0, 0, MOST_TILE_BITS, "log2 of tile; 0: chosen by n"},
    {"items", 0, 0, 5, "log2 of items; 0: chosen by n"},
    {"lanes", 2, 0, 5, "shuffles"},
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

static __device__ __forceinline__ Pairs offset_pairs(Pairs pairs, size_t begin) {
  const Pairs part = {pairs.keys + begin, pairs.positions == NULL ? NULL : pairs.positions + begin};
  return part;
}

// Writes the tile, each of whose threads holds neighbours, to device memory.
template <TILE_PARAMETERS>
static __device__ __forceinline__ void store_tile_items(Pairs to, Item *item, Pairs tile,
                                                        unsigned int count) {
  const Window rows = window_at<ITEM_BITS>(LANE_BITS, false);
  change_window<TILE_ARGUMENTS>(item, tile, window_at<ITEM_BITS>(0, false), rows);
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = window_index<ITEM_BITS>(rows, e);
    if (i < count) put(to, i, item[e]);
  }
}

// Each block sorts a tile.
template <int ITEM_BITS, int THREAD_BITS, bool PAIRS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    sort_tiles(Pairs from, Pairs to, size_t n, int lanes) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS);
  extern __shared__ unsigned int shared[];
#ifdef UNROLL
  lanes = UNROLL;
#endif
  const size_t begin = (size_t)blockIdx.x * TILE;
  const unsigned int count = n - begin < TILE ? (unsigned int)(n - begin) : TILE;
  from = offset_pairs(from, begin);
  to = offset_pairs(to, begin);
  if constexpr (PAIRS) {
    sort_pairs<ITEM_BITS, THREAD_BITS>(from, to, count, shared, lanes);
  } else {
    const Pairs tile = {shared, NULL};
    unsigned int key[1 << ITEM_BITS];
#pragma unroll
    for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
      const unsigned int i = e << THREAD_BITS | threadIdx.x;
      key[e] = i < count ? from.keys[i] : UINT32_MAX;
    }
    sort_tile<ITEM_BITS, THREAD_BITS, unsigned int>(key, tile, lanes);
    store_tile_items<ITEM_BITS, THREAD_BITS, unsigned int>(to, key, tile, count);
  }
}

// The last steps of a stage, whose partners lie in the same tile.
template <TILE_PARAMETERS>
static __global__ void __launch_bounds__(1 << THREAD_BITS)
    do_near_steps(Pairs pairs, size_t n, int lanes) {
  constexpr unsigned int TILE = 1u << (ITEM_BITS + THREAD_BITS);
  extern __shared__ unsigned int shared[];
#ifdef UNROLL
  lanes = UNROLL;
#endif
  const size_t begin = (size_t)blockIdx.x * TILE;
  const unsigned int count = n - begin < TILE ? (unsigned int)(n - begin) : TILE;
  pairs = offset_pairs(pairs, begin);
  const Pairs tile = {shared, shared + TILE};
  const Window columns = window_at<ITEM_BITS>(THREAD_BITS, false);
  Item item[1 << ITEM_BITS];
#pragma unroll
  for (unsigned int e = 0; e < 1u << ITEM_BITS; e++) {
    const unsigned int i = window_index<ITEM_BITS>(columns, e);
    make_padding(&item[e]);
    if (i < count) get(&item[e], pairs, i);
  }
  order_window<ITEM_BITS>(item, ITEM_BITS);
  finish_stage<TILE_ARGUMENTS>(item, tile, columns, lanes);
  store_tile_items<TILE_ARGUMENTS>(pairs, item, tile, count);
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

template <int ITEM_BITS, int THREAD_BITS, bool PAIRS>
static void sort_by_tiles(Pairs input, Pairs output, size_t n) {
  typedef typename ItemOf<PAIRS>::Item Item;
  enum { TILE_BITS = ITEM_BITS + THREAD_BITS, THREADS = 1 << THREAD_BITS };
  const unsigned int tiles = blocks_for(n, 1 << TILE_BITS);
  const size_t bytes = sizeof(unsigned int) << TILE_BITS;
  const int lanes = knob("lanes");
  if (PAIRS) allow_shared_memory(sort_tiles<ITEM_BITS, THREAD_BITS, PAIRS>, 3 * bytes + 1024);
  else allow_shared_memory(sort_tiles<ITEM_BITS, THREAD_BITS, PAIRS>, bytes);
  stage_start("tiles");
  sort_tiles<ITEM_BITS, THREAD_BITS, PAIRS><<<tiles, THREADS, PAIRS ? 3 * bytes : bytes>>>(input, output, n, lanes);
  LAUNCH_CHECK();
  stage_stop();
  if (n <= (size_t)1 << TILE_BITS) return;
  allow_shared_memory(do_near_steps<TILE_ARGUMENTS>, PAIRS ? 2 * bytes : bytes);
  for (int stage = TILE_BITS + 1; n > (size_t)1 << (stage - 1); stage++) {
    stage_start("far");
    far_steps<PAIRS>(output, (unsigned int)n, stage, TILE_BITS);
    stage_stop();
    stage_start("near");
    do_near_steps<TILE_ARGUMENTS><<<tiles, THREADS, PAIRS ? 2 * bytes : bytes>>>(output, n, lanes);
    LAUNCH_CHECK();
    stage_stop();
  }
}

template <bool PAIRS>
static void sort(Pairs input, Pairs output, size_t n) {
  int tile = knob("tile"), items = knob("items");
  for (int bits = 7; tile == 0; bits++)
    if (n <= (size_t)1 << bits || bits == 13) tile = bits;
  if (items == 0) items = tile <= 8 ? 2 : tile < 12 ? 3 : 4;
#define TRY(I, T) if (tile == I + T && items == I) { sort_by_tiles<I, T, PAIRS>(input, output, n); return; }
#if defined(FEW)
  TRY(2, 6) TRY(3, 5) TRY(3, 7) TRY(3, 8) TRY(4, 7) TRY(4, 8) TRY(3, 9)
#elif defined(UNROLL)
  TRY(2, 6) TRY(3, 5) TRY(2, 8) TRY(3, 7) TRY(4, 6) TRY(3, 8) TRY(4, 7) TRY(3, 9) TRY(4, 8) TRY(5, 7) TRY(4, 9)
#else
  TRY(2, 5) TRY(2, 6) TRY(3, 5) TRY(2, 7) TRY(3, 6) TRY(4, 5)
  TRY(2, 8) TRY(3, 7) TRY(4, 6) TRY(5, 5)
  TRY(2, 9) TRY(3, 8) TRY(4, 7) TRY(5, 6)
  TRY(2, 10) TRY(3, 9) TRY(4, 8) TRY(5, 7)
  TRY(3, 10) TRY(4, 9) TRY(5, 8)
  if (!PAIRS) {
#define TRYK(I, T) if (tile == I + T && items == I) { sort_by_tiles<I, T, false>(input, output, n); return; }
  TRYK(4, 10) TRYK(5, 9)
  }
#endif
  check_fail("no such shape");
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
