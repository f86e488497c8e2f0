// The whole sort: which tiles, how many passes, and their launches.
#ifndef MERGE_V2_PASSES_CUH
#define MERGE_V2_PASSES_CUH

#include "common/device.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "merge_v2/merge_tiles.cuh"
#include "merge_v2/sort_tiles.cuh"

enum { MERGE_THREADS = 256, SHAPES = 7, FEWER_PASSES_FROM = 2000000 };

template <int THREADS, int ITEMS, bool PAIRS>
static void launch_sort_tiles(KeyArrays from, KeyArrays to, size_t n, unsigned int tile) {
  const size_t bytes = tile_bytes(TileSize<THREADS, ITEMS>::ALL, PAIRS);
  allow_shared_memory(sort_tiles<THREADS, ITEMS, PAIRS>, bytes);
  launch_overlapped(sort_tiles<THREADS, ITEMS, PAIRS>, (unsigned int)((n + tile - 1) / tile),
                    THREADS, bytes, from, to, n, tile);
}

// One pass. cuts: NULL if the blocks that merge cut the runs themselves.
template <int ITEMS, int WAYS, bool PAIRS>
static void launch_pass(KeyArrays from, KeyArrays to, unsigned int *cuts, Pass pass) {
  enum { THREADS = MERGE_THREADS, CUT_WARPS = 4 };
  const size_t bytes = tile_bytes(TileSize<THREADS, ITEMS>::ALL, PAIRS);
  const auto merge = cuts == NULL ? merge_tiles<THREADS, ITEMS, WAYS, PAIRS, true>
                                  : merge_tiles<THREADS, ITEMS, WAYS, PAIRS, false>;
  if (cuts != NULL)
    launch_overlapped(cut_runs<CUT_WARPS * 32, WAYS>, (pass.tiles + CUT_WARPS - 1) / CUT_WARPS,
                      CUT_WARPS * 32, 0, (const Key *)from.keys, cuts, pass);
  allow_shared_memory(merge, bytes);
  launch_overlapped(merge, pass.tiles, THREADS, bytes, from, to, (const unsigned int *)cuts, pass);
}

template <int ITEMS, bool PAIRS>
static void merge_pass(KeyArrays from, KeyArrays to, unsigned int *cuts, Pass pass) {
  if (pass.ways == 2) launch_pass<ITEMS, 2, PAIRS>(from, to, cuts, pass);
  if (pass.ways == 4) launch_pass<ITEMS, 4, PAIRS>(from, to, cuts, pass);
  if (pass.ways == 8) launch_pass<ITEMS, 8, PAIRS>(from, to, cuts, pass);
}

// Threads of a block of the first pass; elements of a thread in the first pass's merges and in the
// merge passes.
typedef struct Shape {
  int threads, items;
  void (*sort_tiles)(KeyArrays from, KeyArrays to, size_t n, unsigned int tile);
  void (*merge_pass)(KeyArrays from, KeyArrays to, unsigned int *cuts, Pass pass);
} Shape;

// Odd numbers of elements of a thread: threads whose shares begin an odd distance apart are in
// different banks of shared memory.
#define SHAPE(threads, items, pairs) \
  { threads, items, launch_sort_tiles<threads, items, pairs>, merge_pass<items, pairs> }

static const Shape key_shapes[SHAPES] = {
    SHAPE(128, 9, false),  SHAPE(512, 9, false),  SHAPE(256, 17, false), SHAPE(512, 17, false),
    SHAPE(256, 33, false), SHAPE(512, 33, false), SHAPE(256, 9, false)};
// 33 are too many for pairs.
static const Shape pair_shapes[SHAPES] = {
    SHAPE(128, 9, true),  SHAPE(512, 9, true),  SHAPE(256, 17, true), SHAPE(512, 17, true),
    SHAPE(256, 17, true), SHAPE(512, 17, true), SHAPE(256, 9, true)};

// Fastest row of the shapes (1-based) for n <= up_to, measured: most often the smallest tile with
// which the passes are as few as can be. Above, the smaller of two tiles, unless the larger one
// saves a pass.
typedef struct Choice {
  size_t up_to;
  int shape;
} Choice;

