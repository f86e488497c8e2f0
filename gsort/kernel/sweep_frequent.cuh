// The sweeps over pairs of which frequent values leave (block/frequent_values.cuh): the first one
// puts these to their places in the output, the others sort the rest between them. Moves 16 bytes a
// pair, and 48 a pair of the rest.
#ifndef GSORT_KERNEL_SWEEP_FREQUENT_CUH
#define GSORT_KERNEL_SWEEP_FREQUENT_CUH

#include "gsort/block/frequent_values.cuh"

template <int kThreads, int kItems>
static __global__ void __launch_bounds__(kThreads, 1)
    sweep_digits_and_values(PairBuffers buffers, PairSweep sweep, const FrequentValues *frequent) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int slot[SLOTS], rest_in_tile;
  auto &shared = *(PairSweepShared<kThreads, kItems, DIGIT_OR_VALUE_BITS> *)shared_memory;
  PairItems<kItems> item;
  const bool early = begin_sweep(shared, buffers, sweep, item,
                                 [&] { find_places(sweep.route, &shared.from, &shared.to); });
  for (unsigned int i = threadIdx.x; i < SLOTS; i += kThreads) slot[i] = frequent->slot[i];
  __syncthreads();
  const DigitsAndValues<kThreads *kItems> bins = {
      {buffers, sweep}, frequent, slot, &rest_in_tile, 0};
  sweep_tiles<true>(shared, buffers, sweep, early, item, bins);
}

template <int kThreads, int kItems>
static __global__ void __launch_bounds__(kThreads, 1)
    sweep_rest(PairBuffers buffers, PairSweep sweep, const FrequentValues *frequent) {
  extern __shared__ __align__(16) unsigned int shared_memory[];
  __shared__ unsigned int table[FrequentBefore::kWords];
  auto &shared = *(PairSweepShared<kThreads, kItems, DIGIT_BITS> *)shared_memory;
  PairItems<kItems> item;
  wait_for_previous_kernel();
  if (threadIdx.x == 0) {
    take_first_tile(shared, sweep);
    find_places(sweep.route, &shared.from, &shared.to);
  }
  FrequentBefore::load(frequent, table);
  sweep.n = frequent->rest;
  __syncthreads();
  const DigitOfRest<kThreads * kItems, DIGIT_BITS> bins = {{buffers, sweep}, {table}};
  sweep_tiles<true>(shared, buffers, sweep, false, item, bins);
}

#endif
