// All sweeps in one launch, behind a way that the host does not wait for: returns at once if that
// has sorted the elements, else counts the digits, if the way has not, and sweeps over each
// (block/passes_in_one.cuh, kernel/sweep.cuh).
#ifndef GSORT_KERNEL_SWEEP_IF_UNSORTED_CUH
#define GSORT_KERNEL_SWEEP_IF_UNSORTED_CUH

#include "gsort/kernel/count_digits.cuh"
#include "gsort/kernel/sweep.cuh"

// The sweeps of one sort. The first one reads the input, the last one writes to the output, and
// others write there and to spare memory in turns.
typedef struct SweepPlan {
  Elements in, spare, out;
  unsigned int n, passes;
  BitsThatCount number_of;
  SweepState state;
  size_t look_back_words;  // of a pass
  bool unordered;          // in the first pass: SweepPass.unordered
  unsigned int ahead;      // SweepPass.ahead
} SweepPlan;

template <int kItems, ValueKind kValues, int kBlocksPerSm, class DigitOf = ByteOfKey,
          class Word = unsigned int>
static __global__ void __launch_bounds__(SWEEP_THREADS, kBlocksPerSm)
    sweep_if_unsorted(SweepPlan plan, BehindWay way) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  SweepShared<kItems> &shared = *(SweepShared<kItems> *)shared_memory;
  wait_for_previous_kernel();
  if (way.findings->verdict.finding == SORTED) return;
  constexpr unsigned int kCopies = copies_in(sizeof shared, PASSES * BINS * sizeof(unsigned int));
  PassesDone *const done = &way.findings->done;
  const SweepState &state = plan.state;
  constexpr unsigned int kTile = SWEEP_THREADS * kItems;
  const unsigned int n = elements_of(way, plan.n), tiles = n / kTile + (n % kTile > 0);
  if (!has_counted(way))
    count_in_parts(done, gridDim.x, [&](unsigned int part) {
      count_digits_by_grid(shared_memory, kCopies, plan.in.keys, n, gridDim.x, plan.number_of,
                           state, part, done);
    });
  Elements from = plan.in;
  for (unsigned int pass = 0; pass < plan.passes; pass++) {
    if (pass > 0) wait_until(&done->tiles[pass - 1], tiles);
    const Elements to = (plan.passes - pass) % 2 == 1 ? plan.out : plan.spare;
    unsigned int *const look_back = state.look_back + pass % 2 * plan.look_back_words,
                        *const other = state.look_back + (pass + 1) % 2 * plan.look_back_words;
    const SweepPass one = {pass,
                           plan.unordered && pass == 0,
                           NULL,
                           state.start + pass * BINS,
                           NULL,
                           look_back,
                           pass < plan.passes - 1 ? other : NULL,
                           plan.ahead};
    const unsigned int spread = state.spread[pass];
    unsigned int swept = 0;
    for (;; swept++) {
      if (threadIdx.x == 0) shared.tile_number = atomicAdd(&state.tile_counter[pass], 1u);
      clear_bins(shared.warp_bin);
      __syncthreads();
      const unsigned int tile = shared.tile_number;
      if (tile >= tiles) break;
      if (kValues == MADE && pass > 0)
        sweep_tile<kItems, LOADED, DigitOf, Word>(shared, from, to, n, one, plan.number_of, tile,
                                                  spread);
      else
        sweep_tile<kItems, kValues, DigitOf, Word>(shared, from, to, n, one, plan.number_of, tile,
                                                   spread);
      __syncthreads();
    }
    add_done(&done->tiles[pass], swept);
    from = to;
  }
}

#endif
