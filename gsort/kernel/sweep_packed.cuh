// A sweep over a counted digit of pairs, which are packed between sweeps (block/pair_sweep.cuh).
//
//   pairs  (3 a) (1 b) (2 c) (1 d)   digit of 2 bits, counted: starts [0 0 2 3]
//   tile 0  (3 a) (1 b)              bins' pairs before it: none         places 3 0
//   tile 1  (2 c) (1 d)              one of digit 1, one of digit 3      places 2 1
//
// Moves 16 bytes a pair.
#ifndef GSORT_KERNEL_SWEEP_PACKED_CUH
#define GSORT_KERNEL_SWEEP_PACKED_CUH

#include "gsort/block/index.cuh"
#include "gsort/block/pair_sweep.cuh"
#include "gsort/kernel/count_digits.cuh"

// Two look-backs, side by side, serve four sweeps in turns: each but the last clears the next
// one's. All threads of the grid call it at the end of a sweep. words: of one.
static __device__ __forceinline__ void clear_next_look_back(const PairSweep &sweep, size_t words) {
  const int pass = sweep.route.pass;
  if (sweep.route.blocks_follow || pass == sweep.route.passes - 1) return;
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  unsigned int *const next = pass % 2 == 0 ? sweep.look_back + words : sweep.look_back - words;
  for (size_t i = global_index(); i < words; i += threads) next[i] = 0;
}

// host: NULL, or is told SORTED if the count has not ended the sort.
template <int kThreads, int kItems, int kBits, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_packed(PairBuffers buffers, PairSweep sweep, volatile HostVerdict *host) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PairSweepShared<kThreads, kItems, kBits> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item, [&] {
    find_places(sweep.route, &shared.from, &shared.to);
    if (host != NULL && blockIdx.x == 0 && shared.to != NOWHERE) host->finding = SORTED;
  });
  __syncthreads();
  const CountedBins<kThreads * kItems, kBits> bins = {buffers, sweep};
  sweep_tiles<kBlocksPerSm == 1>(shared, buffers, sweep, early, item, bins);
  if (kBits == DIGIT_BITS) clear_next_look_back(sweep, (size_t)bins.tiles() << kBits);
}

// Of several sweeps in one launch: each tile clears its words of the next look-back.
template <unsigned int kTile>
struct BinsOfPass : CountedBins<kTile, DIGIT_BITS> {
  unsigned int *next_look_back;
  unsigned int &swept;  // tiles

  template <int kItems>
  __device__ __forceinline__ void see(unsigned int (&)[kItems], unsigned int, bool) {
    swept++;
  }
  __device__ __forceinline__ bool note_run(unsigned int tile, unsigned int, unsigned int,
                                           unsigned int) const {
    next_look_back[(size_t)tile * BINS + threadIdx.x] = 0;
    return true;
  }
};

// All sweeps in one launch, as kernel/sweep.cuh. `first` is the first of them; words:
// of a look-back, of which there are two.
template <int kThreads, int kItems, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_packed_if_unsorted(PairBuffers buffers, PairSweep first, BitsThatCount number_of,
                             SweepState state, size_t words, BehindWay way) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  auto &shared = *(PairSweepShared<kThreads, kItems, DIGIT_BITS> *)shared_memory;
  wait_for_previous_kernel();
  if (is_sorted_already(way)) return;
  constexpr unsigned int kCopies = copies_in(sizeof shared, PASSES * BINS * sizeof(unsigned int));
  PassesDone *const done = &way.findings->done;
  if (!has_counted(way))
    count_in_parts(&done->count, gridDim.x, [&](unsigned int part) {
      count_digits_by_grid(shared_memory, kCopies, buffers.input.keys, first.n, gridDim.x,
                           number_of, state, part, done);
    });
  unsigned int before = 0, last = 0;  // passes that move the pairs; the last one of these
  for (int pass = 0; pass < first.route.passes; pass++) {
    PairSweep sweep = first;
    sweep.shift = number_of.shift_of(pass);
    sweep.start = state.start + pass * BINS;
    sweep.tile_counter = state.tile_counter + pass;
    sweep.look_back = state.look_back + before % 2 * words;
    sweep.route.pass = pass;
    int from, to;
    find_places(sweep.route, &from, &to);
    if (to == NOWHERE) continue;
    unsigned int swept = 0;
    const BinsOfPass<kThreads *kItems> bins = {
        {buffers, sweep}, state.look_back + (before + 1) % 2 * words, swept};
    if (before > 0) wait_until(&done->tiles[last], bins.tiles());
    if (threadIdx.x == 0) {
      take_first_tile(shared, sweep);
      shared.from = from;
      shared.to = to;
    }
    __syncthreads();
    PairItems<kItems> item;
    sweep_tiles<kBlocksPerSm == 1>(shared, buffers, sweep, false, item, bins);
    add_done(&done->tiles[pass], swept);
    before++;
    last = (unsigned int)pass;
  }
}

#endif
