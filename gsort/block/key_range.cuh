// How keys fill their range: how many are equal, and how dense they are where they are densest.
// More or larger buckets make up for that.
#ifndef GSORT_BLOCK_KEY_RANGE_CUH
#define GSORT_BLOCK_KEY_RANGE_CUH

#include "gsort/block/findings.cuh"
#include "gsort/warp/scan.cuh"

enum {
  FEW_MATCHES = 3,  // up to that, a sample shows nothing; one of different keys in 10^5 has more
};

// How many keys equal a key, on average? If each key occurs m times, the sizes of buckets vary
// sqrt(m) times as much as with distinct keys. A sample shows that, if about one in a thousand of
// its values occurs twice.
//
//   table, of 4 slots    . 8 5 .          the last key of each hash: the winners
//   samples  5 8 5 2     5, 8 and 5 match, 2 has been overwritten: one match more than winners
//
// A winner matches each other sample with a chance of 1 in the number of values. If nearly all keys
// are different, each match counts once for two samples: of 3 equal keys the result is 2.
//
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

// Times their share, in the fullest part of the range: at most.
static constexpr float MOST_DENSITY = 6;

// With more equal keys than that on average, sweeps are faster than larger blocks.
static constexpr float MOST_EQUALS_PAIRS = 5;

static inline bool is_whole(KeyRange range) { return range.density == 1 && range.equals == 1; }

// Looks at the block's samples, kEach of a thread: true if they may fill buckets of some density,
// and tells the host which. Not if some value has many keys, or too many keys are equal. All
// threads of a block of WARP_SIZE warps call it. count: shared memory, a word for each thread;
// mine: how many samples are in the thread's part of all numbers.
template <int kEach>
static __device__ bool tell_range(const unsigned int (&key)[kEach], size_t n, unsigned int *count,
                                  unsigned int mine, volatile HostVerdict *host) {
  __shared__ unsigned int fullest, largest;
  if (threadIdx.x == 0) fullest = largest = 0;
  __syncthreads();
  // A warp has the counts of neighbouring parts: a group.
  const unsigned int of_group = warp_sum(mine);
  if (threadIdx.x % WARP_SIZE == 0) atomicMax(&fullest, of_group);
  if (mine > 2 * kEach) atomicMax(&largest, mine);
  __syncthreads();
  // By chance, and within a group, a bucket may have more.
  const float most = (float)fullest, density = (most + 2 * sqrtf(most)) / (kEach * WARP_SIZE);
  const float in_part = density * kEach;
  if (density > MOST_DENSITY || (float)largest > in_part + 6 * sqrtf(in_part)) return false;
  const float equals = estimate_equals(key, n, count);
  if (equals > MOST_EQUALS_PAIRS) return false;
  if (threadIdx.x > 0) return true;
  host->range.density = density;
  host->range.equals = equals;
  __threadfence_system();
  return true;
}

#endif
