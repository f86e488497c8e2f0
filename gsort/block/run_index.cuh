// Pairs by runs: each tile of the input is sorted by the upper bits of its keys and written where
// it was, so that its pairs of one bucket stand side by side: a run. Then a block per bucket
// gathers the runs of all tiles, in the order of the tiles, and sorts them by the rest of the key
// (examples: kernel/runs.cuh).
//
// A pair goes to its bucket when that is read, not when the tile is written: no tile needs to know
// what others have, so there is no count, no look-back, and no region. Nor is there a scan of the
// buckets: the sum of a column of the table is where its bucket begins.
//
// Keys are codes from here on (key_code.cuh).
#ifndef GSORT_BLOCK_RUN_INDEX_CUH
#define GSORT_BLOCK_RUN_INDEX_CUH

#include "gsort/block/digits.cuh"
#include "gsort/block/findings.cuh"
#include "gsort/block/pair_bucket.cuh"

enum {
  MOST_TILES = 600,   // whose runs a block can gather
  SMALL_TILE = 8192,  // up to this size, a tile is sorted before a sample is judged
};

// Device memory of one sort.
typedef struct RunState {
  uint2 *pairs;           // [tiles * tile] the sorted tiles
  unsigned short *first;  // [tiles][2^bits] where in its tile a run begins
  unsigned int n, tile, tiles;
  int bits;
  KeyCode code;
  bool sampled;       // by sample_pairs() before
  SweepState sweeps;  // then, for keys that suit only these
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

// Whether the samples, if there were any, leave nothing for the buckets.
static __device__ __forceinline__ bool samples_end_runs(const RunState &state) {
  return state.sampled && finding_of_samples(state.findings) != EVEN;
}

// A block finds the runs of its bucket, and tells the host of it.
//
// Pair p of a bucket is in the last run that begins at p or before. A bit for each pair says where
// runs begin, and a sum for each word of bits how many runs begin before it, so that the run's
// number is a sum and a count of bits.
//
// The runs of one bucket: a thread has the runs of some neighbouring tiles.
template <int kThreads>
struct RunsOfThread {
  static constexpr int kEach = (MOST_TILES + kThreads - 1) / kThreads;
  Run run[kEach];
  unsigned int before;  // pairs of the bucket in the tiles before, and runs x 2^16
};

// What a block adds up, in shared memory.
typedef struct RunSums {
  unsigned int counts[MAX_WARPS], starts[MAX_WARPS], both[MAX_WARPS];
} RunSums;

// Reads the column of a bucket. `sums` is used until the next barrier; there is one inside. before:
// 16 bits suffice for the pairs of a bucket that fits.
template <int kThreads>
static __device__ __forceinline__ BucketPlace find_runs(const RunState &state, unsigned int bucket,
                                                        RunsOfThread<kThreads> &mine,
                                                        RunSums &sums) {
  constexpr unsigned int kWarps = kThreads / WARP_SIZE;
  const unsigned int lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  unsigned int count = 0, start = 0, runs = 0;
#pragma unroll
  for (int e = 0; e < mine.kEach; e++) {
    mine.run[e] = run_of(state, threadIdx.x * mine.kEach + e, bucket);
    count += mine.run[e].count;
    start += mine.run[e].begin;
    runs += mine.run[e].count > 0;
  }
  const unsigned int both = count | runs << 16, up_to_here = warp_inclusive_scan(both);
  count = warp_sum(count);
  start = warp_sum(start);
  if (lane == WARP_SIZE - 1) {
    sums.counts[warp] = count;
    sums.starts[warp] = start;
    sums.both[warp] = up_to_here;
  }
  __syncthreads();
  const bool counts = lane < kWarps;
  mine.before = up_to_here - both + warp_sum(lane < warp ? sums.both[lane] : 0);
  return {warp_sum(counts ? sums.counts[lane] : 0), warp_sum(counts ? sums.starts[lane] : 0)};
}

// Where the pairs of a bucket are, in shared memory. Pair p is counted from the block's first slot.
template <int kThreads, int kCapacity>
struct RunIndex {
  static constexpr int kWords = kCapacity / WARP_SIZE;
  // Of 32 pairs: a bit for each that begins a run, and the number of runs that begin before.
  typedef struct __align__(8) Word {
    unsigned int begins, runs_before;
  }
  Word;
  Word word[kWords];
  // [1 + run] from p to where it is among the sorted tiles; [0]: for slots before the first pair.
  unsigned int shift[1 + MOST_TILES];
  RunSums sums;

  __device__ __forceinline__ void clear(void) {
    for (unsigned int w = threadIdx.x; w < kWords; w += kThreads) word[w] = {0, 0};
    if (threadIdx.x == 0) shift[0] = 0;
  }

  // After clear() and a barrier; another one has to follow. Slots before `lead` are empty.
  __device__ __forceinline__ void fill(const RunState &state, const RunsOfThread<kThreads> &mine,
                                       unsigned int lead) {
    unsigned int before = mine.before + lead;
#pragma unroll
    for (int e = 0; e < mine.kEach; e++) {
      const Run run = mine.run[e];
      if (run.count == 0) continue;
      const unsigned int p = before & 0xffffu, end = p + run.count, runs = (before >> 16) + 1;
      shift[runs] = (threadIdx.x * mine.kEach + e) * state.tile + run.begin - p;
      atomicOr(&word[p / WARP_SIZE].begins, 1u << p % WARP_SIZE);
      for (unsigned int w = p / WARP_SIZE + 1; w <= end / WARP_SIZE && w < kWords; w++)
        word[w].runs_before = runs;
      before += run.count | 1u << 16;
    }
  }

  // Where pair p is. A slot without a pair has some number, too: a test would keep lanes, and so
  // the reads of different pairs, apart.
  __device__ __forceinline__ unsigned int at(unsigned int p) const {
    const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - p % WARP_SIZE);
    const Word mine = word[p / WARP_SIZE];
    return p + shift[mine.runs_before + (unsigned int)__popc((int)(mine.begins & up_to_me))];
  }
};

// Whether the buckets cannot be sorted: keys do not suit, or some bucket is full. One thread
// of each block, before tell_of_bucket(). Atomics, as other blocks add to these meanwhile.
static __device__ __forceinline__ bool is_stopped(const RunState &state) {
  return *(volatile unsigned int *)&state.findings->stop != 0 ||
         *(volatile unsigned int *)&state.findings->full != 0;
}

// One thread of each block, when that knows whether its bucket is too large for it. The last one
// tells the host: early, while blocks still sort.
static __device__ void tell_of_bucket(const RunState &state, bool is_large) {
  Findings *const findings = state.findings;
  if (is_large) {
    atomicExch(&findings->full, 1u);
    __threadfence();
  }
  if (atomicAdd(&findings->arrived, 1u) < gridDim.x - 1) return;
  __threadfence();
  if (findings->stop != 0)
    state.host->finding = STOPPED;
  else
    state.host->finding = *(volatile unsigned int *)&findings->full != 0 ? OVERFULL : SORTED;
}

#endif
