// Counting before a sort of pairs by prefix: one read of the keys counts every bucket, that is,
// every value of the upper 12 to 16 bits. So it is known before anything moves whether each bucket
// fits into the block that is to sort it, and where each begins. One atomic per key in shared
// memory.
//
//   keys, prefix of 2 bits        0.. 2.. 2.. 3..      counts [1 0 2 1]    start [0 1 1 3]
//   lower digit, of one bit       0   0   0   1        counts [3 1]        start [0 3]
//   upper digit, of one bit       0   1   1   1        counts [1 3]        start [0 1]
//
// Moves 4 bytes a pair.
#ifndef GSORT_KERNEL_COUNT_PREFIXES_CUH
#define GSORT_KERNEL_COUNT_PREFIXES_CUH

#include "gsort/block/overlap.cuh"
#include "gsort/block/pair_bucket.cuh"
#include "gsort/block/watched_count.cuh"

enum {
  PACKED_COUNTER_BITS = 16,  // from this prefix on, two counters share 32 bits
};

// The digits of the prefix: `low` bits are swept first, then `high` bits.
typedef struct PrefixBits {
  int low, high;
} PrefixBits;

// Device memory between the launches.
typedef struct PrefixState {
  unsigned long long *sums;    // [buckets / 2] over all blocks, two of 32 bits each; 0 before
  unsigned int *start;         // [buckets + 1] where each bucket begins; the last: n
  unsigned int *low_start;     // [2^low] where the run of each low digit begins after its sweep
  unsigned int *high_start;    // [2^high] the same for the high digit
  unsigned int *spread;        // [2] for SweepRoute
  unsigned int *tile_counter;  // [2]
  unsigned int *look_back;     // [look_back_words] cleared here; a multiple of 4
  size_t look_back_words;
  Findings *findings;  // `stop` and `arrived` are 0 before
  volatile HostVerdict *host;
} PrefixState;

// The last block: turns counts into starts. Whether all buckets fit or not; if so, the first sweep
// tells the host. `low_sum` is shared memory. The result is for thread 0.
static __device__ bool finish_count(unsigned int n, PrefixBits bits, unsigned int capacity,
                                    PrefixState state, unsigned int *low_sum,
                                    unsigned int *warp_sums) {
  __shared__ unsigned int carry;
  const unsigned int buckets = 1u << (bits.low + bits.high), low_bins = 1u << bits.low;
  if (is_stopped(&state.findings->stop)) return false;
  for (unsigned int b = threadIdx.x; b < low_bins; b += blockDim.x) low_sum[b] = 0;
  __syncthreads();
  unsigned int before = 0;
  bool full = false;
  for (unsigned int base = 0; base < buckets; base += 4 * blockDim.x) {
    const unsigned int b = base + 4 * threadIdx.x;
    uint4 count = make_uint4(0, 0, 0, 0);
    if (b < buckets) count = __ldcg((const uint4 *)&state.sums[b / 2]);
    const unsigned int sum = count.x + count.y + count.z + count.w;
    const unsigned int up_to_here = before + block_inclusive_scan(sum, warp_sums);
    uint4 start;
    start.x = up_to_here - sum;
    start.y = start.x + count.x;
    start.z = start.y + count.y;
    start.w = start.z + count.z;
    if (b < buckets) {
      *(uint4 *)&state.start[b] = start;
      full |= max(max(count.x, count.y), max(count.z, count.w)) > capacity - MOST_LEAD;
      const unsigned int low = b % low_bins;
      if (low == 0) state.high_start[b >> bits.low] = start.x;
      if (count.x > 0) atomicAdd(&low_sum[low], count.x);
      if (count.y > 0) atomicAdd(&low_sum[low + 1], count.y);
      if (count.z > 0) atomicAdd(&low_sum[low + 2], count.z);
      if (count.w > 0) atomicAdd(&low_sum[low + 3], count.w);
    }
    if (threadIdx.x == blockDim.x - 1) carry = up_to_here;
    __syncthreads();
    before = carry;
  }
  const unsigned int low = threadIdx.x < low_bins ? low_sum[threadIdx.x] : 0;
  const unsigned int low_up_to_here = block_inclusive_scan(low, warp_sums);
  if (threadIdx.x < low_bins) state.low_start[threadIdx.x] = low_up_to_here - low;
  full = __syncthreads_or(full) != 0;
  if (threadIdx.x > 0) return false;
  state.start[buckets] = n;
  // If some counter of 16 bits has overflowed, the sum of all counts is not n.
  return !full && before == n;
}

template <bool kPacked>
static __global__ void __launch_bounds__(COUNT_THREADS, kPacked ? 1 : COUNTING_BLOCKS)
    count_prefixes(const unsigned int *keys, size_t n, KeyCode code, PrefixBits bits,
                   KeyRange range, unsigned int capacity, unsigned int copies, PrefixState state) {
  extern __shared__ __align__(16) unsigned int counters[];
  __shared__ unsigned int warp_sums[MAX_WARPS], low_sum[BINS];
  const int shift = 32 - bits.low - bits.high;
  const unsigned int buckets = 1u << (bits.low + bits.high);
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  for (unsigned int i = threadIdx.x; i < (kPacked ? buckets / 2 : buckets * copies);
       i += blockDim.x)
    counters[i] = 0;
  wait_for_previous_kernel();
  for (size_t i = thread; i < state.look_back_words / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < 2) state.tile_counter[thread] = 0;
  __syncthreads();
  unsigned int *const stop = &state.findings->stop;
  count_watched<kPacked, false>(counters, copies, keys, n, code, gridDim.x, shift, range, capacity,
                                stop, NULL);
  if (!is_stopped(stop)) add_counts<kPacked>(counters, copies, buckets, state.sums);
  if (!is_last_block(&state.findings->arrived)) return;
  const bool all_fit = finish_count((unsigned int)n, bits, capacity, state, low_sum, warp_sums);
  if (threadIdx.x > 0) return;
  state.spread[0] = state.spread[1] = all_fit ? DIGIT_EVEN : DIGIT_UNUSED;
  if (!all_fit) tell_if_wider(range, *stop, state.host);
}

#endif