static const Choice key_choices[] = {{2304, 7},  {4352, 3},   {8704, 4},    {34272, 3},
                                     {68544, 4}, {274176, 3}, {SIZE_MAX, 5}};
static const Choice pair_choices[] = {{1152, 1},  {2304, 7},   {4608, 2},   {18144, 7},
                                      {36288, 2}, {145152, 7}, {600000, 2}, {SIZE_MAX, 3}};

// KeyArrays of a tile of the first pass: all that a block can sort, if that is n; otherwise a
// multiple of the merge passes' tiles where it has as many threads, so that few of their tiles are
// cut short.
static unsigned int sorted_tile(Shape shape, size_t n) {
  const unsigned int most = (unsigned int)(shape.threads * shape.items);
  if (n <= most) return most;
  if (shape.threads < MERGE_THREADS) return (unsigned int)(shape.threads * shape.items);
  return (unsigned int)(shape.threads / MERGE_THREADS) * merged_tile(MERGE_THREADS, shape.items);
}

// Number of times that runs of `width` have to be doubled until one holds n elements.
static int doublings(size_t n, size_t width) {
  int count = 0;
  for (; width < n; width *= 2) count++;
  return count;
}

static int passes_for(size_t n, Shape shape, int most_doublings) {
  return (doublings(n, sorted_tile(shape, n)) + most_doublings - 1) / most_doublings;
}

// number: a row of the shapes, from 1; or 0.
static const Shape *choose_shape(int number, size_t n, int most_doublings, bool pairs) {
  const Shape *const shapes = pairs ? pair_shapes : key_shapes;
  if (number > 0) return &shapes[number - 1];
  const Choice *choice = pairs ? pair_choices : key_choices;
  while (n > choice->up_to) choice++;
  const Shape *const shape = &shapes[choice->shape - 1], *wide = shapes;
  while (wide->threads < 512 || wide->items != shape->items) wide++;
  const bool saves_pass =
      passes_for(n, *wide, most_doublings) < passes_for(n, *shape, most_doublings);
  return n >= FEWER_PASSES_FROM && saves_pass ? wide : shape;
}

// Sorts n elements from `input`, which is overwritten, to `output`. shape: a row of the shapes,
// from 1, or 0; most_doublings: a pass merges up to 2^most_doublings runs, 1 to 3; own_cuts: the
// blocks that merge cut the runs.
static void merge_sort(KeyArrays input, KeyArrays output, size_t n, int shape_number,
                       int most_doublings, bool own_cuts) {
  const Shape shape = *choose_shape(shape_number, n, most_doublings, input.positions != NULL);
  const unsigned int tile = merged_tile(MERGE_THREADS, shape.items);
  size_t width = sorted_tile(shape, n);
  int left = doublings(n, width), passes = passes_for(n, shape, most_doublings);
  // The last pass has to end in the output.
  KeyArrays from = input, to = passes % 2 == 0 ? output : input,
            other = passes % 2 == 0 ? input : output;
  stage_start("sort");
  shape.sort_tiles(from, to, n, (unsigned int)width);
  stage_stop();
  if (passes == 0) return;
  stage_start("merge");
  // The first pass has the most groups, each of whose last tiles may be short, and the most cuts.
  const size_t most_tiles = n / tile + n / width / 2 + 2;
  unsigned int *cuts = NULL;
  if (!own_cuts) cuts = (unsigned int *)scratch_alloc(most_tiles * MOST_WAYS * sizeof *cuts);
  for (; passes > 0; passes--) {
    const int steps = (left + passes - 1) / passes;  // evenly many in each pass
    from = to;
    to = other;
    other = from;
    const Pass pass = plan_pass(n, width, 1u << steps, tile);
    shape.merge_pass(from, to, cuts, pass);
    width <<= steps;
    left -= steps;
  }
  if (cuts != NULL) scratch_free(cuts);
  stage_stop();
}

#endif
