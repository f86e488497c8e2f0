// radix_v8: pairs with fewer trips through memory: sorted tiles and gathered runs.
//
// Builds on: radix_v6, whose sweeps sort what does not go by runs.
// Build:    make radix_v8
// Run:      ./HW4 samples/portrait.ppm samples/template.ppm
// New here: a tile is sorted by the upper bits of its keys, and stays where it was
//           (sort_tiles); a block per bucket then gathers its runs from all tiles and sorts them
//           (gather_runs; gsort/kernel/runs.cuh). What a sample finds uneven, or more than 8.9
//           million pairs, takes four sweeps, as in radix_v6.
// Lesson:   nobody has to know where a pair will end up before the block that writes it there: no
//           count, no look-back. And (rest of the key, index) is never equal, so that the block's
//           sort need not be stable.
#include "common/check.h"
#include "common/device.h"
#include "common/knobs.h"
#include "common/scratch.h"
#include "common/stages.h"
#include "common/your_sort.h"
#include "gsort/kernel/rank.cuh"
#include "gsort/kernel/runs.cuh"
#include "radix_v6/sweeps.cuh"

// Tiles and blocks for up to `up_to` pairs. More bits make smaller buckets, but shorter runs: these
// shall have some 16 pairs. A bucket has its share of the pairs and, by chance, up to 4.9 times the
// root of that more, which has to fit into a block of `threads` x `items`.
typedef struct RunPlan {
  size_t up_to;
  int bits;
  unsigned int tile_threads, tile, tiles_per_sm;
  size_t tile_bytes;
  void (*sort_tiles)(Elements, RunState);
  unsigned int threads, capacity;
  size_t bytes;
  void (*gather_runs)(Elements, RunState);
} RunPlan;

#define TILES(threads, items, bits, blocks)                                        \
  bits, threads, threads *items, blocks, sizeof(TileShared<threads, items, bits>), \
      sort_tiles<threads, items, bits, blocks>
#define BLOCKS(threads, items, bin_bits, few, blocks)                                        \
  threads, threads *items, sizeof(PairBlockShared<threads, items, bin_bits, PARTLY_BY_BIN>), \
      gather_runs<threads, items, bin_bits, few, blocks>

static const RunPlan run_plans[] = {
    {520000, TILES(256, 16, 8, 2), BLOCKS(256, 9, 9, 10, 4)},
    {1400000, TILES(256, 32, 9, 2), BLOCKS(256, 12, 9, 12, 4)},
    {2150000, TILES(256, 32, 9, 2), BLOCKS(256, 18, 10, 10, 4)},
    {4300000, TILES(512, 32, 10, 1), BLOCKS(256, 18, 10, 10, 4)},
    {8900000, TILES(512, 32, 10, 1), BLOCKS(512, 18, 11, 10, 2)},
};
enum { RUN_PLANS = sizeof run_plans / sizeof *run_plans };

enum { RANKED_MOST = 16384, LARGEST = (1 << 30) - 1 };
static const char *const stages[] = {"hist", "sweep", NULL};
static const SortKnob knobs[] = {
    {"rankedUpTo", RANKED_MOST, 0, RANKED_MOST, "largest n that is sorted by rank, in one launch"},
    {"runsFrom", 500001, 1, LARGEST, "smallest n that is sorted by runs"},
    {"runPlan", 0, 0, RUN_PLANS, "a row of the table `run_plans`; 0: chosen by n"},
    {"sample", 1, 0, 1, "0: the buckets alone show whether they fit"},
    {"shape", 0, 0, SHAPES, "tile shape of the sweeps, a row of radix_v6's table; 0: chosen by n"},
    {},
};

extern "C" const SortVersion sort_version = {
    .name = "radix_v8",
    .title = "pairs by sorted tiles and gathered runs: two trips through memory in place of four",
    .source = "gsort/, in this repository",
    .stable = true,
    .max_n = LARGEST,  // a count of the look-back shares 32 bits with two flags
    .slow_n = 0,
    .stages = stages,
    .knobs = knobs,
    .scratch_per_key = 0,     // there are no bare keys
    .scratch_per_pair = 8.9,  // a copy of the pairs, two look-backs, and the table of runs
    .on_host = false,
    .pairs_only = true,
};

