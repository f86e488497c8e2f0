// Counting before a sort by prefix: one read of the keys counts every bucket, that is, every value
// of the upper 12 to 16 bits. So it is known before anything moves whether each bucket fits into
// the block that is to sort it, and where each bucket begins. One atomic per key in shared memory.
#ifndef RADIX_V7_PAIRS_COUNT_CUH
#define RADIX_V7_PAIRS_COUNT_CUH

#include "gsort/block/scan.cuh"
#include "common/launch.cuh"
#include "radix_v7/few_values.cuh"
#include "radix_v7/pairs_layout.cuh"
#include "radix_v7/watched_count.cuh"

enum {
  MAX_PREFIX_BITS = 16,
  MAX_PREFIXES = 1 << MAX_PREFIX_BITS,
  MAX_SWEEP_BITS = 9,        // of a digit
  PACKED_COUNTER_BITS = 16,  // from this prefix on, two counters share 32 bits
  UNFIT_SAMPLES = 4,         // keys of a thread, if buckets do not fit
};

// The digits of the prefix: `low` bits are swept first, then `high` bits.
typedef struct PrefixBits {
  int low, high;
} PrefixBits;

// Device memory between the launches.
typedef struct PrefixState {
  unsigned int *start;         // [buckets + 1] where each bucket begins; the last: n
  unsigned int *low_start;     // [2^low] where the run of each low digit begins after its sweep
  unsigned int *high_start;    // [2^high] the same for the high digit
  unsigned int *spread;        // [2] for SweepRoute
  unsigned int *tile_counter;  // [2]
  unsigned int *look_back;     // [look_back_size] cleared here; a multiple of 4
  size_t look_back_size;
  volatile HostVerdict *host;
} PrefixState;

// Sums over all blocks, two of 32 bits in each number. Zero between sorts: the last block clears
// them. (Sorts are issued to one stream, so no two of them overlap.)
static __device__ unsigned long long prefix_counts[MAX_PREFIXES / 2];
static __device__ unsigned int prefix_blocks_arrived;

// Adds the block's counters to those of the grid.
template <bool kPacked>
static __device__ void sum_counters(const unsigned int *counters, unsigned int buckets,
                                    unsigned int copies) {
  for (unsigned int b = threadIdx.x; b < buckets / 2; b += blockDim.x) {
    unsigned int two[2] = {};
    if (kPacked) {
      two[0] = counters[b] & 0xffffu;
      two[1] = counters[b] >> 16;
    } else {
      for (unsigned int k = 0; k < 2; k++)
        for (unsigned int c = 0; c < copies; c++)  // each lane begins at another bank
          two[k] += counters[(2 * b + k) * copies + (c + threadIdx.x) % copies];
    }
    const unsigned long long sums = two[0] | (unsigned long long)two[1] << 32;
    if (sums != 0) atomicAdd(&prefix_counts[b], sums);
  }
}

static __device__ __forceinline__ void note_if_large(LargeBuckets *large, unsigned int begin,
                                                     unsigned int count, unsigned int capacity) {
  if (count > capacity - MOST_LEAD) note_large(large, begin, count);
}

// What a sample shows, for the case that buckets do not fit: FEW_VALUES, TO_RANGE or TOO_LARGE.
typedef struct UnfitFindings {
  unsigned int verdict;
  KeyRange range;  // with TO_RANGE
} UnfitFindings;
static __device__ UnfitFindings unfit_findings;

// Whether one more block looks at a sample while the others count.
static __host__ __device__ __forceinline__ bool looks_at_sample(size_t n, KeyRange range) {
  return n >= WATCHED_FROM && is_whole(range);
}

// All threads of that block call it. flag: shared memory, a word for each.
static __device__ __noinline__ void look_if_unfit(const unsigned int *keys, size_t n,
                                                  unsigned int *flag) {
  unsigned int key[UNFIT_SAMPLES];
  load_block_sample(keys, n, key);
  KeyRange range = WHOLE_RANGE;
  const bool few = find_few_values(key, flag),
             in_range = !few && find_range(key, flag, UNCOUNTED, ANY_SKIP, &range);
  if (in_range) range.alike = estimate_alike(key, n, flag);
  const bool fits = in_range && range.alike <= MOST_ALIKE_PAIRS;
  const unsigned int verdict = few ? FEW_VALUES : fits ? TO_RANGE : TOO_LARGE;
  if (threadIdx.x == 0) unfit_findings = {verdict, range};
}

// One thread of the last block: tells the host why buckets do not fit. hopeless: count_hopeless.
static __device__ void tell_why_unfit(size_t n, KeyRange range, unsigned int hopeless,
                                      volatile HostVerdict *host) {
  if (!looks_at_sample(n, range)) {
    tell_if_wider(range, hopeless, host);
    return;
  }
  tell_host_range(unfit_findings.range, host);
  host->verdict = unfit_findings.verdict;
}

