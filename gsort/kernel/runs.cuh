// The kernels of a sort of pairs by runs (block/run_index.cuh).
#ifndef GSORT_KERNEL_RUNS_CUH
#define GSORT_KERNEL_RUNS_CUH

#include "gsort/block/evenness.cuh"
#include "gsort/block/overlap.cuh"
#include "gsort/block/run_index.cuh"
#include "gsort/block/run_tile.cuh"
#include "gsort/kernel/count_digits.cuh"

// Before it, two samples of the keys are judged: the first one for how even they are, the second
// one for equal keys. Tiles are loaded and counted meanwhile. Each sample is loaded by the blocks
// of a cluster. Moves some 600 KB.
enum { PAIR_SAMPLES = 2 };
// With more equal keys on average, sweeps are faster than full bins.
static constexpr float MOST_EQUALS_IN_RUNS = 24;

// A cluster of `blocks` blocks of SAMPLE_THREADS for each sample. capacity: pairs of a bucket.
static __global__ void __launch_bounds__(SAMPLE_THREADS)
    sample_pairs(const unsigned int *keys, unsigned int capacity, unsigned int blocks,
                 RunState state) {
  wait_for_previous_kernel();
  Findings *const findings = state.findings;
  if (blockIdx.x == 0) clear_findings(findings);
  const unsigned int number = blockIdx.x / blocks;
  unsigned int key[SAMPLE_EACH], next;
  if (!load_cluster_sample(keys, state.n, state.code, number, &findings->sample[number], blocks,
                           key, &next))
    return;
  if (number > 0) {
    // Buckets with much room to spare may fit if keys are a little uneven; the tiles will show.
    const bool have_room = (float)capacity * (float)(1 << state.bits) > 1.3f * (float)state.n;
    const unsigned int seen =
        judge_second_sample(key, next, state.n, 1, have_room, MOST_EQUALS_IN_RUNS, findings);
    if (seen != UNKNOWN) findings->second_sample = seen;
    return;
  }
  const float group = (float)capacity * (float)(1 << (state.bits - GROUP_BITS));
  const unsigned int seen =
      judge_sample<true, true, false>(key, state.n, group, findings, state.host);
  if (threadIdx.x == 0) findings->first_sample = seen;
}

// First step: each tile of the input is sorted by the upper bits of its
// keys, and stays where it was.
//
//   tiles, upper 2 bits of keys   (3 a) (1 b) (2 c) (1 d)   (0 e) (1 f) (3 g) (2 h)
//   sorted                        (1 b) (1 d) (2 c) (3 a)   (0 e) (1 f) (2 h) (3 g)
//   first[tile][b]                0 0 2 3                   0 1 2 3
//
// The order within a digit stays, so that the whole sort is stable. Moves 16
// bytes a pair, and a little for the table.
//
// Digits are the first bits of the keys, which may be mapped.
template <int kBits>
struct UpperDigits {
  static constexpr bool kMayBeSampled = true;

  // Nothing here: the first tile is counted before the previous kernel has ended.
  __device__ __forceinline__ void prepare(void) const {}

  template <int kItems>
  __device__ __forceinline__ PairDigitAt<kBits> of(const PairItems<kItems> &) const {
    return {32 - kBits};
  }
};

template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_tiles(Elements in, RunState state) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  sort_tiles_of_block(*(TileShared<kThreads, kItems, kBits> *)shared_memory, in, state,
                      UpperDigits<kBits>());
}

// Second step: a block gathers the runs of its bucket from all sorted
// tiles, in the order of the tiles, and sorts them by the rest of the key (block/pair_bucket.cuh).
//
//   tiles      (1 b) (1 d) (2 c) (3 a)   (0 e) (1 f) (2 h) (3 g)      first 0 0 2 3, 0 1 2 3
//   bucket 1   (1 b) (1 d) from the first tile, (1 f) from the second; in the output it begins at
//              0 + 1, the sum of its column of `first`
//
// Moves 16 bytes a pair.
//
// A bucket's pairs, in runs.
template <class Index>
struct PairsInRuns {
  const Index &index;
  const uint2 *pairs;
  __device__ __forceinline__ const uint2 *operator()(int offset) const {
    return &pairs[opaque(index.at(threadIdx.x + (unsigned int)offset))];
  }
};

// The bucket of the calling block. Its place is kept in shared memory, too: registers are scarce.
template <int kThreads, class Index>
struct RunPlace {
  const RunState &state;
  Index &index;
  const RunsOfThread<kThreads> &mine;
  BucketPlace place;
  const BucketPlace &kept;
  __device__ __forceinline__ BucketPlace operator()(void) const { return place; }
  __device__ __forceinline__ BucketPlace again(BucketPlace) const { return kept; }
  __device__ __forceinline__ PairsInRuns<Index> pairs(BucketPlace, unsigned int lead) const {
    index.fill(state, mine, lead);
    __syncthreads();
    return {index, state.pairs};
  }
};

template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    gather_runs(Elements out, RunState state) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, PARTLY_BY_BIN> Shared;
  typedef RunIndex<kThreads, Shared::kCapacity> Index;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ BucketPlace kept;
  __shared__ bool stopped;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(sizeof(Index) <= sizeof shared.element, "the index lies where elements will be");
  Index &index = *(Index *)shared.element;
  prepare_block(shared);
  index.clear();
  wait_for_previous_kernel();
  RunsOfThread<kThreads> mine;
  if (samples_end_runs(state)) return;
  if (threadIdx.x == 0) stopped = is_stopped(state);
  const BucketPlace place = find_runs(state, blockIdx.x, mine, index.sums);
  const bool useless = stopped;
  if (threadIdx.x == 0) {
    tell_of_bucket(state, place.count > Shared::kCapacity - MOST_LEAD);
    kept = place;
  }
  if (useless) return;
  sort_pairs_of_bucket<kFew>(shared, blockIdx.x,
                             RunPlace<kThreads, Index>{state, index, mine, place, kept}, out,
                             MappedKeys{state.code, state.findings}, 32 - state.bits);
}

#endif
