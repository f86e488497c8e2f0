// Second step of runs.cuh: a block gathers the runs of its bucket and sorts them.
//
// Pair p of a bucket is in the last run that begins at p or before. A bit for each pair says where
// runs begin, and a sum for each word of bits how many runs begin before it, so that the run's
// number is a sum and a count of bits.
#ifndef RADIX_V7_GATHER_RUNS_CUH
#define RADIX_V7_GATHER_RUNS_CUH

#include "radix_v7/pairs_bucket.cuh"
#include "radix_v7/large_pairs.cuh"
#include "radix_v7/runs.cuh"

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

  __device__ __forceinline__ void clear(void) {
    for (unsigned int w = threadIdx.x; w < kWords; w += kThreads) word[w] = {0, 0};
    if (threadIdx.x == 0) shift[0] = 0;
  }

  // After clear() and a barrier; there is one at its end. Slots before `lead` are empty; run: that
  // of tile threadIdx.x.
  __device__ __forceinline__ void fill(const RunState &state, Run run, unsigned int bucket,
                                       unsigned int lead, unsigned int *warp_sums) {
    unsigned int before = lead;  // pairs, and runs x 2^16
    for (unsigned int base = 0;; run = run_of(state, base + threadIdx.x, bucket)) {
      const unsigned int mine = run.count | (run.count > 0 ? 1u << 16 : 0),
                         up_to_here = before + block_inclusive_scan_one_barrier(mine, warp_sums);
      if (run.count > 0) {
        const unsigned int end = up_to_here & 0xffffu, p = end - run.count, runs = up_to_here >> 16;
        shift[runs] = (base + threadIdx.x) * state.tile + run.begin - p;
        atomicOr(&word[p / WARP_SIZE].begins, 1u << p % WARP_SIZE);
        for (unsigned int w = p / WARP_SIZE + 1; w <= end / WARP_SIZE && w < kWords; w++)
          word[w].runs_before = runs;
      }
      base += kThreads;
      if (base >= state.tiles) break;
      for (int w = 0; w < kThreads / WARP_SIZE; w++) before += warp_sums[w];
      __syncthreads();
    }
    __syncthreads();
  }

  // Where pair p is. A slot without a pair has some number, too: a test would keep lanes, and so
  // the reads of different pairs, apart.
  __device__ __forceinline__ unsigned int at(unsigned int p) const {
    const unsigned int up_to_me = 0xffffffffu >> (WARP_SIZE - 1 - p % WARP_SIZE);
    const Word mine = word[p / WARP_SIZE];
    return p + shift[mine.runs_before + (unsigned int)__popc((int)(mine.begins & up_to_me))];
  }
};

// A bucket's pairs, in runs.
template <class Index>
struct PairsInRuns {
  const Index &index;
  const uint2 *pairs;
  __device__ __forceinline__ const uint2 *operator()(int offset) const {
    return &pairs[opaque(index.at(threadIdx.x + (unsigned int)offset))];
  }
};

// The bucket of the calling block.
template <class Index>
struct RunPlace {
  const RunState &state;
  Index &index;
  Run run;  // of tile threadIdx.x
  unsigned int *warp_sums;
  __device__ __forceinline__ BucketPlace operator()(void) const {
    const unsigned int begin = state.start[blockIdx.x];
    return {state.start[blockIdx.x + 1] - begin, begin};
  }
  __device__ __forceinline__ BucketPlace again(BucketPlace) const { return (*this)(); }
  __device__ __forceinline__ PairsInRuns<Index> pairs(BucketPlace, unsigned int lead) const {
    index.fill(state, run, blockIdx.x, lead, warp_sums);
    return {index, state.pairs};
  }
};

template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_runs(Pairs out, RunState state, KeyRange range) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, PARTLY_BY_BIN> Shared;
  typedef RunIndex<kThreads, Shared::kCapacity> Index;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  Shared &shared = *(Shared *)shared_memory;
  static_assert(sizeof(Index) <= sizeof shared.element, "the index lies where elements will be");
  Index &index = *(Index *)shared.element;
  prepare_block(shared);
  index.clear();
  wait_for_previous_kernel();
  const Run run = run_of(state, threadIdx.x, blockIdx.x);
  if (*state.unfit != 0) return;
  __syncthreads();
  sort_pairs_of_bucket<kFew>(shared, BucketOfBlock(),
                             RunPlace<Index>{state, index, run, shared.warp_sums}, out,
                             32 - state.bits, range);
}

// A large bucket, which begins at `begin` in the output: a block for each tile copies its run.
static __global__ void __launch_bounds__(UNPACK_THREADS)
    unpack_runs(RunState state, unsigned int begin, Pairs out) {
  __shared__ unsigned int bucket, before;
  if (threadIdx.x == 0) bucket = before = 0;
  __syncthreads();
  for (unsigned int b = threadIdx.x; b < 1u << state.bits; b += UNPACK_THREADS)
    if (state.start[b] == begin && state.start[b + 1] > begin) bucket = b;
  __syncthreads();
  unsigned int sum = 0;
  for (unsigned int t = threadIdx.x; t < blockIdx.x; t += UNPACK_THREADS)
    sum += run_of(state, t, bucket).count;
  if (sum > 0) atomicAdd(&before, sum);
  __syncthreads();
  const Run run = run_of(state, blockIdx.x, bucket);
  const uint2 *const from = state.pairs + (size_t)blockIdx.x * state.tile + run.begin;
  for (unsigned int i = threadIdx.x; i < run.count; i += UNPACK_THREADS) {
    out.keys[before + i] = from[i].x;
    out.positions[before + i] = from[i].y;
  }
}

#endif
