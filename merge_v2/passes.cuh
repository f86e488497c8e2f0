// The whole sort: which tiles, how many passes, and their launches.
#ifndef MERGE_V2_PASSES_CUH
#define MERGE_V2_PASSES_CUH

#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "merge_v2/merge_tiles.cuh"
#include "merge_v2/sort_tiles.cuh"

// Threads of a block and elements of a thread. Odd numbers of elements: threads whose shares begin
// an odd distance apart are in different banks of shared memory.
enum { MERGE_THREADS = 256, FEW_ITEMS = 9, MANY_ITEMS = 17, SHAPES = 4 };

typedef struct Shape {
  size_t up_to;  // fastest for n up to this; expected, not measured
  int threads, items;
} Shape;

static const Shape shapes[SHAPES] = {
    {128 * FEW_ITEMS, 128, FEW_ITEMS},
    {500000, 256, FEW_ITEMS},
    {2000000, 256, MANY_ITEMS},
    {SIZE_MAX, 512, MANY_ITEMS},
};

static const Shape *choose_shape(int number, size_t n) {
  if (number > 0) return &shapes[number - 1];
  const Shape *shape = shapes;
  while (n > shape->up_to) shape++;
  return shape;
}

// Elements of a tile of the first pass: a multiple of the merge passes' tiles where it has as many
// threads, so that few of their tiles are cut short.
static unsigned int sorted_tile(const Shape *shape) {
  if (shape->threads < MERGE_THREADS) return (unsigned int)(shape->threads * shape->items);
  return (unsigned int)(shape->threads / MERGE_THREADS) * merged_tile(MERGE_THREADS, shape->items);
}

template <int THREADS, int ITEMS, bool PAIRS>
static void launch_sort_tiles(Elements from, Elements to, size_t n, unsigned int tile) {
  const size_t bytes = tile_bytes(tile, PAIRS);
  allow_shared_memory(sort_tiles<THREADS, ITEMS, PAIRS>, bytes);
  launch_overlapped(sort_tiles<THREADS, ITEMS, PAIRS>, (unsigned int)((n + tile - 1) / tile),
                    THREADS, bytes, from, to, n, tile);
}

template <bool PAIRS>
static void sort_all_tiles(const Shape *shape, Elements from, Elements to, size_t n) {
  const unsigned int tile = sorted_tile(shape);
  if (shape == &shapes[0]) launch_sort_tiles<128, FEW_ITEMS, PAIRS>(from, to, n, tile);
  if (shape == &shapes[1]) launch_sort_tiles<256, FEW_ITEMS, PAIRS>(from, to, n, tile);
  if (shape == &shapes[2]) launch_sort_tiles<256, MANY_ITEMS, PAIRS>(from, to, n, tile);
  if (shape == &shapes[3]) launch_sort_tiles<512, MANY_ITEMS, PAIRS>(from, to, n, tile);
}

template <int ITEMS, int WAYS, bool PAIRS>
static void launch_pass(Elements from, Elements to, unsigned int *cuts, Pass pass) {
  const size_t bytes = tile_bytes(MERGE_THREADS * ITEMS, PAIRS);
  allow_shared_memory(merge_tiles<MERGE_THREADS, ITEMS, WAYS, PAIRS>, bytes);
  enum { CUT_THREADS = 64 };
  launch_overlapped(cut_runs<WAYS>, (pass.tiles + CUT_THREADS - 1) / CUT_THREADS, CUT_THREADS, 0,
                    (const Key *)from.keys, cuts, pass);
  launch_overlapped(merge_tiles<MERGE_THREADS, ITEMS, WAYS, PAIRS>, pass.tiles, MERGE_THREADS,
                    bytes, from, to, (const unsigned int *)cuts, pass);
}

template <int ITEMS, bool PAIRS>
static void merge_pass(Elements from, Elements to, unsigned int *cuts, Pass pass) {
  if (pass.ways == 2) launch_pass<ITEMS, 2, PAIRS>(from, to, cuts, pass);
  if (pass.ways == 4) launch_pass<ITEMS, 4, PAIRS>(from, to, cuts, pass);
  if (pass.ways == 8) launch_pass<ITEMS, 8, PAIRS>(from, to, cuts, pass);
}

// Number of times that runs of `width` have to be doubled until one holds n elements.
static int doublings(size_t n, size_t width) {
  int count = 0;
  for (; width < n; width *= 2) count++;
  return count;
}

// Sorts n elements from `input`, which is overwritten, to `output`. shape: a row of `shapes`, from
// 1, or 0; most_doublings: a pass merges up to 2^most_doublings runs, 1 to 3.
template <bool PAIRS>
static void merge_sort(Elements input, Elements output, size_t n, int shape_number,
                       int most_doublings) {
  const Shape *const shape = choose_shape(shape_number, n);
  const bool few = shape->items == FEW_ITEMS;
  const unsigned int tile = merged_tile(MERGE_THREADS, shape->items);
  size_t width = sorted_tile(shape);
  int left = doublings(n, width);
  int passes = (left + most_doublings - 1) / most_doublings;
  // The last pass has to end in the output.
  Elements from = input, to = passes % 2 == 0 ? output : input,
           other = passes % 2 == 0 ? input : output;
  stage_start("sort");
  sort_all_tiles<PAIRS>(shape, from, to, n);
  stage_stop();
  if (passes == 0) return;
  stage_start("merge");
  // The first pass has the most groups, each of whose last tiles may be short, and the most cuts.
  const size_t most_tiles = n / tile + n / width / 2 + 2;
  unsigned int *const cuts = (unsigned int *)scratch_alloc(most_tiles * MOST_WAYS * sizeof *cuts);
  for (; passes > 0; passes--) {
    const int steps = (left + passes - 1) / passes;  // evenly many in each pass
    from = to;
    to = other;
    other = from;
    const Pass pass = plan_pass(n, width, 1u << steps, tile);
    if (few)
      merge_pass<FEW_ITEMS, PAIRS>(from, to, cuts, pass);
    else
      merge_pass<MANY_ITEMS, PAIRS>(from, to, cuts, pass);
    width <<= steps;
    left -= steps;
  }
  scratch_free(cuts);
  stage_stop();
}

#endif
