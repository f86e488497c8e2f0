// Pairs by runs: each tile of the input is sorted by the upper bits of its keys and written where
// it was, so that its pairs of one bucket stand side by side: a run. Then a block per bucket
// gathers the runs of all tiles, in the order of these, and sorts them by the rest of the key.
//
//   tiles            (3 a) (1 b) (2 c) (1 d)   (0 e) (1 f) (3 g) (2 h)
//   sorted           (1 b) (1 d) (2 c) (3 a)   (0 e) (1 f) (2 h) (3 g)
//   first[tile][b]   0 0 2 3                   0 1 2 3
//   bucket 1         (1 b) (1 d) (1 f)
//
// 32 bytes a pair move. A pair goes to its bucket when that is read, not when the tile is written:
// no tile needs to know what others have, so there is no count, no look-back, and no region. Nor is
// there a scan of the buckets: the sum of a column of the table is where its bucket begins.
#ifndef RADIX_V7_RUNS_CUH
#define RADIX_V7_RUNS_CUH

#include "common/launch.cuh"
#include "radix_v7/count_instead.cuh"
#include "radix_v7/load_sample.cuh"
#include "radix_v7/pairs_count.cuh"

enum {
  MOST_TILES = 600,  // whose runs a block can gather
};

// Device memory of one sort.
typedef struct RunState {
  uint2 *pairs;           // [tiles * tile] the sorted tiles
  unsigned short *first;  // [tiles][2^bits] where in its tile a run begins
  unsigned int *start;    // [2^bits + 1] where a bucket begins in the output; for large ones
  unsigned int *seen;     // [2] a Verdict on a sample, and one of a second look; NULL: none
  SweepState sweeps;      // for keys that suit only these; if there is a sample
  unsigned int n, tile, tiles;
  int bits;
  unsigned int most_large;  // large buckets, up to which the others are sorted as buckets
  volatile HostVerdict *host;
} RunState;

typedef struct Run {
  unsigned int begin, count;  // in its tile
} Run;

// The pairs of one tile, if there is such a tile, that are in one bucket.
static __device__ __forceinline__ Run run_of(const RunState &state, unsigned int tile,
                                             unsigned int bucket) {
  const unsigned int bins = 1u << state.bits;
  if (tile >= state.tiles) return {0, 0};
  const unsigned short *const first = state.first + (size_t)tile * bins + bucket;
  const unsigned int begin = first[0], in_tile = min(state.n - tile * state.tile, state.tile),
                     end = bucket + 1 < bins ? first[1] : in_tile;
  return {begin, end - begin};
}

// With more equal keys on average, sweeps are faster than crowded bins.
static constexpr float MOST_ALIKE_IN_RUNS = 24;

// Two looks at a sample each, the second one for equal keys. capacity: pairs of a bucket.
[[maybe_unused]] static __global__ void __launch_bounds__(LOOK_THREADS)
    look_at_runs(const unsigned int *keys, unsigned int capacity, RunState state) {
  wait_for_previous_kernel();
  unsigned int key[LOOK_EACH], next;
  if (!load_sample(keys, state.n, key, &next)) return;
  if (blockIdx.x >= LOADING_BLOCKS) {
    KeyRange range = WHOLE_RANGE;
    const unsigned int verdict = judge_again(key, next, state.n, 1, &range);
    // The tiles themselves will show whether buckets fit, if not too many keys are equal.
    const bool suit = verdict == FITS || range.alike <= MOST_ALIKE_IN_RUNS;
    if (verdict != UNKNOWN) state.seen[1] = suit ? FITS : TOO_LARGE;
    return;
  }
  const float room = (float)capacity * (float)(1 << (state.bits - LOOK_GROUP_BITS));
  const unsigned int verdict =
      judge_sample<false>(key, next, state.n, {room, state.most_large, ANY_SKIP}, state.host);
  if (threadIdx.x == 0) state.seen[0] = verdict;
}

// After look_at_runs(), if it was launched: whether tiles need not be sorted. With TO_COUNT, a few
// frequent values, they are: their buckets are sorted by themselves.
static __device__ __forceinline__ bool is_useless(const RunState &state) {
  if (state.seen == NULL || state.seen[0] == TO_COUNT) return false;
  return state.seen[0] != FITS || state.seen[1] != FITS;
}

#endif
