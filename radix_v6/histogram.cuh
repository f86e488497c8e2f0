// Counting: the one launch before the passes. Where does every run of every digit start, in all
// four passes?
//
// The digits of a key do not change from pass to pass, only the order of the keys does. So one read
// of the input counts all four digits; v1 to v4 read it once per pass for that.
#ifndef RADIX_V6_HISTOGRAM_CUH
#define RADIX_V6_HISTOGRAM_CUH

#include "common/block_scan.cuh"
#include "common/overlap.cuh"
#include "radix_v6/counting.cuh"

// Counts of all blocks, and how many blocks have added theirs. Zero between sorts: the last block
// clears them. (Sorts are issued to one stream, so no two of them overlap.)
static __device__ unsigned int digit_counts[PASSES * BINS];
static __device__ unsigned int blocks_arrived;

// Counts all keys; the block that finishes last turns each pass's counts into starts. Blocks also
// clear the look-back words and the tile counters for the passes.
static __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    count_digits(const unsigned int *keys, size_t n, SweepState state, size_t look_back_words,
                 unsigned int copies) {
  extern __shared__ unsigned int counters[];  // PASSES * BINS * copies
  __shared__ unsigned int warp_sums[MAX_WARPS];
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  wait_for_previous_kernel();
  for (unsigned int i = threadIdx.x; i < PASSES * BINS * copies; i += blockDim.x) counters[i] = 0;
  for (size_t i = thread; i < look_back_words / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < PASSES) {
    state.tile_counter[thread] = 0;
    state.spread[thread] = DIGIT_EVEN;
  }
  __syncthreads();
  count_all<PASSES>(counters, copies, keys, n, 0, DIGIT_BITS);
  __syncthreads();
  for (unsigned int bin = threadIdx.x; bin < PASSES * BINS; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int c = 0; c < copies; c++)  // each lane begins at another bank
      sum += counters[bin * copies + (c + threadIdx.x) % copies];
    if (sum > 0) atomicAdd(&digit_counts[bin], sum);
  }

  if (!is_last_block(&blocks_arrived)) return;
  for (unsigned int bin = threadIdx.x; bin < PASSES * BINS; bin += blockDim.x) {
    const unsigned int count = *(volatile unsigned int *)&digit_counts[bin];
    const unsigned int scanned = block_inclusive_scan(count, warp_sums);
    // The scan runs on from pass to pass; each pass has n keys, so what it carries over is known.
    state.start[bin] = scanned - count - threadIdx.x / BINS * (unsigned int)n;
    if (count > n / SKEW_LIMIT)
      state.spread[bin / BINS] = count == n ? DIGIT_CONSTANT : DIGIT_SKEWED;
    digit_counts[bin] = 0;  // for the next sort
    __syncthreads();
  }
}

#endif
