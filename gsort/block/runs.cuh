// Pairs by runs: each tile of the input is sorted by the upper bits of its keys and written where
// it was, so that its pairs of one bucket stand side by side: a run. Then a block per bucket
// gathers the runs of all tiles, in the order of the tiles, and sorts them by the rest of the key
// (examples: kernel/sort_tiles.cuh, kernel/gather_runs.cuh).
//
// A pair goes to its bucket when that is read, not when the tile is written: no tile needs to know
// what others have, so there is no count, no look-back, and no region. Nor is there a scan of the
// buckets: the sum of a column of the table is where its bucket begins.
//
// Keys are codes from here on (key_code.cuh).
#ifndef GSORT_BLOCK_RUNS_CUH
#define GSORT_BLOCK_RUNS_CUH

#include "gsort/block/digits.cuh"
#include "gsort/block/findings.cuh"

enum {
  MOST_TILES = 600,   // whose runs a block can gather
  SMALL_TILE = 8192,  // up to this size, a tile is sorted before a sample is judged
};

// Device memory of one sort.
typedef struct RunState {
  uint2 *pairs;           // [tiles * tile] the sorted tiles
  unsigned short *first;  // [tiles][2^bits] where in its tile a run begins
  unsigned int *start;    // [2^bits + 1] where a bucket begins in the output; for large ones
  unsigned int n, tile, tiles;
  int bits;
  KeyCode code;
  bool sampled;             // by sample_pairs() before
  SweepState sweeps;        // then, for keys that suit only these
  unsigned int most_large;  // large buckets, up to which the others are sorted as buckets
  Findings *findings;
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

// Whether the samples, if there were any, leave nothing for the buckets. HEAVY, a few frequent
// values, does not: their buckets are sorted as arrays.
static __device__ __forceinline__ bool samples_end_runs(const RunState &state) {
  if (!state.sampled || state.findings->first_sample == HEAVY) return false;
  return state.findings->first_sample != EVEN || state.findings->second_sample != EVEN;
}

#endif
