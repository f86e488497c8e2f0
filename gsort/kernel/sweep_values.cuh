// Pairs with few distinct values, once these are counted (kernel/values.cuh): a sweep into the bins
// of block/few_values.cuh, then a block for each bin of strays. Moves 16 bytes a pair.
#ifndef GSORT_KERNEL_SWEEP_VALUES_CUH
#define GSORT_KERNEL_SWEEP_VALUES_CUH

#include "gsort/block/pair_sweep.cuh"
#include "gsort/kernel/values.cuh"

// For sweep_tiles().
template <unsigned int kTileSize>
struct BinsOfValues : CountedBins<kTileSize, VALUE_BITS> {
  const unsigned int *value;  // shared memory

  __device__ __forceinline__ ValueBin<> bins(void) const { return {value}; }
  template <class Shared>
  __device__ __forceinline__ void write(Shared &shared, int to, unsigned int valid,
                                        bool plain) const {
    write_pairs(this->buffers, to, shared, valid, plain, bins());
  }
};

template <int kThreads, int kItems, int kBlocksPerSm>
static __global__ void __launch_bounds__(kThreads, resident_blocks(kThreads, kBlocksPerSm))
    sweep_values(PairBuffers buffers, PairSweep sweep, const Findings *findings) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int value[MOST_VALUES + 1];
  auto &shared = *(PairSweepShared<kThreads, kItems, VALUE_BITS> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item,
                                 [&] { find_places(sweep.route, &shared.from, &shared.to); });
  load_value_table(findings, value);
  __syncthreads();
  const BinsOfValues<kThreads *kItems> bins = {{buffers, sweep}, value};
  sweep_tiles<kBlocksPerSm == 1>(shared, buffers, sweep, early, item, bins);
}

// One block for each bin of strays, which the sweep has left in `out`: puts them in stable order.
static __global__ void __launch_bounds__(VALUE_THREADS)
    sort_strays(Elements out, ValueState state) {
  __shared__ unsigned int key[MOST_STRAYS], value[MOST_STRAYS];
  wait_for_previous_kernel();
  if (*state.spread == DIGIT_UNUSED) return;
  const unsigned int begin = state.start[2 * blockIdx.x],
                     count = state.start[2 * blockIdx.x + 1] - begin;
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    key[i] = encode(state.code, out.keys[begin + i]);
    value[i] = out.values[begin + i];
  }
  __syncthreads();
  for (unsigned int i = threadIdx.x; i < count; i += VALUE_THREADS) {
    const unsigned int place = begin + rank_of(key, count, i);
    out.keys[place] = decode(state.code, key[i]);
    out.values[place] = value[i];
  }
}

#endif
