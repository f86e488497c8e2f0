// Stable passes inside a block: sorts whatever is in its shared memory, however its keys are
// spread, one digit of 8 bits after the other. For what bins and networks are slow at: bins with
// many elements. Digits that do not vary are skipped.
#ifndef GSORT_BLOCK_PASSES_CUH
#define GSORT_BLOCK_PASSES_CUH

#include "gsort/block/rank.cuh"
#include "gsort/block/scan.cuh"

// Bins of a warp, and one unused bin as padding: equal bins of different warps then lie in
// different banks of shared memory.
enum { PASS_BINS = BINS + 1 };

// Which bits are set in some of the block's keys, and clear in some? Bits that are both vary.
typedef struct SeenBits {
  unsigned int set, clear;
} SeenBits;

// For all threads: adds what the calling thread's keys of indices lead <= p < behind have
// to `seen`, which is in shared memory and all 0 before.
template <int kThreads, int kItems>
static __device__ __forceinline__ void see_bits(const unsigned int (&key)[kItems],
                                                unsigned int lead, unsigned int behind,
                                                SeenBits *seen) {
  SeenBits mine = {0, 0};
#pragma unroll
  for (int u = 0; u < kItems; u++) {
    const unsigned int p = threadIdx.x + u * kThreads;
    if (p >= behind || p < lead) continue;
    mine.set |= key[u];
    mine.clear |= ~key[u];
  }
  atomicOr(&seen->set, mine.set);
  atomicOr(&seen->clear, mine.clear);
}

// The key of an element, for sort_by_passes: the element itself from bit `shift` on.
struct KeyInElement {
  int shift;
  __device__ __forceinline__ unsigned int operator()(unsigned int element) const {
    return element >> shift;
  }
};

// For elements that are indices of keys.
struct KeyAtIndex {
  const unsigned int *key;
  __device__ __forceinline__ unsigned int operator()(unsigned int element) const {
    return key[element];
  }
};

// Sorts element[0..count) by the bits `varying` of their keys; equal keys keep their order.
// warp_bin: [kThreads / WARP_SIZE][PASS_BINS] of shared memory. All threads call it after a
// barrier, and there is one at its end.
template <int kThreads, int kItems, class KeyOf>
static __device__ void sort_by_passes(unsigned int *element, unsigned int count, KeyOf key_of,
                                      unsigned int varying, unsigned int *warp_bin,
                                      unsigned int *warp_sums) {
  constexpr unsigned int kWarps = kThreads / WARP_SIZE;
  static_assert(kThreads % BINS == 0, "a thread per bin, or some");
  const unsigned int warp = threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;
  const unsigned int first = first_item<kItems>();
  unsigned int *const bins = warp_bin + warp * PASS_BINS;
  // A thread adds up some warps' counts of a bin: bins first, then warps, is the order of indices.
  constexpr unsigned int kThreadsPerBin = kThreads / BINS, kEach = kWarps / kThreadsPerBin;
  unsigned int *const bin_of_mine =
      warp_bin + threadIdx.x % kThreadsPerBin * kEach * PASS_BINS + threadIdx.x / kThreadsPerBin;
  for (int bit = 0; bit < 32; bit += DIGIT_BITS) {
    if ((varying >> bit & (BINS - 1)) == 0) continue;
    for (unsigned int i = lane; i < BINS; i += WARP_SIZE) bins[i] = 0;
    __syncwarp();
    // Few rows keep their digits; for many there are no registers.
    constexpr bool kKeep = kItems <= 8;
    unsigned int mine[kItems] = {}, kept[kKeep ? kItems : 1] = {};
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      if (first + u * WARP_SIZE >= count) continue;
      mine[u] = element[first + u * WARP_SIZE];
      const unsigned int digit = key_of(mine[u]) >> bit & (BINS - 1);
      if constexpr (kKeep) kept[u] = digit;
      atomicAdd(&bins[digit], 1u);
    }
    __syncthreads();
    unsigned int in_warp[kEach], sum = 0;
#pragma unroll
    for (unsigned int w = 0; w < kEach; w++) sum += in_warp[w] = bin_of_mine[w * PASS_BINS];
    unsigned int place = scan_threads<kThreads>(sum, warp_sums) - sum;
#pragma unroll
    for (unsigned int w = 0; w < kEach; w++) {
      bin_of_mine[w * PASS_BINS] = place;
      place += in_warp[w];
    }
    __syncthreads();
#pragma unroll
    for (int u = 0; u < kItems; u++) {
      const bool valid = first + u * WARP_SIZE < count;
      unsigned int digit = 0;
      if constexpr (kKeep) digit = kept[u];
      if (!kKeep && valid) digit = key_of(mine[u]) >> bit & (BINS - 1);
      const unsigned int lanes = match_digit<DIGIT_BITS>(digit) & __ballot_sync(0xffffffffu, valid);
      const unsigned int before = (unsigned int)__popc((int)(lanes & ((1u << lane) - 1)));
      const unsigned int to = bins[digit] + before;
      __syncwarp();
      if (valid && before == 0) bins[digit] = to + (unsigned int)__popc((int)lanes);
      __syncwarp();
      if (valid) element[to] = mine[u];
    }
    __syncthreads();
  }
}

#endif
