// Second step of a sort of pairs by runs: a block gathers the runs of its bucket from all sorted
// tiles, in the order of the tiles, and sorts them by the rest of the key (pair_block.cuh).
//
//   tiles      (1 b) (1 d) (2 c) (3 a)   (0 e) (1 f) (2 h) (3 g)      first 0 0 2 3, 0 1 2 3
//   bucket 1   (1 b) (1 d) from the first tile, (1 f) from the second; in the output it begins at
//              0 + 1, the sum of its column of `first`
//
// Moves 16 bytes a pair.
#ifndef GSORT_KERNEL_GATHER_RUNS_CUH
#define GSORT_KERNEL_GATHER_RUNS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/run_index.cuh"

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
    gather_runs(Elements out, RunState state, KeyRange range) {
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
    tell_of_bucket(state, place, place.count > Shared::kCapacity - MOST_LEAD, range);
    kept = place;
  }
  if (useless) return;
  sort_pairs_of_bucket<kFew>(shared, BucketOfBlock(),
                             RunPlace<kThreads, Index>{state, index, mine, place, kept}, out,
                             state.code, 32 - state.bits, range);
}

#endif
