// Counts the keys of each bucket, that is, of each value of the first 10 to 16 bits. The last block
// finds out where the buckets begin, and whether all fit into their blocks.
//
//   keys 31 07 35 12 18 33     count  0: 1  1: 2  2: 0  3: 3     start  0 1 3 3 6
//
// Moves 4 bytes a key.
#ifndef GSORT_KERNEL_COUNT_BUCKETS_CUH
#define GSORT_KERNEL_COUNT_BUCKETS_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/partition.cuh"
#include "gsort/block/watched_count.cuh"

enum {
  PACKED_BUCKET_BITS = 16,  // from here on, two counters share 32 bits
};

// Device memory between the launches.
typedef struct BucketState {
  // 0 before the count: sums of all blocks' counts, two of 32 bits in each number; the number of
  // blocks that have added theirs; and whether the sort ends without a result (count_watched()).
  unsigned long long *count;  // [buckets / 2]
  unsigned int *arrived, *stop;
  unsigned int *start;           // [buckets + 1] index where each bucket begins; the last is n
  unsigned int *next_in_part;    // [2^first] first step: index of the next key of each part
  unsigned int *next_in_bucket;  // [buckets] second step: index of the next key of each bucket
  unsigned int *first_tile;      // [2^first + 1] second step: number of each part's first tile
  volatile HostVerdict *host;
} BucketState;

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

// capacity: of a bucket; tile: keys of a tile of the second partition step. Tells the host.
template <bool kPacked>
static __global__ void __launch_bounds__(COUNT_THREADS, kPacked ? 1 : COUNTING_BLOCKS)
    count_buckets(const unsigned int *keys, size_t n, KeyCode code, BucketBits bits, KeyRange range,
                  unsigned int tile, unsigned int capacity, BucketState state) {
  extern __shared__ unsigned int counters[];  // [buckets], or half as many
  __shared__ unsigned int warp_sums[MAX_WARPS], carry;
  const int all_bits = bits.first + bits.second;
  const unsigned int buckets = 1u << all_bits;
  wait_for_previous_kernel();
  for (unsigned int b = threadIdx.x; b < (kPacked ? buckets / 2 : buckets); b += blockDim.x)
    counters[b] = 0;
  __syncthreads();
  count_watched<kPacked, true>(counters, 1, keys, n, code, gridDim.x, 32 - all_bits, range,
                               capacity, state.stop, state.host);
  if (!is_stopped(state.stop)) add_counts<kPacked>(counters, 1, buckets, state.count);

  if (!is_last_block(state.arrived)) return;
  if (is_stopped(state.stop)) {
    if (threadIdx.x == 0) tell_if_wider(range, *(volatile unsigned int *)state.stop, state.host);
    return;
  }
  unsigned int before = 0;
  bool full = false;
  for (unsigned int base = 0; base < buckets; base += 2 * blockDim.x) {
    const unsigned int b = base + 2 * threadIdx.x;
    const unsigned long long two =
        b < buckets ? *(volatile unsigned long long *)&state.count[b / 2] : 0;
    const unsigned int even = (unsigned int)two, odd = (unsigned int)(two >> 32);
    const unsigned int up_to_here = before + block_inclusive_scan(even + odd, warp_sums);
    if (b < buckets) {
      const unsigned int second = up_to_here - odd, first = second - even;
      full |= even > capacity || odd > capacity;
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
  full = __syncthreads_or(full) != 0;
  if (threadIdx.x != 0) return;
  // If some counter of 16 bits has overflowed, the sum of all counts is not n.
  const bool unfit = full || before != n;
  state.start[buckets] = (unsigned int)n;
  *state.stop = unfit;
  state.host->finding = unfit ? UNEVEN : SORTED;
}

#endif
