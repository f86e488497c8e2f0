// Crowded bins of bare keys: a warp counts a bin's keys by their last bits, and writes as many of
// each as it has counted. No key has to move.
//
//   bin      5.3 5.1 5.3 5.3       bin number, and last bits
//   counts   1: 1, 3: 3
//   written  5.1 5.3 5.3 5.3
#ifndef RADIX_V7_CROWDED_BINS_CUH
#define RADIX_V7_CROWDED_BINS_CUH

#include <cuda_runtime.h>

#include "common/block_scan.cuh"

enum {
  LAST_BITS = 7,                      // most bits of a key that its bin leaves open
  LAST_WORDS = (1 << LAST_BITS) / 2,  // counters of 16 bits, two in a word
  LAST_EACH = (1 << LAST_BITS) / 32,  // counters of a lane
};

// Sorts keys[0..count), which agree in all but their last `bits` bits. One warp; `counters` are
// LAST_WORDS of shared memory, and count is below 2^16.
static __device__ __forceinline__ void count_last_bits(unsigned int *keys, unsigned int count,
                                                       int bits, unsigned int *counters) {
  const unsigned int lane = threadIdx.x % WARP_SIZE, mask = (1u << bits) - 1;
  const unsigned int any = keys[0], upper = any & ~mask;
  // Lanes with equal keys would queue for a counter.
  bool equal = true;
  for (unsigned int i = lane; i < count; i += WARP_SIZE) equal &= keys[i] == any;
  if (__all_sync(0xffffffffu, equal)) return;
  for (unsigned int i = lane; i < LAST_WORDS; i += WARP_SIZE) counters[i] = 0;
  __syncwarp();
  for (unsigned int first = 0; first < count; first += WARP_SIZE) {
    const bool valid = first + lane < count;
    const unsigned int last = valid ? keys[first + lane] & mask : ~0u;
    const unsigned int lanes = __match_any_sync(0xffffffffu, last);
    const unsigned int alike = (unsigned int)__popc((int)lanes);
    if (valid && lane == (unsigned int)__ffs((int)lanes) - 1)
      atomicAdd(&counters[last / 2], last % 2 == 0 ? alike : alike << 16);
  }
  __syncwarp();
  // Lane l has counters LAST_EACH * l and those behind it.
  unsigned int each[LAST_EACH], sum = 0;
#pragma unroll
  for (int k = 0; k < LAST_EACH; k++) {
    each[k] = counters[lane * (LAST_EACH / 2) + k / 2] >> (k % 2 * 16) & 0xffffu;
    sum += each[k];
  }
  unsigned int first = warp_inclusive_scan(sum) - sum;
#pragma unroll
  for (int k = 0; k < LAST_EACH; k++) {
    // Values that occur, one after the other; all lanes write.
    for (unsigned int lanes = __ballot_sync(0xffffffffu, each[k] > 0); lanes != 0;
         lanes &= lanes - 1) {
      const int source = __ffs((int)lanes) - 1;
      const unsigned int begin = __shfl_sync(0xffffffffu, first, source);
      const unsigned int copies = __shfl_sync(0xffffffffu, each[k], source);
      const unsigned int key = upper | ((unsigned int)source * LAST_EACH + k);
      for (unsigned int i = lane; i < copies; i += WARP_SIZE) keys[begin + i] = key;
    }
    first += each[k];
  }
  __syncwarp();
}

// Sorts the keys of each bin with more than `few` keys; bin[b] is where those of bin b end.
// counters: LAST_WORDS of shared memory for each warp.
template <int kThreads, int kBins>
static __device__ __forceinline__ void sort_crowded_bins(const unsigned int *bin,
                                                         unsigned int *tile, unsigned int few,
                                                         int bits, unsigned int *counters) {
  static_assert(kBins % kThreads == 0, "all lanes take part");
  unsigned int *const mine = counters + threadIdx.x / WARP_SIZE * LAST_WORDS;
  for (unsigned int b = threadIdx.x; b < kBins; b += kThreads) {
    const unsigned int begin = b == 0 ? 0 : bin[b - 1], count = bin[b] - begin;
    for (unsigned int lanes = __ballot_sync(0xffffffffu, count > few); lanes != 0;
         lanes &= lanes - 1) {
      const int source = __ffs((int)lanes) - 1;
      count_last_bits(&tile[__shfl_sync(0xffffffffu, begin, source)],
                      __shfl_sync(0xffffffffu, count, source), bits, mine);
    }
  }
}

#endif