// The last block: turns counts into starts. Whether all buckets fit or not; if so, the first sweep
// tells the host. `low_sum` is shared memory. The result is for thread 0.
static __device__ bool finish_count(unsigned int n, PrefixBits bits, unsigned int capacity,
                                    PrefixState state, unsigned int *low_sum,
                                    unsigned int *warp_sums) {
  __shared__ unsigned int carry;
  __shared__ LargeBuckets large;
  const unsigned int buckets = 1u << (bits.low + bits.high), low_bins = 1u << bits.low;
  if (is_hopeless()) {
    for (unsigned int b = threadIdx.x; b < buckets / 2; b += blockDim.x) prefix_counts[b] = 0;
    __syncthreads();
    if (threadIdx.x == 0) count_hopeless = 0;
    return false;
  }
  for (unsigned int b = threadIdx.x; b < low_bins; b += blockDim.x) low_sum[b] = 0;
  if (threadIdx.x == 0) large.found = 0;
  __syncthreads();
  unsigned int before = 0;
  for (unsigned int base = 0; base < buckets; base += 4 * blockDim.x) {
    const unsigned int b = base + 4 * threadIdx.x;
    uint4 count = make_uint4(0, 0, 0, 0);
    if (b < buckets) {
      volatile unsigned long long *const two = &prefix_counts[b / 2];
      const unsigned long long first = two[0], second = two[1];
      count = make_uint4((unsigned int)first, (unsigned int)(first >> 32), (unsigned int)second,
                         (unsigned int)(second >> 32));
      two[0] = two[1] = 0;  // for the next sort
    }
    const unsigned int sum = count.x + count.y + count.z + count.w;
    const unsigned int up_to_here = before + block_inclusive_scan(sum, warp_sums);
    uint4 start;
    start.x = up_to_here - sum;
    start.y = start.x + count.x;
    start.z = start.y + count.y;
    start.w = start.z + count.z;
    if (b < buckets) {
      *(uint4 *)&state.start[b] = start;
      note_if_large(&large, start.x, count.x, capacity);
      note_if_large(&large, start.y, count.y, capacity);
      note_if_large(&large, start.z, count.z, capacity);
      note_if_large(&large, start.w, count.w, capacity);
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
  if (threadIdx.x > 0) return false;
  state.start[buckets] = n;
  // If some counter of 16 bits has overflowed, the sum of all counts is not n.
  return before == n && tell_large(&large, n, state.host);
}

template <bool kPacked>
static __global__ void __launch_bounds__(HISTOGRAM_THREADS, kPacked ? 1 : COUNTING_BLOCKS)
    count_prefixes(const unsigned int *keys, size_t n, PrefixBits bits, KeyRange range,
                   unsigned int capacity, unsigned int copies, PrefixState state) {
  extern __shared__ __align__(16) unsigned int counters[];
  __shared__ unsigned int warp_sums[MAX_WARPS], low_sum[1 << MAX_SWEEP_BITS];
  const int shift = 32 - bits.low - bits.high;
  const unsigned int buckets = 1u << (bits.low + bits.high);
  const size_t thread = global_index(), threads = (size_t)gridDim.x * blockDim.x;
  for (unsigned int i = threadIdx.x; i < (kPacked ? buckets / 2 : buckets * copies);
       i += blockDim.x)
    counters[i] = 0;
  wait_for_previous_kernel();
  for (size_t i = thread; i < state.look_back_size / 4; i += threads)
    ((uint4 *)state.look_back)[i] = make_uint4(0, 0, 0, 0);
  if (thread < 2) state.tile_counter[thread] = 0;
  __syncthreads();
  const unsigned int counting = gridDim.x - (looks_at_sample(n, range) ? 1 : 0);
  if (blockIdx.x < counting) {
    count_watched<kPacked, false>(counters, copies, keys, n, counting, shift, range, capacity,
                                  NULL);
    if (!is_hopeless()) sum_counters<kPacked>(counters, buckets, copies);
  } else {
    look_if_unfit(keys, n, counters);
  }
  if (!is_last_block(&prefix_blocks_arrived)) return;
  const unsigned int hopeless = hopeless_bits();
  const bool all_fit = finish_count((unsigned int)n, bits, capacity, state, low_sum, warp_sums);
  if (threadIdx.x > 0) return;
  state.spread[0] = state.spread[1] = all_fit ? DIGIT_EVEN : DIGIT_UNUSED;
  if (!all_fit) tell_why_unfit(n, range, hopeless, state.host);
}

#endif
