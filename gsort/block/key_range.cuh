// The part of all 32-bit numbers that the keys are from. Buckets by the first bits are of no use
// for keys below 2^20, say. The first bits that all keys of a sample share are skipped instead:
//
//   key                     0000 0000 0000 1011 0010 1110 0101 1101     skip = 12, common = 0
//   as blocks see it        1011 0010 1110 0101 1101 0000 0000 0000     key << skip
//
// Keys may be uneven within their range: `density` says by how much, and more buckets make up for
// it.
#ifndef GSORT_BLOCK_KEY_RANGE_CUH
#define GSORT_BLOCK_KEY_RANGE_CUH

#include "gsort/block/findings.cuh"
#include "gsort/block/scan.cuh"

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

enum {
  STOP = 1,  // Findings.stop, for any reason
};
// With more equal keys than that on average, sweeps are faster than larger blocks.
static constexpr float MOST_EQUALS_PAIRS = 5;
static __host__ __device__ __forceinline__ bool is_whole(KeyRange range) {
  return range.skip == 0 && range.density == 1 && range.equals == 1;
}

// Shifts the first bits that vary to the front.
template <int kItems>
static __device__ __forceinline__ void skip_bits(unsigned int (&key)[kItems], KeyRange range) {
  if (range.skip == 0) return;
#pragma unroll
  for (int u = 0; u < kItems; u++) key[u] <<= range.skip;
}

// Looks at the block's samples, kEach of a thread: true, with *range for thread 0, if they spread
// over their range so that buckets by its first bits may fit. Not if some value has many keys. All
// threads of a block of 2^k call it.
// count: shared memory, a word for each thread. of_first_bits: how many samples have the thread's
// number as their first k bits.
template <int kEach>
static __device__ bool find_range(const unsigned int (&key)[kEach], unsigned int *count,
                                  unsigned int of_first_bits, KeyRange *range) {
  __shared__ unsigned int ends[2][MAX_WARPS], fullest, largest;
  const unsigned int bits = 31u - (unsigned int)__clz((int)blockDim.x);
  if (threadIdx.x == 0) fullest = largest = 0;
  count[threadIdx.x] = 0;
  unsigned int least, greatest;
  find_ends(key, &least, &greatest, ends);
  const int skip = __clz((int)(least ^ greatest));
  // With few bits left there are few values, at most as many as threads.
  if (32 - skip <= (int)bits) return false;
  const bool counts_again = skip > 0;
  if (counts_again) {
#pragma unroll
    for (int u = 0; u < kEach; u++) atomicAdd(&count[key[u] << skip >> (32 - bits)], 1u);
    __syncthreads();
  }
  // A warp has the counts of neighbouring parts of the range: a group.
  const unsigned int mine = counts_again ? count[threadIdx.x] : of_first_bits,
                     of_group = warp_inclusive_scan(mine);
  if (threadIdx.x % WARP_SIZE == WARP_SIZE - 1) atomicMax(&fullest, of_group);
  if (mine > 2 * kEach) atomicMax(&largest, mine);
  __syncthreads();
  // If keys are even from the least to the greatest, a group has this many, and the fullest not
  // more than four standard deviations above.
  const float share = (float)(kEach * WARP_SIZE),
              density_if_even = exp2f((float)(32 - skip)) / (float)(greatest - least),
              in_even = share * density_if_even;
  const bool even = (float)fullest <= in_even + 4 * sqrtf(in_even);
  // By chance, and within a group, a bucket may have more.
  const float density =
      even ? density_if_even : ((float)fullest + 2 * sqrtf((float)fullest)) / share;
  const float in_part = density * kEach;
  const bool value_has_many = (float)largest > in_part + 6 * sqrtf(in_part);
  if (density > MOST_DENSITY || value_has_many) return false;
  if (threadIdx.x == 0) *range = {skip, least & ~(~0u >> skip), density, even, 1};
  return true;
}

static __device__ __forceinline__ void tell_host_range(KeyRange range, volatile HostVerdict *host) {
  volatile KeyRange *const to = &host->range;
  to->skip = range.skip;
  to->common = range.common;
  to->density = range.density;
  to->even = range.even;
  to->equals = range.equals;
  __threadfence_system();
}

// find_range() for the host; true: it may be told IN_RANGE. Not if too many keys are equal.
template <int kEach>
static __device__ bool tell_range(const unsigned int (&key)[kEach], size_t n, unsigned int *count,
                                  unsigned int of_first_bits, volatile HostVerdict *host) {
  KeyRange range = {};
  if (!find_range(key, count, of_first_bits, &range)) return false;
  range.equals = estimate_equals(key, n, count);
  if (range.equals > MOST_EQUALS_PAIRS) return false;
  if (threadIdx.x == 0) tell_host_range(range, host);
  return true;
}

// One thread, after the keys of `range` turned out not to fit; stop: Findings.stop. Buckets may
// fit by a wider range if some keys were not in this one. Tells the host which, and that verdict.
[[maybe_unused]] static __device__ void tell_if_wider(KeyRange range, unsigned int stop,
                                                      volatile HostVerdict *host) {
  const bool beyond = stop != 0 && stop % 2 == 0;
  if (beyond) {
    range.density *= exp2f((float)(range.skip - __clz((int)stop)));
    range.skip = __clz((int)stop);
    range.common &= ~(~0u >> range.skip);
    range.even = false;
    tell_host_range(range, host);
  }
  host->finding = beyond && range.density <= MOST_DENSITY ? IN_RANGE : UNEVEN;
}

#endif
