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

// The runs of one bucket: a thread has those of some neighbouring tiles.
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

// Large buckets, and blocks that know their place. Zero between sorts.
static __device__ LargeBuckets run_large;
static __device__ unsigned int run_blocks_arrived;

// Whether the buckets cannot be sorted: keys are beyond the range, or too many buckets are large.
// One thread of each block, before tell_of_bucket(). Atomics, as the last block clears both.
static __device__ __forceinline__ bool is_in_vain(const RunState &state) {
  return atomicOr(&count_hopeless, 0u) != 0 || atomicAdd(&run_large.found, 0u) > state.most_large;
}

// One thread of each block, when that knows the place of its bucket and whether it is a large one.
// The last one tells the host: early, while blocks still sort.
static __device__ void tell_of_bucket(const RunState &state, BucketPlace place, bool is_large,
                                      KeyRange range) {
  state.start[blockIdx.x] = place.to;
  if (blockIdx.x == gridDim.x - 1) state.start[gridDim.x] = state.n;
  if (is_large) {
    note_large(&run_large, place.to, place.count);
    __threadfence();
  }
  if (atomicAdd(&run_blocks_arrived, 1u) < gridDim.x - 1) return;
  __threadfence();
  const unsigned int hopeless = hopeless_bits();
  const bool fits = tell_large(&run_large, state.n, state.host);
  // All is 0 before the host may start the next sort.
  atomicExch(&run_blocks_arrived, 0u);
  atomicExch(&run_large.found, 0u);
  atomicExch(&count_hopeless, 0u);
  __threadfence();
  if (hopeless != 0)
    tell_if_wider(range, hopeless, state.host);
  else
    state.host->verdict = fits ? FITS : OVERFULL;
}

template <int kThreads, int kItems, int kBinBits, int kFew, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sort_runs(Pairs out, RunState state, KeyRange range) {
  typedef PairBlockShared<kThreads, kItems, kBinBits, PARTLY_BY_BIN> Shared;
  typedef RunIndex<kThreads, Shared::kCapacity> Index;
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ BucketPlace kept;
  __shared__ bool in_vain;
  Shared &shared = *(Shared *)shared_memory;
  static_assert(sizeof(Index) <= sizeof shared.element, "the index lies where elements will be");
  Index &index = *(Index *)shared.element;
  prepare_block(shared);
  index.clear();
  wait_for_previous_kernel();
  RunsOfThread<kThreads> mine;
  if (is_useless(state)) return;
  if (threadIdx.x == 0) in_vain = is_in_vain(state);
  const BucketPlace place = find_runs(state, blockIdx.x, mine, index.sums);
  const bool useless = in_vain;
  if (threadIdx.x == 0) {
    tell_of_bucket(state, place, place.count > Shared::kCapacity - MOST_LEAD, range);
    kept = place;
  }
  if (useless) return;
  sort_pairs_of_bucket<kFew>(shared, BucketOfBlock(),
                             RunPlace<kThreads, Index>{state, index, mine, place, kept}, out,
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
