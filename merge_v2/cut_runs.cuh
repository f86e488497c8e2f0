// Cuts groups of sorted runs so that every tile of the merged output can be computed independently.
#ifndef MERGE_V2_CUT_RUNS_CUH
#define MERGE_V2_CUT_RUNS_CUH

#include "common/launch.cuh"
#include "merge_v2/elements.cuh"

// A pass merges groups of `ways` neighbouring sorted runs of `width` elements; the last run may be
// shorter and the last group may have fewer. Its output is made in tiles of `tile` elements; a
// group has `tiles_per_group`, the last one perhaps fewer.
typedef struct Pass {
  size_t n, width;
  unsigned int ways, tile, tiles_per_group, tiles;
} Pass;

static inline Pass plan_pass(size_t n, size_t width, unsigned int ways, unsigned int tile) {
  const size_t group = width * ways, whole = n / group;
  Pass pass = {n, width, ways, tile, 0, 0};
  pass.tiles_per_group = (unsigned int)((group + tile - 1) / tile);
  pass.tiles = (unsigned int)(whole * pass.tiles_per_group + (n % group + tile - 1) / tile);
  return pass;
}

// Length of the run that begins at `begin`; 0 beyond the end.
static __device__ __forceinline__ unsigned int run_length(Pass pass, size_t begin) {
  if (begin >= pass.n) return 0;
  return (unsigned int)(pass.n - begin < pass.width ? pass.n - begin : pass.width);
}

// Lane l of a warp that cuts WAYS runs works for run l / AHEAD.
template <int WAYS>
struct Lanes {
  enum { AHEAD = 32 / WAYS };
};

// Which of the lanes of `among` have one of the `count` least candidates? The lane's own is `key`;
// of equal ones that of the earlier lane comes first.
static __device__ __forceinline__ bool is_among_least(Key key, const Key *window,
                                                      unsigned int among, unsigned int count) {
  const unsigned int lane = threadIdx.x % 32;
  unsigned int before = 0;
  for (; among > 0; among &= among - 1) {
    const unsigned int other = __ffs((int)among) - 1;
    const Key its = window[other];
    before += other < lane ? !less(key, its) : less(its, key);
  }
  return before < count;
}

// Cuts WAYS sorted runs so that `rank` elements lie before the cuts, and none of them comes after
// one behind the cuts; equal keys of an earlier run come first. All lanes of a warp call
// it, each with another run and its length, and get the cut of that run. `window`: 32 keys
// in shared memory.
//
// The cuts move forward in steps. With steps of s elements, the candidates are the s-th, 2s-th, ..
// next element of each run, AHEAD of each. If m elements are missing and m > WAYS * (s - 1), the
// run of the least candidate may go on by s: at most s - 1 elements of each other run come before
// that candidate. The same holds for the next candidates in order, as long as enough are missing,
// up to the last candidate of a run: the run may have more that come next.
//
//   runs [1 3 5 7] [2 3 4 9], rank 5
//   s = 2: 5 > 2 missing   3 7 and 3 9 are the candidates; 3 and 3 may pass   cuts 2 | 2
//   s = 1: 1 missing       5 7 and 4 9; 4 may pass                            cuts 2 | 3
template <int WAYS>
static __device__ __forceinline__ unsigned int cut_at_rank(const Key *run, unsigned int length,
                                                           unsigned int rank, Key *window) {
  // Steps of missing / SHORT, where usually all candidates up to the least last one may pass; or of
  // missing / LONG, where no more than AHEAD may: better where most of them are of one run.
  enum { AHEAD = Lanes<WAYS>::AHEAD, SHORT = 32, LONG = WAYS + AHEAD };
  const unsigned int lane = threadIdx.x % 32, ahead = lane % AHEAD + 1;
  const unsigned int of_run = (unsigned int)((1ull << AHEAD) - 1) << (lane - lane % AHEAD);
  unsigned int cut = 0, missing = rank, steps = SHORT;
  while (missing > 0) {
    const unsigned int step = (missing - 1) / steps + 1;
    const unsigned int may_pass = (missing - WAYS * (step - 1) - 1) / step + 1;
    const bool exists = (size_t)ahead * step <= length - cut;
    Key key = Key();
    if (exists) key = run[cut + (size_t)ahead * step - 1];
    window[lane] = key;
    __syncwarp();
    const unsigned int existing = __ballot_sync(~0u, exists);
    unsigned int bound = 32;  // lane of the least last candidate, if there is any
    Key bound_key = Key();
#pragma unroll
    for (unsigned int last = AHEAD - 1; last < 32; last += AHEAD) {
      const Key its = window[last];
      if ((existing >> last & 1) && (bound == 32 || less(its, bound_key))) {
        bound = last;
        bound_key = its;
      }
    }
    bool passes = exists && (bound == 32 || lane == bound ||
                             (lane < bound ? !less(bound_key, key) : less(key, bound_key)));
    unsigned int passed = __ballot_sync(~0u, passes);
    const bool few = __popc(passed) < (int)may_pass && __popc(passed) < WAYS;
    if (__popc(passed) > (int)may_pass) {
      passes = passes && is_among_least(key, window, passed, may_pass);
      passed = __ballot_sync(~0u, passes);
    }
    __syncwarp();  // before the window is filled again
    cut += step * __popc(passed & of_run);
    missing -= step * __popc(passed);
    steps = few ? LONG : SHORT;
  }
  return cut;
}

// As cut_at_rank, for the first element of a tile.
template <int WAYS>
static __device__ __forceinline__ unsigned int cut_at_tile(const Key *keys, Pass pass,
                                                           unsigned int tile, Key *window) {
  const unsigned int run = threadIdx.x % 32 / Lanes<WAYS>::AHEAD;
  const size_t begin = (size_t)(tile / pass.tiles_per_group) * WAYS * pass.width + run * pass.width;
  return cut_at_rank<WAYS>(keys + begin, run_length(pass, begin),
                           tile % pass.tiles_per_group * pass.tile, window);
}

// A warp per tile: cuts[tile * WAYS + j] = the elements of run j of its group before the tile.
template <int THREADS, int WAYS>
static __global__ void __launch_bounds__(THREADS)
    cut_runs(const Key *keys, unsigned int *cuts, Pass pass) {
  __shared__ Key windows[THREADS];
  wait_for_previous_kernel();
  const unsigned int thread = blockIdx.x * THREADS + threadIdx.x, tile = thread / 32;
  if (tile >= pass.tiles) return;
  const unsigned int cut = cut_at_tile<WAYS>(keys, pass, tile, windows + threadIdx.x / 32 * 32);
  if (thread % Lanes<WAYS>::AHEAD == 0) cuts[thread / Lanes<WAYS>::AHEAD] = cut;
}

#endif
