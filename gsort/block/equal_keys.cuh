// How many keys equal a key, on average? If each key occurs m times, the sizes of buckets vary
// sqrt(m) times as much as with distinct keys. A sample shows that, if about one in a thousand of
// its values occurs twice.
//
//   table, of 4 slots    . 8 5 .          the last key of each hash: the winners
//   samples  5 8 5 2     5, 8 and 5 match, 2 has been overwritten: one match more than winners
//
// A winner matches each other sample with a chance of 1 in the number of values.
#ifndef GSORT_BLOCK_EQUAL_KEYS_CUH
#define GSORT_BLOCK_EQUAL_KEYS_CUH

#include "gsort/warp/scan.cuh"

enum {
  FEW_MATCHES = 3,  // up to that, a sample shows nothing; one of different keys in 10^5 has more
};

// The table of a block, in shared memory. All threads call its functions, in this order, with a
// barrier behind each.
struct EqualKeys {
  unsigned int *slot;  // [1 << bits]
  int bits;
  unsigned int *matches, *winners;  // [1] each

  __device__ __forceinline__ void clear(void) const {
    for (unsigned int i = threadIdx.x; i < 1u << bits; i += blockDim.x) slot[i] = 0;
    if (threadIdx.x == 0) *matches = *winners = 0;
  }
  // The word is not 0, which means an empty slot. An atomic, as threads meet.
  template <int kEach>
  __device__ __forceinline__ void add(const unsigned int (&key)[kEach]) const {
#pragma unroll
    for (int u = 0; u < kEach; u++)
      if (key[u] != 0) atomicExch(slot_of(key[u]), key[u]);
  }
  template <int kEach>
  __device__ __forceinline__ void match(const unsigned int (&key)[kEach]) const {
    unsigned int mine = 0;  // matches in the lower half, winners in the upper one
#pragma unroll
    for (int u = 0; u < kEach; u++) mine += key[u] != 0 && *slot_of(key[u]) == key[u];
    for (unsigned int i = threadIdx.x; i < 1u << bits; i += blockDim.x)
      if (slot[i] != 0) mine += 1u << 16;
    mine = warp_inclusive_scan(mine);
    if (threadIdx.x % WARP_SIZE < WARP_SIZE - 1) return;
    atomicAdd(matches, mine & 0xffffu);
    atomicAdd(winners, mine >> 16);
  }

 private:
  __device__ __forceinline__ unsigned int *slot_of(unsigned int key) const {
    return &slot[key * 0x9e3779b1u >> (32 - bits)];
  }
};

// The average number of keys that equal a key, itself among them, of n keys; samples: of each
// table, if there are several.
static __device__ __forceinline__ float equals_by_matches(size_t n, unsigned int samples,
                                                          unsigned int matches,
                                                          unsigned int winners) {
  const unsigned int twins = matches - winners;
  return twins <= FEW_MATCHES ? 1 : 1 + (float)n * (float)twins / ((float)winners * (float)samples);
}

// The same by the block's samples of n keys, kEach of a thread. slot: shared memory, a word for
// each of 2^k threads. All threads call it, and may use `slot` again after a barrier.
template <int kEach>
static __device__ float estimate_equals(const unsigned int (&key)[kEach], size_t n,
                                        unsigned int *slot) {
  __shared__ unsigned int matches, winners;
  const EqualKeys equal = {slot, 31 - __clz((int)blockDim.x), &matches, &winners};
  __syncthreads();
  equal.clear();
  __syncthreads();
  equal.add(key);
  __syncthreads();
  equal.match(key);
  __syncthreads();
  return equals_by_matches(n, blockDim.x * kEach, matches, winners);
}

#endif
