// Sort of bare keys, most significant digit first: keys move to buckets small enough for a block to
// sort in shared memory. 20 bytes a key move, or 28 if there are two partition steps; four sweeps
// move 36.
//
//   count      the keys of each bucket, that is, of each value of the upper 10 to 16 bits
//   partition  moves the keys to their buckets, in two steps if there are more than 2^10
//              (partition.cuh)
//   sort       one block per bucket (bucket_sort.cuh)
//
// Equal bare keys are identical, so no step has to be stable: shared atomics give the indices
// inside a tile, global atomics those of the tile's runs. No ballots, no look-back.
//
// A bucket must fit into its block. The counting kernel finds out whether all do. Up to eight large
// ones are sorted as arrays of their own, by radix_v6's sweeps. If there are more, the kernels
// behind the count return at once, and sweeps sort all keys.
#ifndef RADIX_V7_BUCKETS_CUH
#define RADIX_V7_BUCKETS_CUH

#include "gsort/block/scan.cuh"
#include "common/launch.cuh"
#include "radix_v7/watched_count.cuh"

enum {
  MIN_BUCKET_BITS = 10,
  MAX_BUCKET_BITS = 16,
  PACKED_BUCKET_BITS = 16,  // from here on, two counters share 32 bits
  MAX_BUCKETS = 1 << MAX_BUCKET_BITS,
  MAX_PARTS = 1 << (MAX_BUCKET_BITS + 1) / 2,  // results of the first of two steps
};

// The upper bits of the keys that number the buckets.
typedef struct BucketBits {
  int first, second;  // bits of the two partition steps; second may be 0
} BucketBits;

// Device memory between the launches.
typedef struct BucketState {
  unsigned int *start;           // [buckets + 1] index where each bucket begins; the last is n
  unsigned int *next_in_part;    // [2^first] first step: index of the next key of each part
  unsigned int *next_in_bucket;  // [buckets] second step: index of the next key of each bucket
  unsigned int *first_tile;      // [2^first + 1] second step: number of each part's first tile
  unsigned int *too_large;       // 1: some bucket does not fit
  volatile HostVerdict *host;
} BucketState;

// Sums of all blocks' counts, two of 32 bits in each number, and number of blocks that have added
// theirs. Zero between sorts, as in radix_v6/histogram.cuh.
static __device__ unsigned long long bucket_counts[MAX_BUCKETS / 2];
static __device__ unsigned int bucket_blocks_arrived;

// Numbers the tiles of the second step. A tile lies in one part, so a part of k keys has
// ceil(k / tile) tiles; first_tile[] is the exclusive scan over the parts. All threads of a block
// call it after a barrier.
static __device__ void number_tiles(unsigned int n, BucketBits bits, unsigned int tile,
                                    BucketState state, unsigned int *warp_sums) {
  const volatile unsigned int *const start = state.start;
  const unsigned int parts = 1u << bits.first, part = threadIdx.x;
  unsigned int tiles = 0;
  if (part < parts) {
    const unsigned int begin = start[part << bits.second];
    const unsigned int end = part + 1 < parts ? start[(part + 1) << bits.second] : n;
    tiles = (end - begin + tile - 1) / tile;
  }
  const unsigned int up_to_here = block_inclusive_scan(tiles, warp_sums);
  if (part < parts) state.first_tile[part] = up_to_here - tiles;
  if (part == parts - 1) state.first_tile[parts] = up_to_here;
}

// Adds the block's counters to those of the grid.
template <bool kPacked>
static __device__ void add_bucket_counts(const unsigned int *counters, unsigned int buckets) {
  for (unsigned int b = threadIdx.x; b < buckets / 2; b += blockDim.x) {
    const unsigned int even = kPacked ? counters[b] & 0xffffu : counters[2 * b];
    const unsigned int odd = kPacked ? counters[b] >> 16 : counters[2 * b + 1];
    const unsigned long long sums = even | (unsigned long long)odd << 32;
    if (sums != 0) atomicAdd(&bucket_counts[b], sums);
  }
}

// Counts the keys of each bucket; the last block to finish scans the counts and checks that no
// bucket exceeds `capacity`. `tile` is the tile size of the second partition step.
template <bool kPacked>
static __global__ void __launch_bounds__(HISTOGRAM_THREADS, kPacked ? 1 : COUNTING_BLOCKS)
    count_buckets(const unsigned int *keys, size_t n, BucketBits bits, KeyRange range,
                  unsigned int tile, unsigned int capacity, BucketState state) {
  extern __shared__ unsigned int counters[];  // [buckets], or half as many
  __shared__ unsigned int warp_sums[MAX_WARPS], carry;
  __shared__ LargeBuckets large;
  const int all_bits = bits.first + bits.second;
  const unsigned int buckets = 1u << all_bits;
  wait_for_previous_kernel();
  for (unsigned int b = threadIdx.x; b < (kPacked ? buckets / 2 : buckets); b += blockDim.x)
    counters[b] = 0;
  __syncthreads();
  count_watched<kPacked, true>(counters, 1, keys, n, gridDim.x, 32 - all_bits, range, capacity,
                               state.host);
  if (!is_hopeless()) add_bucket_counts<kPacked>(counters, buckets);

  if (!is_last_block(&bucket_blocks_arrived)) return;
  const unsigned int hopeless = hopeless_bits();
  if (hopeless != 0) {
    for (unsigned int b = threadIdx.x; b < buckets / 2; b += blockDim.x) bucket_counts[b] = 0;
    __syncthreads();
    if (threadIdx.x > 0) return;
    *state.too_large = 1;
    count_hopeless = 0;
    tell_if_wider(range, hopeless, state.host);
    return;
  }
  if (threadIdx.x == 0) large.found = 0;
  __syncthreads();
  unsigned int before = 0;
  for (unsigned int base = 0; base < buckets; base += 2 * blockDim.x) {
    const unsigned int b = base + 2 * threadIdx.x;
    unsigned long long two = 0;
    if (b < buckets) {
      two = *(volatile unsigned long long *)&bucket_counts[b / 2];
      bucket_counts[b / 2] = 0;  // for the next sort
    }
    const unsigned int even = (unsigned int)two, odd = (unsigned int)(two >> 32);
    const unsigned int up_to_here = before + block_inclusive_scan(even + odd, warp_sums);
    if (b < buckets) {
      const unsigned int second = up_to_here - odd, first = second - even;
      if (even > capacity) note_large(&large, first, even);
      if (odd > capacity) note_large(&large, second, odd);
      state.start[b] = state.next_in_bucket[b] = first;
      state.start[b + 1] = state.next_in_bucket[b + 1] = second;
      if (b % (1u << bits.second) == 0) state.next_in_part[b >> bits.second] = first;
      if (bits.second == 0) state.next_in_part[b + 1] = second;
    }
    if (threadIdx.x == blockDim.x - 1) carry = up_to_here;
    __syncthreads();
    before = carry;
  }
  if (bits.second > 0) number_tiles((unsigned int)n, bits, tile, state, warp_sums);
  if (threadIdx.x != 0) return;
  // If some counter of 16 bits has overflowed, the sum of all counts is not n.
  const bool any_too_large = before != n || !tell_large(&large, (unsigned int)n, state.host);
  state.start[buckets] = (unsigned int)n;
  *state.too_large = any_too_large;
  state.host->verdict = any_too_large ? TOO_LARGE : FITS;
}

#endif
