// Host side of splitters.cuh: which tiles and blocks for how many pairs, and the launches.
#ifndef RADIX_V7_BY_SPLITTERS_CUH
#define RADIX_V7_BY_SPLITTERS_CUH

#include "radix_v7/by_runs.cuh"
#include "radix_v7/split_block.cuh"
#include "radix_v7/split_tiles.cuh"

// Kernels for n <= up_to, and the shapes of their blocks.
typedef struct SplitPlan {
  size_t up_to;
  int bits;
  unsigned int rank_blocks;
  void (*rank)(const unsigned int *, unsigned int, SplitterPlaces);
  unsigned int tile_threads, tile, tile_blocks_per_sm;
  size_t tile_bytes;
  void (*tiles)(Pairs, RunState, Splitters);
  unsigned int block_threads, capacity;
  size_t block_bytes;
  void (*blocks)(Pairs, RunState, Splitters);
} SplitPlan;

#define SAMPLE_RANK(bits, own) \
  (SAMPLES_EACH << bits) / own, rank_sample<(SAMPLES_EACH << bits) / RANK_THREADS, own>
#define SPLIT_TILES(bits, threads, items, blocks)                                 \
  threads, threads *items, blocks, sizeof(SplitTileShared<threads, items, bits>), \
      split_tiles<threads, items, bits, blocks>
#define SPLIT_BLOCK(threads, items, bin_bits, blocks)                                  \
  threads, threads *items, sizeof(PairBlockShared<threads, items, bin_bits, FETCHED>), \
      sort_split_bucket<threads, items, bin_bits, blocks>

// Buckets grow by chance to twice their share and more, but have to fit into a block.
enum { SPLIT_FROM = 8193, SPLIT_MOST = 500000 };
static const SplitPlan split_plans[] = {
    {235000, 7, SAMPLE_RANK(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 4, 12, 1)},
    {420000, 7, SAMPLE_RANK(7, 32), SPLIT_TILES(7, 512, 4, 2), SPLIT_BLOCK(1024, 8, 13, 1)},
    {SPLIT_MOST, 8, SAMPLE_RANK(8, 32), SPLIT_TILES(8, 256, 16, 2), SPLIT_BLOCK(512, 9, 11, 2)},
};
enum { SPLIT_PLANS = sizeof split_plans / sizeof *split_plans };

// The plan for n elements; NULL if there is none, or it needs more shared memory than there is. (n
// below SPLIT_FROM gets here only if the knob rankedUpTo is set.)
static inline const SplitPlan *plan_splitters(size_t n) {
  if (n < SPLIT_FROM || n > (size_t)knob("sampledUpTo")) return NULL;
  const SplitPlan *plan = split_plans;
  while (n > plan->up_to) plan++;
  const size_t limit = dynamic_shared_limit();
  return plan->tile_bytes <= limit && plan->block_bytes <= limit ? plan : NULL;
}

// Sorts n pairs from input to output by a plan; false, with the input as it was, if too many
// buckets are too large. The host waits for that verdict when all is launched. For bare keys
// output.positions is NULL, and input.positions any n numbers.
static bool sort_pairs_by_splitters(const SplitPlan *plan, Pairs input, Pairs output, size_t n) {
  const unsigned int buckets = 1u << plan->bits;
  const bool bare = output.positions == NULL;
  RunState state = {};
  state.n = (unsigned int)n;
  state.tile = plan->tile;
  state.tiles = blocks_for(n, (int)plan->tile);
  state.bits = plan->bits;
  state.host = fresh_host_verdict(n);
  state.host->most = state.most_large = bare ? 0 : MOST_LARGE;
  const size_t table_at = run_pair_bytes(&state),
               run_bytes = scratch_aligned(table_at + run_table_bytes(&state)),
               bytes = run_bytes + (1 + SAMPLES_EACH) * buckets * sizeof(unsigned int);
  char *const memory = (char *)(bare ? scratch_alloc(bytes) : pair_scratch(bytes, output, n));
  point_run_state(&state, memory, memory + table_at);
  unsigned int *const splitter = (unsigned int *)(memory + run_bytes);
  unsigned int *const sorted = splitter + buckets;
  const Splitters splitters = {splitter, sorted, buckets};

  stage_start("hist");
  plan->rank<<<plan->rank_blocks, RANK_THREADS>>>(input.keys, state.n, {splitter, sorted});
  LAUNCH_CHECK();
  stage_stop();
  stage_start("sweep");
  allow_shared_memory(plan->tiles, plan->tile_bytes);
  allow_shared_memory(plan->blocks, plan->block_bytes);
  const unsigned int most = plan->tile_blocks_per_sm * sm_count();
  launch_overlapped(plan->tiles, state.tiles < most ? state.tiles : most, plan->tile_threads,
                    plan->tile_bytes, input, state, splitters);
  launch_overlapped(plan->blocks, buckets, plan->block_threads, plan->block_bytes, output, state,
                    splitters);
  stage_stop();
  const bool fits = verdict_fits(state.host);
  if (fits && state.host->large > 0) {
    unpack_large_runs(state, input);
    sort_large_pairs(state.host, input, output, memory);
  }
  scratch_free(memory);
  return fits;
}

#endif