// Lays out the memory of a sort by runs from `base` on; returns its bytes. The sorted tiles lie
// where sweeps would have a copy of the pairs, as these take over if a sample leaves nothing else.
static size_t lay_out(RunState *runs, char **for_sweeps, char *base, size_t n,
                      const RunPlan *plan) {
  const size_t tiles = parts_of(n, plan->tile), packed = tiles * plan->tile * sizeof(uint2),
               copy = 2 * scratch_aligned(n * sizeof(unsigned int)),
               more = packed > copy ? scratch_aligned(packed - copy) : 0,
               table = scratch_aligned(sizeof(unsigned short) * tiles << plan->bits);
  *for_sweeps = base + more;
  char *const behind = *for_sweeps + scratch_aligned(sweeps_bytes(n, true));
  runs->pairs = (uint2 *)base;
  runs->first = (unsigned short *)behind;
  runs->findings = (Findings *)(behind + table);
  return (size_t)((char *)(runs->findings + 1) - base);
}

// Sorts n pairs by runs, and returns SORTED. Else what the samples, or the buckets, have shown;
// with UNEVEN, from the samples, all digits are counted.
static Finding sort_by_runs(Elements input, Elements output, size_t n, const RunPlan *plan,
                            RunState *runs) {
  static HostVerdict *pinned = NULL;
  if (pinned == NULL) CUDA_CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
  volatile HostVerdict *const host = pinned;
  host->finding = UNKNOWN;
  runs->n = (unsigned int)n;
  runs->tile = plan->tile;
  runs->tiles = parts_of(n, plan->tile);
  runs->bits = plan->bits;
  runs->sampled = knob("sample") == 1;
  runs->host = host;
  stage_start("hist");
  if (runs->sampled) {
    sample_pairs<<<PAIR_SAMPLES, SAMPLE_THREADS>>>(input.keys, plan->capacity, 1, *runs);
    LAUNCH_CHECK();
  } else {
    CUDA_CHECK(cudaMemsetAsync(runs->findings, 0, sizeof *runs->findings, 0));
  }
  stage_stop();
  stage_start("sweep");
  const unsigned int most = plan->tiles_per_sm * multiprocessors();
  allow_shared_memory(plan->sort_tiles, plan->tile_bytes);
  const unsigned int grid = runs->tiles < most ? runs->tiles : most;
  plan->sort_tiles<<<grid, plan->tile_threads, plan->tile_bytes>>>(input, *runs);
  LAUNCH_CHECK();
  allow_shared_memory(plan->gather_runs, plan->bytes);
  plan->gather_runs<<<1u << plan->bits, plan->threads, plan->bytes>>>(output, *runs);
  LAUNCH_CHECK();
  stage_stop();
  while (host->finding == UNKNOWN && cudaStreamQuery(0) == cudaErrorNotReady) {
  }
  CUDA_CHECK(cudaPeekAtLastError());
  return (Finding)host->finding;
}

static const RunPlan *plan_for(size_t n) {
  const int wanted = knob("runPlan");
  const RunPlan *plan = &run_plans[wanted > 0 ? wanted - 1 : 0];
  while (wanted == 0 && plan < &run_plans[RUN_PLANS - 1] && n > plan->up_to) plan++;
  const size_t limit = dynamic_shared_limit();
  const bool fits = n >= (size_t)knob("runsFrom") && n <= plan->up_to &&
                    plan->tile_bytes <= limit && plan->bytes <= limit;
  return fits && parts_of(n, plan->tile) <= MOST_TILES ? plan : NULL;
}

void your_sort(unsigned int *const d_inputVals, unsigned int *const d_inputPos,
               unsigned int *const d_outputVals, unsigned int *const d_outputPos,
               const size_t numElems) {
  if (numElems == 0) return;
  const size_t n = numElems;
  const Elements input = {d_inputVals, d_inputPos}, output = {d_outputVals, d_outputPos};
  if (n <= (size_t)knob("rankedUpTo")) {
    stage_start("sweep");
    if (n <= 4 * RANK_THREADS)
      rank_elements<4, 32, true><<<parts_of(n, 32), RANK_THREADS>>>(input, output, (unsigned int)n);
    else
      rank_elements<16, 128, true>
          <<<parts_of(n, 128), RANK_THREADS>>>(input, output, (unsigned int)n);
    LAUNCH_CHECK();
    stage_stop();
    return;
  }
  const RunPlan *const plan = plan_for(n);
  if (plan == NULL) {
    sort_by_sweeps(input, output, n);
    return;
  }
  RunState runs = {};
  char *for_sweeps, *const anywhere = (char *)SCRATCH_ALIGNMENT;  // to find out how much there is
  char *const base = (char *)scratch_alloc(lay_out(&runs, &for_sweeps, anywhere, n, plan));
  lay_out(&runs, &for_sweeps, base, n, plan);
  runs.sweeps = sweep_state(n, true, for_sweeps);
  const Finding found = sort_by_runs(input, output, n, plan, &runs);
  if (found != SORTED) {
    if (found != UNEVEN || !runs.sampled) count_all_digits(input.keys, n, runs.sweeps);
    sweep_all_digits(input, output, n, for_sweeps);
  }
  scratch_free(base);
}
