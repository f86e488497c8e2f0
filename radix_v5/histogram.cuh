// The one launch before the passes: where does every run of every digit start, in all four passes?
//
// The digits of a key do not change from pass to pass, only the order of the keys does. So one read
// of the input counts all four digits; v1 to v4 read it once per pass for that.
#ifndef RADIX_V5_HISTOGRAM_CUH
#define RADIX_V5_HISTOGRAM_CUH

#include <stdint.h>

#include "common/block_scan.cuh"
#include "common/overlap.cuh"
#include "radix_v5/layout.cuh"

// Counts of all blocks, and how many blocks have added theirs. Zero between sorts: the last block
// clears them. (Sorts are issued to one stream, so no two of them overlap.)
static __device__ unsigned int digit_counts[PASSES * BINS];
static __device__ unsigned int blocks_arrived;

// Shared histograms with `copies` counters per bin, lane l using copy l % copies: with 32 of them
// no two lanes of a warp meet in a bank, whatever the keys.
static __device__ __forceinline__ void count_key(unsigned int *counters, unsigned int copies,
                                                 unsigned int key) {
  const unsigned int copy = threadIdx.x % copies;
#pragma unroll
  for (int pass = 0; pass < PASSES; pass++)
    atomicAdd(&counters[(pass * BINS + digit_of(key, pass)) * copies + copy], 1u);
}

// Counts all keys; the block that finishes last turns each pass's counts into starts. Blocks also
// clear the look-back words and the tile counters for the passes.
static __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    count_digits(const unsigned int *keys, size_t n, SweepState state, size_t look_back_words,
                 unsigned int copies) {
  extern __shared__ unsigned int counters[];  // PASSES * BINS * copies
  __shared__ unsigned int warp_sums[MAX_WARPS], is_last;
  const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  const size_t threads = (size_t)gridDim.x * blockDim.x;
  wait_for_previous_kernel();
  for (unsigned int i = threadIdx.x; i < PASSES * BINS * copies; i += blockDim.x) counters[i] = 0;
  for (size_t i = thread; i < look_back_words / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < PASSES) {
    state.tile_counter[thread] = 0;
    state.spread[thread] = DIGIT_EVEN;
  }
  __syncthreads();

  // 16 bytes a thread and several loads in flight; what is left over goes one by one.
  const size_t quads = (uintptr_t)keys % 16 == 0 ? n / 4 : 0;
  for (size_t i = thread; i < quads; i += HISTOGRAM_UNROLL * threads) {
    uint4 quad[HISTOGRAM_UNROLL];
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++)
      if (i + u * threads < quads) quad[u] = ((const uint4 *)keys)[i + u * threads];
#pragma unroll
    for (int u = 0; u < HISTOGRAM_UNROLL; u++) {
      if (i + u * threads >= quads) break;
      count_key(counters, copies, quad[u].x);
      count_key(counters, copies, quad[u].y);
      count_key(counters, copies, quad[u].z);
      count_key(counters, copies, quad[u].w);
    }
  }
  for (size_t i = quads * 4 + thread; i < n; i += threads) count_key(counters, copies, keys[i]);
  __syncthreads();

  for (unsigned int bin = threadIdx.x; bin < PASSES * BINS; bin += blockDim.x) {
    unsigned int sum = 0;
    for (unsigned int c = 0; c < copies; c++)  // each lane begins at another bank
      sum += counters[bin * copies + (c + threadIdx.x) % copies];
    if (sum > 0) atomicAdd(&digit_counts[bin], sum);
  }

  // The last block to arrive sees all counts: each block's additions come before its arrival.
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(&blocks_arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
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
  if (threadIdx.x == 0) blocks_arrived = 0;
}

#endif
