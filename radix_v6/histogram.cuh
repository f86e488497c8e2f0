// The launch before the passes: where each digit's run starts in the output, for all four passes,
// from one read of the keys. As in radix_v5, but the last block scans, so that a second launch is
// saved, and the blocks also clear what the passes need.
#ifndef RADIX_V6_HISTOGRAM_CUH
#define RADIX_V6_HISTOGRAM_CUH

#include "gsort/block/scan.cuh"
#include "common/launch.cuh"
#include "radix_v6/counting.cuh"

// Sum of all blocks' counts, and number of blocks that have added theirs. Zero between sorts: the
// last block clears them. (Sorts are issued to one stream, so they do not overlap.)
static __device__ unsigned int digit_counts[PASSES * BINS];
static __device__ unsigned int blocks_arrived;

// Before a count, by all threads of the grid; a barrier has to follow. Clears the look-back, the
// tile counters, and the block's counters: PASSES * BINS * copies words of shared memory.
static __device__ __forceinline__ void prepare_count(unsigned int *counters, unsigned int copies,
                                                     const SweepState &state) {
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  for (unsigned int i = threadIdx.x; i < PASSES * BINS * copies; i += blockDim.x) counters[i] = 0;
  for (size_t i = thread; i < state.look_back_words / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < PASSES) {
    state.tile_counter[thread] = 0;
    state.spread[thread] = DIGIT_EVEN;
  }
}

// After it and a barrier: adds the block's counters to the sum of all blocks.
static __device__ __forceinline__ void add_digit_counts(const unsigned int *counters,
                                                        unsigned int copies) {
  for (unsigned int bin = threadIdx.x; bin < PASSES * BINS; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int c = 0; c < copies; c++)  // each lane starts at a different bank
      sum += counters[bin * copies + (c + threadIdx.x) % copies];
    if (sum > 0) atomicAdd(&digit_counts[bin], sum);
  }
}

// The last block: replaces the counts of n keys by their exclusive scan, pass by pass. blockDim.x
// is a multiple of BINS.
static __device__ __forceinline__ void place_digits(const SweepState &state, unsigned int n,
                                                    unsigned int *warp_sums) {
  for (unsigned int bin = threadIdx.x; bin < PASSES * BINS; bin += blockDim.x) {
    const unsigned int count = *(volatile unsigned int *)&digit_counts[bin];
    const unsigned int scanned = block_inclusive_scan(count, warp_sums);
    // Threads of several passes scan together; each pass contributes n to those behind it.
    state.start[bin] = scanned - count - threadIdx.x / BINS * n;
    if (count > n / SKEW_LIMIT)
      state.spread[bin / BINS] = count == n ? DIGIT_CONSTANT : DIGIT_SKEWED;
    digit_counts[bin] = 0;  // for the next sort
    __syncthreads();
  }
}

// All threads of the grid: counts all digits of keys[0..n), in the block's counters first.
static __device__ __forceinline__ void count_digits_by_grid(unsigned int *counters,
                                                            unsigned int copies,
                                                            const unsigned int *keys, size_t n,
                                                            const SweepState &state) {
  __shared__ unsigned int warp_sums[MAX_WARPS];
  prepare_count(counters, copies, state);
  __syncthreads();
  count_all<PASSES>(counters, copies, keys, n, 0, DIGIT_BITS);
  __syncthreads();
  add_digit_counts(counters, copies);
  if (is_last_block(&blocks_arrived)) place_digits(state, (unsigned int)n, warp_sums);
}

[[maybe_unused]] static __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    count_digits(const unsigned int *keys, size_t n, SweepState state, unsigned int copies) {
  extern __shared__ unsigned int counters[];
  wait_for_previous_kernel();
  count_digits_by_grid(counters, copies, keys, n, state);
}

#endif
